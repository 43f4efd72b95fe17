"""Reductions over a sliding window."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import (
    DenseArrayBase,
    FloatAttr,
    TensorType,
    UnitAttr,
    f64,
    i1,
    i32,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from dlc.dialects._scalar import ScalarBuilder
from dlc.dialects._tensor import compute_type, element_type, is_float, shape
from dlc.dialects.graph._arg_reduction import better_place
from dlc.dialects.graph._convolution import taps
from dlc.dialects.graph._data_layout import CHANNELS_FIRST, DataLayoutAttr
from dlc.dialects.graph._reduction import lowest
from dlc.dialects.graph._structure import Array, Domain, GraphOp, Index, ReductionOp, Scope
from dlc.dialects.graph._window import Window
from dlc.errors import CompileError


class PoolOp(ReductionOp, ABC):
    """A reduction over windows of the spatial axes, the same for every channel.

    ``padding`` holds the begin of every axis, then the end of every axis. With ``ceil_mode`` a last
    window that begins inside, but reaches beyond the padding, counts.
    """

    x = operand_def(TensorType)
    window = prop_def(DenseArrayBase.constr(i64))
    strides = prop_def(DenseArrayBase.constr(i64))
    padding = prop_def(DenseArrayBase.constr(i64))
    dilations = prop_def(DenseArrayBase.constr(i64))
    ceil_mode = opt_prop_def(UnitAttr)
    data_layout = prop_def(DataLayoutAttr, default_value=CHANNELS_FIRST)
    output = result_def(TensorType)
    assembly_format = (
        "$x `window` $window `strides` $strides `padding` $padding `dilations` $dilations"
        " (`ceil_mode` $ceil_mode^)? (`layout` $data_layout^)? attr-dict"
        " `:` type($x) `->` type($output)"
    )

    @property
    def windows(self) -> tuple[Window, ...]:
        """The window of each spatial axis."""
        sizes, strides = self.window.get_values(), self.strides.get_values()
        dilations, padding = self.dilations.get_values(), self.padding.get_values()
        count = len(shape(self.x)) - 2
        lengths = [len(sizes), len(strides), len(dilations), len(padding)]
        if lengths != [count, count, count, 2 * count]:
            raise CompileError(
                f"{count} spatial axes need as many window sizes, strides and dilations and twice"
                f" as many paddings, got {', '.join(map(str, lengths))}"
            )
        ceil = self.ceil_mode is not None
        return tuple(
            Window(*axis, ceil=ceil)
            for axis in zip(
                sizes, strides, padding[:count], padding[count:], dilations, strict=True
            )
        )

    @property
    def spatial_axes(self) -> tuple[int, ...]:
        """The axes along which windows slide."""
        return self.data_layout.spatial_axes(len(shape(self.x)))

    def infer(self) -> Sequence[Attribute]:
        sizes = list(shape(self.x))
        if len(sizes) < 3:
            raise CompileError(f"needs batch, channel and spatial axes, got {len(sizes)} axes")
        for axis, window in zip(self.spatial_axes, self.windows, strict=True):
            sizes[axis] = window.positions(sizes[axis])
        return [TensorType(self.result_element(), sizes)]

    def result_element(self) -> Attribute:
        """Return the element type of the result."""
        if element_type(self.x) == i1:
            raise CompileError("works on numbers, not on booleans")
        return element_type(self.x)

    @property
    def domain(self) -> Domain:
        return Domain(shape(self.output), tuple(w.size for w in self.windows))

    @property
    def guard(self) -> list[int]:
        """The axes along which a tap may be outside the operand."""
        sizes = shape(self.x)
        pairs = zip(self.spatial_axes, self.windows, strict=True)
        return [axis for axis, window in pairs if window.leaves(sizes[axis])]

    def operand_index(self, index: Index, reduction: Index) -> list[AffineExpr]:
        """Return the operand's index at a tap of a window."""
        at = list(index)
        for axis, window, tap in zip(self.spatial_axes, self.windows, reduction, strict=True):
            at[axis] = window.index(index[axis], tap)
        return at

    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        at = self.operand_index(index, reduction)
        return [self.prepare(scope.b, scope.read(self.x, at, self.guard, self.fill))]

    @property
    def fill(self) -> float:
        """What a tap outside the operand reads."""
        return 0.0

    def prepare(self, b: ScalarBuilder, x: SSAValue) -> SSAValue:
        """Write what one element contributes."""
        return x

    def flops(self) -> int:
        return self.domain.points

    def permuted(self, permutation: Sequence[int], operands: Sequence[SSAValue]) -> GraphOp | None:
        layout = self.data_layout.permuted(permutation)
        return None if layout is None else self.with_operands(operands, data_layout=layout)

    def reference(self, *operands: Array) -> Array:
        channel = self.data_layout.channel_axis(operands[0].ndim)
        y = self.pool(np.moveaxis(operands[0], channel, 1))
        return np.moveaxis(y, 1, channel)

    @abstractmethod
    def pool(self, x: Array) -> Array:
        """Return the result for ``x[n, c, ...]``."""

    def padded_taps(self, x: Array, fill: float) -> list[Array]:
        """Return what every tap of every window reads of ``x[n, c, ...]``."""
        positions = [w.positions(n) for w, n in zip(self.windows, x.shape[2:], strict=True)]
        ends = [
            max(w.end, (p - 1) * w.stride + w.extent - w.begin - n)
            for p, w, n in zip(positions, self.windows, x.shape[2:], strict=True)
        ]
        pads = [(w.begin, end) for w, end in zip(self.windows, ends, strict=True)]
        padded = np.pad(x, [(0, 0), (0, 0), *pads], constant_values=fill)
        return [part for _, part in taps(padded, self.windows, positions)]


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
        return [b.maximum(left[0], right[0])]

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
        "$x `window` $window `strides` $strides `padding` $padding `dilations` $dilations"
        " (`ceil_mode` $ceil_mode^)? (`layout` $data_layout^)? (`column_major` $column_major^)?"
        " attr-dict `:` type($x) `->` type($output)"
    )

    def result_element(self) -> Attribute:
        if self.data_layout != CHANNELS_FIRST:
            raise CompileError("works with the channels first only")
        return i64

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
        return better_place(b, "gt", left, right)

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


class SumPoolOp(PoolOp, ABC):
    """A pooling that adds contributions, in floats."""

    def result_element(self) -> Attribute:
        element = element_type(self.x)
        if not is_float(element):
            raise CompileError(f"works on floats, not on {element}")
        return element

    def identity(self, b: ScalarBuilder) -> Sequence[SSAValue]:
        return [b.constant(0, compute_type(element_type(self.x)))]

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        return [b.add(left[0], right[0])]


@irdl_op_definition
class AveragePoolOp(SumPoolOp):
    """``y[n, c, p] = mean of x over the window at p``.

    The mean is over the taps inside the operand; with ``count_include_pad`` the padding counts too,
    but never what lies beyond it.
    """

    name = "graph.average_pool"
    count_include_pad = opt_prop_def(UnitAttr)
    assembly_format = (
        "$x `window` $window `strides` $strides `padding` $padding `dilations` $dilations"
        " (`ceil_mode` $ceil_mode^)? (`count_include_pad` $count_include_pad^)?"
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
        return b.div(total, product)

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
        "$x `exponent` $exponent `window` $window `strides` $strides `padding` $padding"
        " `dilations` $dilations (`ceil_mode` $ceil_mode^)? (`layout` $data_layout^)? attr-dict"
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


OPERATIONS = [MaxPoolOp, MaxPoolIndexOp, AveragePoolOp, LpPoolOp]
