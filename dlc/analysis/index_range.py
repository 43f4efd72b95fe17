"""The range of an index value: what proves that it fits 32 bits or is not negative."""

from functools import singledispatch

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IntegerAttr, IntegerType
from xdsl.ir import BlockArgument, Operation, SSAValue

from dlc.core.affine import UNKNOWN, Interval, Ranges, extent, interval_of
from dlc.dialects.loop import ForOp, IndexOp, RolesOp, StageOp
from dlc.ir.access import BoundedIndex


def range_of(value: SSAValue) -> Interval:
    """Return an interval that holds every value that ``value`` takes."""
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        if isinstance(parent, StageOp):
            return extent(parent.sizes[value.index])
        if isinstance(parent, RolesOp):
            return extent(parent.sizes[parent.number_of(value.block)])
        return UNKNOWN if parent is None or value.index else _induction_range(parent)
    assert isinstance(value.owner, Operation)
    return _result_range(value.owner)


@singledispatch
def _induction_range(loop: Operation) -> Interval:
    """Return the range of the first argument of a loop's body."""
    return UNKNOWN


@_induction_range.register
def _(loop: scf.ForOp) -> Interval:
    low, high = range_of(loop.lb).low, range_of(loop.ub).high
    return Interval(low, None if high is None else high - 1)


@_induction_range.register
def _(loop: ForOp) -> Interval:
    values = loop.range
    return Interval(values[0], values[-1]) if values else UNKNOWN


@singledispatch
def _result_range(op: Operation) -> Interval:
    return UNKNOWN


@_result_range.register
def _(op: BoundedIndex) -> Interval:
    low, end = op.bounds
    return Interval(low, end - 1)


@_result_range.register
def _(op: arith.ConstantOp) -> Interval:
    if not isinstance(op.value, IntegerAttr):
        return UNKNOWN
    return Interval(op.value.value.data, op.value.value.data)


@_result_range.register
def _(op: IndexOp) -> Interval:
    return interval_of(op.expr, Ranges([range_of(v) for v in op.indices]))


@_result_range.register
def _(op: arith.SelectOp) -> Interval:
    one, other = range_of(op.lhs), range_of(op.rhs)
    low = None if one.low is None or other.low is None else min(one.low, other.low)
    high = None if one.high is None or other.high is None else max(one.high, other.high)
    return Interval(low, high)


@_result_range.register
def _(op: arith.IndexCastOp) -> Interval:
    known = range_of(op.input)
    source = op.input.type
    if known != UNKNOWN or not isinstance(source, IntegerType) or source.width.data > 32:
        return known
    half = 1 << (source.width.data - 1)
    return Interval(-half, half - 1)


@_result_range.register
def _(op: arith.MinSIOp) -> Interval:
    lows, highs = _ends(op.lhs, op.rhs)
    return Interval(min(lows) if len(lows) == 2 else None, min(highs, default=None))


@_result_range.register
def _(op: arith.MaxSIOp) -> Interval:
    lows, highs = _ends(op.lhs, op.rhs)
    return Interval(max(lows, default=None), max(highs) if len(highs) == 2 else None)


def _ends(one: SSAValue, other: SSAValue) -> tuple[list[int], list[int]]:
    """Return the lower limits that are known, and the upper ones."""
    lows, highs = zip(range_of(one), range_of(other), strict=True)
    return [n for n in lows if n is not None], [n for n in highs if n is not None]
