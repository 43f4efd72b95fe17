"""Multiply quantised tensors as the 8-bit integers that they are stored as."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import IntegerType, ModuleOp, Signedness, i8, i32
from xdsl.ir import SSAValue
from xdsl.pattern_rewriter import PatternRewriter

from dlc import arch
from dlc.analysis.evaluation import constant_value, is_known
from dlc.analysis.stored_byte import stored_bytes
from dlc.analysis.uniform_factor import against_result, uniform_shape
from dlc.arch import instructions
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.rewrite import OpRewrite, apply_patterns
from dlc.core.weights import WeightStore
from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.elementwise import SubOp
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import element_type, numpy_dtype, shape

_BYTE = IntegerType(8, Signedness.UNSIGNED)


@dataclass(frozen=True)
class GraphSplitZeroPointsPass(DlcPass):
    """Write a contraction of ``a - p`` and ``b - q``, 8-bit integers and their zero points, as one
    of ``a`` and ``b`` and sums of their rows and columns.

    ``(a - p) @ (b - q) = a @ b - p * (1 @ b) - q * (a @ 1 - p * (1 @ 1))``, where ``1`` is a factor
    of ones. Integers wrap around on both sides, so the bits are the same. ``a`` and ``b`` need not
    be widened to hold the difference, and instructions for 8 bits multiply them. A zero point that
    is known to be 0 has no term. A constant factor of 32 bits is made of 8 if its values are near
    enough. Sums of a constant factor are constants, which
    ``graph-fold-constants`` computes. Where a window reaches into the padding, which holds zeros
    and no zero points, the sums differ from place to place, and ``1 @ b`` has all of them.

    On a chip without an instruction for 8 bits, where the product gains nothing but shorter
    factors, one that needs sums at run time is left alone.

    Runs on: ``graph``. Leaves: ``graph``. Order: before ``graph-fold-constants``, which widens
    constant factors.

    ::

        %0 = graph.cast %a {to = i32}       %0 = graph.matmul %a, %b : (..ui8, ..i8) -> ..i32
        %1 = graph.sub %0, %p           ->  %1 = graph.splat 1 : i8 -> tensor<1x64xi8>
        %2 = graph.cast %b {to = i32}       %2 = graph.matmul %1, %b
        %y = graph.matmul %1, %2            %3 = graph.mul %p, %2
                                            %y = graph.sub %0, %3
    """

    name = "graph-split-zero-points"

    arch: str = arch.DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        bytes = instructions.multiplies_bytes(arch.by_name(self.arch))
        apply_patterns(op, [_Split(dlc_context(ctx).weights, bytes)], ctx)


@dataclass(frozen=True)
class _Quantized:
    """A factor ``x - zero_point`` with ``x`` of 8 bits; ``None`` is a zero point of 0. The zero
    point has the rank of the result, against which it broadcasts.
    """

    x: SSAValue
    zero_point: SSAValue | None


@dataclass(frozen=True)
class _Factor:
    """A factor that is made of 8 bits, before anything is written. is_shifted: whether it has a
    zero point that may not be 0.
    """

    is_known: bool
    is_shifted: bool
    write: Callable[[Composer], _Quantized]


@dataclass
class _Split(OpRewrite[ContractionOp]):
    """worth_sums: whether to add up factors that are made at run time."""

    weights: WeightStore
    worth_sums: bool

    def rewrite(self, op: ContractionOp, rewriter: PatternRewriter) -> None:
        def insert(new: GraphOp) -> SSAValue:
            rewriter.insert(new)
            return new.results[0]

        if any(element_type(x) != i32 for x in op.operands[:2]):
            return
        left, right = (self._factor(op, number) for number in (0, 1))
        if left is None or right is None:
            return
        if self.worth_sums or not _adds_at_run_time(left, right):
            g = Composer(insert)
            rewriter.replace(op, [], [_product(op, left.write(g), right.write(g), g)])

    def _factor(self, op: ContractionOp, number: int) -> _Factor | None:
        """Return what a factor is made of; ``None`` where that is not 8 bits, or its zero point
        varies along the sum.
        """
        factor = op.operands[number]
        x = stored_bytes(factor)
        if x is None:
            return self._constant(factor)
        if not isinstance(source := factor.owner, SubOp) or _is_zero(source.rhs, self.weights):
            return _Factor(is_known(x), False, lambda g: _Quantized(x, None))
        sizes, zero_point = against_result(op, number, shape(source.rhs)), source.rhs
        if sizes is None:
            return None
        return _Factor(is_known(x), True, lambda g: _Quantized(x, g.reshape(zero_point, sizes)))

    def _constant(self, factor: SSAValue) -> _Factor | None:
        """Return the same for a constant whose values are at most 255 apart."""
        array = _known(factor, self.weights)
        if array is None or not array.size:
            return None
        low, high = int(array.min()), int(array.max())
        for element in (i8, _BYTE):
            limits = np.iinfo(numpy_dtype(element))
            if limits.min <= low and high <= limits.max:
                return _Factor(
                    True, False, lambda g, to=element: _Quantized(g.cast(factor, to), None)
                )
        if high - low > np.iinfo(np.uint8).max:
            return None
        zero_point = -low

        def write(g: Composer) -> _Quantized:
            point = g.splat(zero_point, i32)
            return _Quantized(g.cast(g.add(factor, point), _BYTE), point)

        return _Factor(True, True, write)


def _adds_at_run_time(left: _Factor, right: _Factor) -> bool:
    """Return whether the zero point of one factor needs sums of the other that are no constants."""
    return (right.is_shifted and not left.is_known) or (left.is_shifted and not right.is_known)


def _is_zero(value: SSAValue, weights: WeightStore) -> bool:
    """Return whether a tensor is known to be 0 everywhere."""
    source = value.owner
    if isinstance(source, CastOp) or (isinstance(source, GraphOp) and source.is_view):
        return _is_zero(source.operands[0], weights)
    found = _known(value, weights)
    return found is not None and not found.any()


def _known(value: SSAValue, weights: WeightStore) -> Array | None:
    source = value.owner
    if isinstance(source, WeightOp) and source.symbol.string_value() not in weights:
        return None
    return constant_value(value, weights)


def _product(op: ContractionOp, left: _Quantized, right: _Quantized, g: Composer) -> SSAValue:
    """Write the contraction of the stored integers and the terms of the zero points."""

    def times(lhs: SSAValue, rhs: SSAValue) -> SSAValue:
        return g.insert(op.with_operands([lhs, rhs, *op.operands[2:]]))

    def less(y: SSAValue, zero_point: SSAValue, sums: SSAValue) -> SSAValue:
        return g.sub(y, g.mul(zero_point, sums))

    left_ones, right_ones = (g.splat(1, i8, uniform_shape(op, number)) for number in (0, 1))
    y = times(left.x, right.x)
    if left.zero_point is not None:
        y = less(y, left.zero_point, times(left_ones, right.x))
    if right.zero_point is not None:
        sums = times(left.x, right_ones)
        if left.zero_point is not None:
            sums = less(sums, left.zero_point, times(left_ones, right_ones))
        y = less(y, right.zero_point, sums)
    return y
