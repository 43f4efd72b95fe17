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
    source = op.input.type
    if not isinstance(source, IntegerType) or source.width.data > 32:
        return UNKNOWN
    half = 1 << (source.width.data - 1)
    return Interval(-half, half - 1)


@_result_range.register
def _(op: arith.MinSIOp) -> Interval:
    pairs = zip(range_of(op.lhs), range_of(op.rhs), strict=True)
    low, high = ([n for n in pair if n is not None] for pair in pairs)
    return Interval(min(low) if len(low) == 2 else None, min(high, default=None))
