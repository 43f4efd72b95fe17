"""The way back from a max pooling."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from dlc.dialects.graph.computed import Domain, Index, ReductionOp, Scope
from dlc.dialects.graph.structure import Array, IndexLimits
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.errors import CompileError, OpenSizeError
from dlc.ir.tensor import DYNAMIC, compute_type, element_type, shape


@irdl_op_definition
class MaxUnpoolOp(ReductionOp):
    """``y``: every ``x[n, c, p]`` at the place that ``places[n, c, p]`` names, 0 elsewhere.

    Places are indices of the flattened result, as ``graph.max_pool_index`` gives them: each must
    lie in the window of its element. ``padding`` holds all begins, then all ends;
    a negative end adds zeros. Of several elements for one place one counts; with ``add`` their sum.
    """

    name = "graph.max_unpool"
    x = operand_def(TensorType)
    places = operand_def(TensorType)
    window = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    add = opt_prop_def(UnitAttr)
    output = result_def(TensorType)
    assembly_format = (
        "$x `,` $places `window` $window `strides` $strides `padding` $padding (`add` $add^)?"
        " attr-dict"
        " `:` `(` type($x) `,` type($places) `)` `->` type($output)"
    )

    def _axes(self) -> list[tuple[int, int, int, int]]:
        """Return window size, stride, begin and end of each spatial axis."""
        count = len(shape(self.x)) - 2
        window, strides = self.window.get_values(), self.strides.get_values()
        padding = self.padding.get_values()
        lengths = [len(window), len(strides), len(padding)]
        if count < 1 or lengths != [count, count, 2 * count] or min((*window, *strides)) < 1:
            raise CompileError(
                f"{count} spatial axes do not fit window {list(window)}, strides {list(strides)}"
                f" and padding {list(padding)}"
            )
        return list(zip(window, strides, padding[:count], padding[count:], strict=True))

    @property
    def needs_elements(self) -> Sequence[int]:
        return (0,)

    def infer(self) -> Sequence[Attribute]:
        sizes, axes = list(shape(self.x)), self._axes()
        if shape(self.places) != tuple(sizes) or element_type(self.places) != i64:
            raise CompileError("the places must be i64 and have the shape of the data")
        if DYNAMIC in sizes[1:]:
            raise OpenSizeError("it")
        for axis, (size, stride, begin, end) in enumerate(axes, 2):
            sizes[axis] = max(0, (sizes[axis] - 1) * stride + size - begin - end)
        return [TensorType(element_type(self.x), sizes)]

    @property
    def index_limits(self) -> Mapping[int, IndexLimits]:
        last = np.prod(shape(self.output), dtype=np.int64) - 1
        return {1: IndexLimits(np.asarray(0), np.asarray(last))}

    @property
    def domain(self) -> Domain:
        return Domain(shape(self.output), tuple(-(-k // s) for k, s, _, _ in self._axes()))

    def identity(self, b: ScalarBuilder) -> Sequence[SSAValue]:
        return [b.constant(0, i64), b.constant(0, compute_type(element_type(self.x)))]

    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        """The reduction runs over the windows that an element may lie in."""
        b, at = scope.b, list(index)
        for axis, (_, stride, begin, _) in enumerate(self._axes(), 2):
            at[axis] = (index[axis] + begin) // stride - reduction[axis - 2]
        guard = range(2, len(at))
        flat: AffineExpr = AffineExpr.constant(0)
        for size, i in zip(shape(self.output), index, strict=True):
            flat = flat * size + i
        place = scope.read(self.places, at, guard, -1)
        hit = b.compare("eq", place, scope.integer(flat, i64))
        value = scope.read(self.x, at, guard, 0)
        nothing = self.identity(b)[1]
        return [b.cast(hit, i64), b.select(hit, value, nothing)]

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        hit = b.maximum(left[0], right[0])
        if self.add is not None:
            return [hit, b.add(left[1], right[1])]
        found = b.compare("gt", left[0], b.constant(0, i64))
        return [hit, b.select(found, left[1], right[1])]

    def finish(
        self, scope: Scope, index: Index, accumulators: Sequence[SSAValue], result: int = 0
    ) -> SSAValue:
        return accumulators[1]

    def reference(self, *operands: Array) -> Array:
        x, places = operands
        y = np.zeros(int(np.prod(shape(self.output))), x.dtype)
        if self.add is not None:
            np.add.at(y, places.ravel(), x.ravel())
        else:
            y[places.ravel()] = x.ravel()
        return y.reshape(shape(self.output))


OPERATIONS = [MaxUnpoolOp]
