"""Means and norms of windows."""

from abc import ABC
from collections.abc import Sequence

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import FloatAttr, UnitAttr, f64, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, opt_prop_def, prop_def

from dlc.dialects.graph.computed import Index, Scope, SummingOp
from dlc.dialects.graph.convolution import taps
from dlc.dialects.graph.pooling import WINDOW_FORMAT, PoolOp
from dlc.dialects.graph.structure import Array
from dlc.dialects.graph.window import Window
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.ir.tensor import element_bytes, element_type, float_element, shape


class SumPoolOp(SummingOp, PoolOp, ABC):
    """A pooling that adds contributions, in floats."""

    def result_element(self) -> Attribute:
        return float_element(self.x)


@irdl_op_definition
class AveragePoolOp(SumPoolOp):
    """``y[n, c, p] = mean of x over the window at p``.

    The mean is over the taps inside the operand; with ``count_include_pad`` the padding counts too,
    but never what lies beyond it.
    """

    name = "graph.average_pool"
    count_include_pad = opt_prop_def(UnitAttr)
    assembly_format = (
        f"$x {WINDOW_FORMAT} (`count_include_pad` $count_include_pad^)?"
        " (`layout` $data_layout^)? attr-dict `:` type($x) `->` type($output)"
    )

    def _counted(self, axis: int, window: Window) -> tuple[int, int]:
        """Return the range of positions along an axis that count."""
        length = shape(self.x)[axis]
        if self.count_include_pad is None:
            return 0, length
        return -window.begin, length + window.end

    def finish(
        self, scope: Scope, index: Index, accumulators: Sequence[SSAValue], result: int = 0
    ) -> SSAValue:
        b, total = scope.b, accumulators[0]
        fixed, counts = 1, list[SSAValue]()
        for axis, window in zip(self.spatial_axes, self.windows, strict=True):
            low, high = self._counted(axis, window)
            inner = Window(window.size, window.stride, window.begin + low, 0, window.dilation)
            positions = shape(self.output)[axis]
            last = (positions - 1) * window.stride - window.begin + window.extent
            if -window.begin >= low and last <= high:
                fixed *= window.size
            else:
                counts.append(_taps_inside(scope, index[axis], inner, high - low))
        product = b.constant(fixed, total.type)
        for count in counts:
            product = b.mul(product, b.cast(count, total.type))
        is_short = element_bytes(element_type(self.x)) < element_bytes(total.type)
        return b.near_quotient(total, product) if is_short else b.div(total, product)

    def pool(self, x: Array) -> Array:
        ones = np.ones((1, 1, *x.shape[2:]), x.dtype)
        total = np.add.reduce(self.padded_taps(x, 0.0))
        if self.count_include_pad is not None:
            pads = [(w.begin, w.end) for w in self.windows]
            positions = [w.positions(n) for w, n in zip(self.windows, x.shape[2:], strict=True)]
            ones = np.pad(ones, [(0, 0), (0, 0), *pads], constant_values=1)
            beyond = [
                max(0, (p - 1) * w.stride + w.extent - n)
                for p, w, n in zip(positions, self.windows, ones.shape[2:], strict=True)
            ]
            ones = np.pad(ones, [(0, 0), (0, 0), *((0, n) for n in beyond)])
            return total / np.add.reduce([part for _, part in taps(ones, self.windows, positions)])
        return total / np.add.reduce(self.padded_taps(ones, 0.0))


def _taps_inside(scope: Scope, position: AffineExpr, window: Window, length: int) -> SSAValue:
    """Write how many taps of a window are inside ``length`` elements, as ``i32``."""
    b = scope.b
    start = position * window.stride - window.begin
    first = scope.integer((-start).ceil_div(window.dilation), i32)
    last = scope.integer((-start + (length - 1)) // window.dilation, i32)
    first = b.maximum(first, b.constant(0, i32))
    last = b.minimum(last, b.constant(window.size - 1, i32))
    return b.add(b.sub(last, first), b.constant(1, i32))


@irdl_op_definition
class LpPoolOp(SumPoolOp):
    """``y[n, c, p] = (sum of |x|**exponent over the window at p) ** (1 / exponent)``."""

    name = "graph.lp_pool"
    exponent = prop_def(FloatAttr.constr(type=f64))
    assembly_format = (
        f"$x `exponent` $exponent {WINDOW_FORMAT} (`layout` $data_layout^)? attr-dict"
        " `:` type($x) `->` type($output)"
    )

    def prepare(self, b: ScalarBuilder, x: SSAValue) -> SSAValue:
        match self.exponent.value.data:
            case 1.0:
                return b.absolute(x)
            case 2.0:
                return b.mul(x, x)
            case exponent:
                return b.math(math.PowFOp, b.absolute(x), b.constant(exponent, x.type))

    def finish(
        self, scope: Scope, index: Index, accumulators: Sequence[SSAValue], result: int = 0
    ) -> SSAValue:
        b, total = scope.b, accumulators[0]
        match self.exponent.value.data:
            case 1.0:
                return total
            case 2.0:
                return b.math(math.SqrtOp, total)
            case exponent:
                return b.math(math.PowFOp, total, b.constant(1 / exponent, total.type))

    def pool(self, x: Array) -> Array:
        exponent = self.exponent.value.data
        powers = [np.abs(part) ** exponent for part in self.padded_taps(x, 0.0)]
        return np.add.reduce(powers) ** (1 / exponent)


OPERATIONS = [AveragePoolOp, LpPoolOp]
