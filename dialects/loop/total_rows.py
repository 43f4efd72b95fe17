"""What the elements of a row of an accumulator come to together."""

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType, UnitAttr
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, region_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, RecursiveMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.loop.elements import ElementsOp
from dlc.dialects.loop.memory import buffer_element, buffer_shape
from dlc.dialects.loop.structure import YieldOp
from dlc.ir.cluster import ClusteredKernel
from dlc.ir.space import Space, space_of
from dlc.ir.tensor import compute_type


@irdl_op_definition
class TotalRowsOp(ElementsOp):
    """Combine what the first region yields for the elements of each row of an accumulator.

    The region takes the element's row, column and value; the second one combines two of what it
    yields, is associative and commutative, and leaves one as it is beside ``nothing``. Rows and
    columns are counted from ``at``; those that are not below ``within`` are left out. Afterwards
    all threads that hold the accumulator may read ``totals``, which has an element for each row of
    it. With ``cluster`` each block of the cluster holds other columns of the same rows, and gets
    the totals of all of them. The parts are combined in the same order in every run.

    ``loop.total_rows %acc into %t from %zero at [%r * 64, 0] within [100, 77] : memref<64x80xf32,
    ..>, memref<64xf32, #loop.space<shared>> {..} combine {..}``
    """

    name = "loop.total_rows"
    totals = operand_def(MemRefType)
    nothing = operand_def()
    cluster = opt_prop_def(UnitAttr)
    combination = region_def("single_block")
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect(), RecursiveMemoryEffect())
    assembly_format = (
        "$accumulator `into` $totals `from` $nothing `at` custom<Positions>($indices, $first) "
        "`within` custom<IntegerList>($within) (`cluster` $cluster^)? attr-dict `:` "
        "type($accumulator) `,` type($totals) `,` type($nothing) $body `combine` $combination"
    )

    def __init__(
        self,
        accumulator: SSAValue,
        totals: SSAValue,
        nothing: SSAValue,
        first: Sequence[AffineExpr],
        dims: Sequence[SSAValue],
        within: Sequence[int],
        cluster: bool = False,
    ):
        each = Region(Block(arg_types=[nothing.type, nothing.type]))
        super().__init__(
            accumulator,
            first,
            dims,
            within,
            own=[totals, nothing],
            more=[each],
            cluster=UnitAttr() if cluster else None,
        )

    @property
    def element(self) -> Attribute:
        """The type of what is combined."""
        return compute_type(buffer_element(self.accumulator))

    @property
    def blocks(self) -> int:
        """The blocks that hold columns of the same rows."""
        kernel = ClusteredKernel.around(self)
        return 1 if kernel is None or self.cluster is None else kernel.cluster_blocks

    def verify_(self) -> None:
        self._verify_region(yields_element=True)
        rows, type = buffer_shape(self.accumulator)[0], self.element
        is_shared = space_of(self.totals) is Space.SHARED
        if buffer_shape(self.totals) != (rows,) or not is_shared:
            raise VerifyException(
                f"totals are in shared memory, one for each of {rows} rows, not {self.totals.type}"
            )
        if buffer_element(self.totals) != type or self.nothing.type != type:
            raise VerifyException(f"totals, and what stands for none, are of {type}")
        last = self.combination.block.last_op
        if tuple(self.combination.block.arg_types) != (type, type):
            raise VerifyException(f"the second region takes two values of {type}")
        if not isinstance(last, YieldOp) or list(last.arguments.types) != [type]:
            raise VerifyException(f"the second region ends with loop.yield of one value of {type}")
        is_in_kernel = ClusteredKernel.around(self) is not None
        if self.cluster is not None and is_in_kernel and self.blocks < 2:
            raise VerifyException("cluster is for a kernel with clusters; give it the key cluster")
