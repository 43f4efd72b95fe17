"""What is done with each element of an accumulator: a region takes its row, column and value."""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    IndexType,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    region_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.loop.accumulator import verify_whole
from dlc.dialects.loop.memory import IntegerList, buffer_element
from dlc.dialects.loop.stage import TileOp
from dlc.dialects.loop.structure import YieldOp
from dlc.ir.access import INDEX, Positions, canonical_access
from dlc.ir.cluster import ClusteredKernel
from dlc.ir.tensor import compute_type


class ElementsOp(TileOp, ABC):
    """An op with a region for each element of an accumulator.

    within: the numbers of rows and columns that there are; other elements are left out.
    """

    accumulator = operand_def(MemRefType)
    indices = var_operand_def(INDEX)
    first = prop_def(AffineMapAttr)
    within = prop_def(DenseArrayBase.constr(i64))
    body = region_def("single_block")
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (Positions, IntegerList)
    assembly_format = (
        "$accumulator `at` custom<Positions>($indices, $first) `within` "
        "custom<IntegerList>($within) attr-dict `:` type($accumulator) $body"
    )

    def __init__(
        self,
        accumulator: SSAValue,
        first: Sequence[AffineExpr],
        dims: Sequence[SSAValue],
        within: Sequence[int],
        body: Region | None = None,
        own: Sequence[SSAValue] = (),
        more: Sequence[Region] = (),
        **properties: Attribute | None,
    ):
        """first: the row and column of the first element. body: takes row, column and value. own,
        more: what a subclass adds to the operands and to the regions, where it comes first.
        """
        map, indices = canonical_access(first, dims)
        limits = DenseArrayBase.from_list(i64, list(within))
        super().__init__(
            operands=[*own, accumulator, indices],
            properties={"first": map, "within": limits, **properties},
            regions=[*more, body or Region(self.block(accumulator))],
        )

    @staticmethod
    def block(accumulator: SSAValue) -> Block:
        """Return an empty block for the region."""
        type = compute_type(buffer_element(accumulator))
        return Block(arg_types=[IndexType(), IndexType(), type])

    @property
    def limits(self) -> tuple[int, ...]:
        """The numbers of rows and columns that there are."""
        return tuple(map(int, self.within.get_values()))

    @property
    def yielded(self) -> SSAValue:
        """What the region yields for an element, if it yields something."""
        last = self.body.block.last_op
        assert isinstance(last, YieldOp)
        return last.arguments[0]

    def _verify_tile(self) -> None:
        verify_whole(self.accumulator)

    def _verify_region(self, yields_element: bool) -> None:
        """Raise VerifyException unless the region is for each element, and yields one in its place
        or nothing.
        """
        self._verify_tile()
        if len(self.first.data.results) != 2 or len(self.limits) != 2:
            raise VerifyException("elements start at a row and a column and have a limit for each")
        type = compute_type(buffer_element(self.accumulator))
        if tuple(self.body.block.arg_types) != (IndexType(), IndexType(), type):
            raise VerifyException(f"the region takes a row, a column and an element, of {type}")
        last, wanted = self.body.block.last_op, [type] if yields_element else []
        if not isinstance(last, YieldOp) or list(last.arguments.types) != wanted:
            what = f"the element, in {type}" if yields_element else "nothing"
            raise VerifyException(f"the region ends with loop.yield of {what}")


@irdl_op_definition
class MapAccumulatorOp(ElementsOp):
    """Put in place of each element of an accumulator what the region yields for it.

    The region takes the element's row, column and value. Rows and columns are counted from ``at``;
    elements that are not below ``within`` stay what they are.

    ``loop.map_accumulator %acc at [%r * 64, 0] within [197, 32] : memref<64x32xf32, ..> {..}``
    """

    name = "loop.map_accumulator"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), RecursiveMemoryEffect())

    def verify_(self) -> None:
        self._verify_region(yields_element=True)


@irdl_op_definition
class DrainOp(ElementsOp):
    """Do with each element of an accumulator what the region says.

    The region takes the element's row, column and value. Rows and columns are counted from ``at``;
    those that are not below ``within`` are left out. With ``exchange`` a thread does not take the
    elements that it has summed: they go through shared memory, and neighbouring threads take
    neighbours of a row. With ``parts`` each block of the cluster holds a part of the sums: they go
    through the shared memory of all, are added in the order of the blocks, and each block takes
    its share of the rows.

    ``loop.drain %acc at [%r * 64, 0] within [100, 77] {exchange} : memref<64x128xf32, ..> {...}``
    """

    name = "loop.drain"
    exchange = opt_prop_def(UnitAttr)
    parts = opt_prop_def(IntegerAttr.constr(i64))
    traits = traits_def(MemoryReadEffect(), RecursiveMemoryEffect())

    def __init__(
        self,
        accumulator: SSAValue,
        first: Sequence[AffineExpr],
        dims: Sequence[SSAValue],
        within: Sequence[int],
        body: Region | None = None,
        exchange: bool = False,
        parts: int = 1,
    ):
        super().__init__(
            accumulator,
            first,
            dims,
            within,
            body,
            exchange=UnitAttr() if exchange else None,
            parts=IntegerAttr(parts, i64) if parts > 1 else None,
        )

    @property
    def blocks(self) -> int:
        """The blocks of a cluster that each hold a part of the sums."""
        return self.parts.value.data if self.parts is not None else 1

    def verify_(self) -> None:
        self._verify_region(yields_element=False)
        self._verify_parts()

    def _verify_parts(self) -> None:
        if self.parts is None:
            return
        if self.exchange is None:
            raise VerifyException("parts of the sums meet in an exchange; add exchange")
        kernel = ClusteredKernel.around(self)
        blocks = self.blocks if kernel is None else kernel.cluster_blocks
        if self.blocks < 2 or self.blocks != blocks:
            raise VerifyException(
                f"parts = {self.blocks} are those of a cluster's blocks, which are {blocks} here"
            )
