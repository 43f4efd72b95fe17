"""The end of sums of weights of which several blocks have a part each."""

from abc import abstractmethod
from collections.abc import Sequence

from xdsl.dialects.builtin import IntegerAttr, MemRefType, UnitAttr, i64
from xdsl.ir import Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.loop.accumulator import verify_fragments
from dlc.dialects.loop.elements import ElementsOp
from dlc.dialects.loop.memory import buffer_shape
from dlc.ir.access import INDEX
from dlc.ir.cluster import ClusteredKernel
from dlc.ir.weighed_row import ROW_MARGIN


class WeighedDrainOp(ElementsOp):
    """Do something with each element of the whole of which blocks have parts."""

    zero = opt_prop_def(UnitAttr)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), RecursiveMemoryEffect())

    @property
    @abstractmethod
    def rows(self) -> int:
        """The rows of the tile that exist."""

    def _verify_tile(self) -> None:
        verify_fragments(self.accumulator)


@irdl_op_definition
class DrainPartsOp(WeighedDrainOp):
    """Do what the region says with each element of the whole of which blocks have parts.

    The accumulator has sums of weights (``loop.online_softmax``), of this block's part of the keys:
    relative to the largest score of each row in this part, beside the total of its weights. Every
    block puts these in ``scratch`` (tiles x parts x rows x (columns + 4)). The one that arrives
    last, ``m`` being the largest score of all parts, adds each part times ``exp(its largest score -
    m)``, in the order of the parts, whoever was last, and so the totals. It divides by the total
    (``zero``: as ``loop.normalize`` has it), and runs the region. ``counters`` has one number per
    tile, zero before and after. Rows and columns are counted from ``at``; those that are not below
    ``within`` are left out. Rows of the tile beyond those of ``scratch`` do not exist. Where the
    accumulator has teams, their parts are added up in the block before.

    Source: "Flash-Decoding for long-context inference" (Dao, Haziza, Massa, Sizov, 2023).

    ``loop.drain_parts %sums through %s[%tile, %part] counters %c at [0, 0] within [4, 128] : ..``
    """

    name = "loop.drain_parts"
    scratch = operand_def(MemRefType)
    counters = operand_def(MemRefType)
    tile = operand_def(INDEX)
    part = operand_def(INDEX)
    assembly_format = (
        "$accumulator `through` $scratch `[` $tile `,` $part `]` `counters` $counters "
        "`at` custom<Positions>($indices, $first) `within` custom<IntegerList>($within) "
        "(`zero` $zero^)? attr-dict `:` type($accumulator) `,` type($scratch) `,` type($counters) "
        "$body"
    )

    def __init__(
        self,
        accumulator: SSAValue,
        through: tuple[SSAValue, SSAValue],
        number: tuple[SSAValue, SSAValue],
        first: Sequence[AffineExpr],
        dims: Sequence[SSAValue],
        within: Sequence[int],
        body: Region | None = None,
        zero: bool = False,
    ):
        """through: scratch and counters. number: of the tile, and of the part."""
        given = UnitAttr() if zero else None
        super().__init__(
            accumulator, first, dims, within, body, own=[*through, *number], zero=given
        )

    @property
    def parts(self) -> int:
        """The blocks that have a part each."""
        return buffer_shape(self.scratch)[1]

    @property
    def rows(self) -> int:
        return buffer_shape(self.scratch)[2]

    def verify_(self) -> None:
        self._verify_region(yields_element=False)
        rows, columns = buffer_shape(self.accumulator)
        sizes = buffer_shape(self.scratch)
        if len(sizes) != 4 or sizes[2] > rows or sizes[3] != columns + ROW_MARGIN:
            raise VerifyException(
                f"scratch is tiles x parts x at most {rows} rows x {columns + ROW_MARGIN} "
                f"elements, not {self.scratch.type}"
            )
        if buffer_shape(self.counters) != sizes[:1]:
            raise VerifyException(f"{sizes[0]} tiles need a counter each: {self.counters.type}")


@irdl_op_definition
class DrainInClusterOp(WeighedDrainOp):
    """Do what the region says with each element of the whole of which each block of the cluster has
    a part.

    Sums, parts and ``zero`` are as of ``loop.drain_parts``. Here parts go to the shared memory of
    the blocks, each of which adds up and finishes neighbours of some rows. Of the tile ``rows``
    exist.

    ``loop.drain_in_cluster %sums rows 4 at [0, 0] within [4, 128] : memref<..> {...}``
    """

    name = "loop.drain_in_cluster"
    count = prop_def(IntegerAttr.constr(i64))
    assembly_format = (
        "$accumulator `rows` $count "
        "`at` custom<Positions>($indices, $first) `within` custom<IntegerList>($within) "
        "(`zero` $zero^)? attr-dict `:` type($accumulator) $body"
    )

    def __init__(
        self,
        accumulator: SSAValue,
        rows: int,
        first: Sequence[AffineExpr],
        dims: Sequence[SSAValue],
        within: Sequence[int],
        body: Region | None = None,
        zero: bool = False,
    ):
        given = UnitAttr() if zero else None
        count = IntegerAttr(rows, i64)
        super().__init__(accumulator, first, dims, within, body, zero=given, count=count)

    @property
    def rows(self) -> int:
        return self.count.value.data

    @property
    def blocks(self) -> int:
        """The blocks that have a part each."""
        kernel = ClusteredKernel.around(self)
        return 1 if kernel is None else kernel.cluster_blocks

    def verify_(self) -> None:
        self._verify_region(yields_element=False)
        rows = buffer_shape(self.accumulator)[0]
        if not 1 <= self.rows <= rows:
            raise VerifyException(f"rows = {self.rows} are 1 to {rows}, those of the tile")
        if ClusteredKernel.around(self) is not None and self.blocks < 2:
            raise VerifyException("stands in a kernel without clusters; give it the key cluster")
