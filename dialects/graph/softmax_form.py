"""The ops that a softmax is decomposed into, found again from what reads its result."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Operation, SSAValue

from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.comparison import IsNanOp, WhereOp
from dlc.dialects.graph.elementwise import DivOp, SubOp
from dlc.dialects.graph.math import ExpOp
from dlc.dialects.graph.pattern import constant_number
from dlc.dialects.graph.reduction import OverAxes, ReduceMaxOp, ReduceSumOp
from dlc.ir.tensor import element_type, is_float, shape


@dataclass(frozen=True)
class SoftmaxForm:
    """A softmax along the last axis, in ops.

    x: what it is of. ops: all of them, casts between floats included. zero: whether the weights of
    a row are zero where its total is no number, as PyTorch has them; without it they are NaN.
    """

    x: SSAValue
    ops: Sequence[Operation]
    zero: bool


def softmax_form(weights: SSAValue) -> SoftmaxForm | None:
    """Return the softmax that gives a tensor; ``None`` where none does."""
    ops: list[Operation] = []
    value, zero = _without_nan(_plain(weights, ops), ops)
    if value is None or not isinstance(division := value.owner, DivOp):
        return None
    exponential, total = (_plain(x, ops) for x in division.operands)
    exp, sum = exponential.owner, total.owner
    if not isinstance(exp, ExpOp) or not isinstance(sum, ReduceSumOp):
        return None
    if not isinstance(subtraction := _plain(exp.operands[0], ops).owner, SubOp):
        return None
    x, largest = (_plain(each, ops) for each in subtraction.operands)
    if not isinstance(maximum := largest.owner, ReduceMaxOp):
        return None
    read = _plain(maximum.x, ops), _plain(sum.x, ops)
    if read != (x, exponential) or not _are_rows(maximum, sum):
        return None
    return SoftmaxForm(x, [*ops, division, exp, sum, subtraction, maximum], zero)


def _without_nan(value: SSAValue, ops: list[Operation]) -> tuple[SSAValue | None, bool]:
    """Return what a tensor has where it is a number, and whether it is zero elsewhere; ``None``
    where it is something else there.
    """
    choice = value.owner
    if not isinstance(choice, WhereOp):
        return value, False
    condition, number, other = choice.operands
    test, found = condition.owner, _plain(other, ops)
    if not isinstance(test, IsNanOp) or constant_number(number) != 0:
        return None, False
    if _plain(test.operands[0], ops) is not found:
        return None, False
    ops += [choice, test]
    return found, True


def _plain(value: SSAValue, ops: list[Operation]) -> SSAValue:
    """Return a value before casts between floats, which are noted."""
    while isinstance(cast := value.owner, CastOp) and is_float(element_type(cast.x)):
        ops.append(cast)
        value = cast.x
    return value


def _are_rows(*reductions: OverAxes) -> bool:
    """Whether reductions are along the last axis, and keep it."""
    last = (len(shape(reductions[0].operands[0])) - 1,)
    return all(op.reduced == last and op.properties.get("keep_dims") for op in reductions)
