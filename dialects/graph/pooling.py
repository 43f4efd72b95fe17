"""Windows that slide over the spatial axes, and what every reduction over them does."""

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import DenseArrayBase, TensorType, UnitAttr, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import operand_def, opt_prop_def, prop_def, result_def

from dlc.dialects.graph.computed import Domain, Index, ReductionOp, Scope
from dlc.dialects.graph.convolution import taps
from dlc.dialects.graph.data_layout import CHANNELS_FIRST, DataLayoutAttr
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.dialects.graph.window import Window
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, shape

WINDOW_FORMAT = (
    "`window` $window `strides` $strides `padding` $padding `dilations` $dilations"
    " (`ceil_mode` $ceil_mode^)?"
)
"""How the properties of ``PoolOp`` are written."""


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
        f"$x {WINDOW_FORMAT} (`layout` $data_layout^)? attr-dict `:` type($x) `->` type($output)"
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
