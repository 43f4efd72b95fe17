"""The largest element of each window, and its place."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, opt_prop_def

from dlc.dialects.graph.arg_reduction import better_place
from dlc.dialects.graph.computed import Index, Scope
from dlc.dialects.graph.data_layout import CHANNELS_FIRST
from dlc.dialects.graph.pooling import WINDOW_FORMAT, PoolOp
from dlc.dialects.graph.reduction import lowest
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.tensor import compute_type, element_type, shape


@irdl_op_definition
class MaxPoolOp(PoolOp):
    """``y[n, c, p] = largest x of the window at p``; NaN where the window holds NaN.

    ``%y = graph.max_pool %x window [2, 2] strides [2, 2] padding [0, 0, 0, 0] dilations [1, 1]
    : tensor<1x3x8x8xf32> -> tensor<1x3x4x4xf32>``
    """

    name = "graph.max_pool"

    @property
    def fill(self) -> float:
        return lowest(element_type(self.x))

    def identity(self, b: ScalarBuilder) -> Sequence[SSAValue]:
        return [b.constant(self.fill, compute_type(element_type(self.x)))]

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        return [b.of(element_type(self.x)).maximum(left[0], right[0])]

    def pool(self, x: Array) -> Array:
        return np.maximum.reduce(self.padded_taps(x, self.fill))


@irdl_op_definition
class MaxPoolIndexOp(PoolOp):
    """The place of the largest element of each window: its index in the flattened operand.

    Of equal elements the one with the lowest place counts, and a window without elements has place
    ``2**63 - 1``. With ``column_major`` the spatial axes are flattened with the first axis moving
    fastest.
    """

    name = "graph.max_pool_index"
    column_major = opt_prop_def(UnitAttr)
    assembly_format = (
        f"$x {WINDOW_FORMAT} (`layout` $data_layout^)? (`column_major` $column_major^)?"
        " attr-dict `:` type($x) `->` type($output)"
    )

    def result_element(self) -> Attribute:
        if self.data_layout != CHANNELS_FIRST:
            raise CompileError("works with the channels first only")
        return i64

    def permuted(self, permutation: Sequence[int], operands: Sequence[SSAValue]) -> GraphOp | None:
        return None  # places would be numbered in another order

    @property
    def fill(self) -> float:
        return lowest(element_type(self.x))

    def identity(self, b: ScalarBuilder) -> Sequence[SSAValue]:
        value = b.constant(self.fill, compute_type(element_type(self.x)))
        return [value, b.constant(2**63 - 1, i64)]

    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        at = self.operand_index(index, reduction)
        b = scope.b
        value = scope.read(self.x, at, self.guard, self.fill)
        place = scope.integer(self._flat(at), i64)
        for axis in self.guard:
            position = scope.integer(at[axis], i64)
            size = b.constant(shape(self.x)[axis], i64)
            inside = b.logical(
                "and",
                b.compare("ge", position, b.constant(0, i64)),
                b.compare("lt", position, size),
            )
            place = b.select(inside, place, b.constant(2**63 - 1, i64))
        return [value, place]

    def _flat(self, at: Index) -> AffineExpr:
        sizes = shape(self.x)
        spatial = list(range(2, len(sizes)))
        order = [0, 1, *(reversed(spatial) if self.column_major is not None else spatial)]
        flat: AffineExpr = AffineExpr.constant(0)
        for axis in order:
            flat = flat * sizes[axis] + at[axis]
        return flat

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        return better_place(b, "gt", left, right, element_type(self.x))

    def finish(
        self, scope: Scope, index: Index, accumulators: Sequence[SSAValue], result: int = 0
    ) -> SSAValue:
        return accumulators[1]

    def pool(self, x: Array) -> Array:
        order = [0, 1, *range(2, x.ndim)]
        if self.column_major is not None:
            order[2:] = reversed(order[2:])
        places = np.arange(x.size).reshape([x.shape[a] for a in order])
        places = places.transpose(np.argsort(order))
        values = np.stack(self.padded_taps(x, self.fill))
        candidates = np.stack(self.padded_taps(places, -1))
        best = (values == values.max(0)) | np.isnan(values)
        return np.where(best & (candidates >= 0), candidates, 2**63 - 1).min(0)


OPERATIONS = [MaxPoolOp, MaxPoolIndexOp]
