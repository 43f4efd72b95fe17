"""Arithmetic, choices and conversions."""

from xdsl.dialects.builtin import StringAttr
from xdsl.ir import SSAValue

from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.comparison import CompareOp, WhereOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.copy import CopyOp
from dlc.dialects.graph.elementwise import (
    AbsOp,
    AddOp,
    DivOp,
    MaxOp,
    MinOp,
    MulOp,
    NegOp,
    PowOp,
    SignOp,
    SubOp,
)
from dlc.dialects.graph.gradient.rules import gradient_of
from dlc.dialects.graph.wide import NarrowOp, WidenOp
from dlc.ir.tensor import element_type


def negated(g: Composer, x: SSAValue) -> SSAValue:
    """Write ``-x``."""
    return g.insert(NegOp.make(x))


@gradient_of(AddOp, CopyOp)
def _add(op: AddOp | CopyOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return dy


@gradient_of(SubOp)
def _sub(op: SubOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return negated(g, dy) if number else dy


@gradient_of(NegOp)
def _neg(op: NegOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return negated(g, dy)


@gradient_of(MulOp)
def _mul(op: MulOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.mul(dy, op.operands[1 - number])


@gradient_of(DivOp)
def _div(op: DivOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``dy / b``, and ``-dy * y / b``."""
    quotient = g.div(dy, op.rhs)
    return negated(g, g.mul(quotient, op.output)) if number else quotient


@gradient_of(PowOp)
def _pow(op: PowOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """``dy * b * a ** (b - 1)``, and ``dy * y * ln(a)``."""
    if number:
        return g.mul(dy, g.mul(op.output, g.log(op.lhs)))
    lower = g.pow(op.lhs, g.sub(op.rhs, g.like(1, op.rhs)))
    return g.mul(dy, g.mul(op.rhs, lower))


@gradient_of(MaxOp, MinOp)
def _extremum(op: MaxOp | MinOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    """All of it to the operand that is chosen; of equal ones to the first."""
    is_first = g.insert(CompareOp.make(op.output, op.lhs, predicate=StringAttr("eq")))
    zero = g.like(0, dy)
    return g.where(is_first, zero, dy) if number else g.where(is_first, dy, zero)


@gradient_of(WhereOp)
def _where(op: WhereOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    zero = g.like(0, dy)
    return g.where(op.condition, *((dy, zero) if number == 1 else (zero, dy)))


@gradient_of(AbsOp)
def _abs(op: AbsOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.mul(dy, g.insert(SignOp.make(op.x)))


@gradient_of(CastOp)
def _cast(op: CastOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.cast(dy, element_type(op.x))


@gradient_of(WidenOp)
def _widen(op: WidenOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.insert(NarrowOp.make(dy))


@gradient_of(NarrowOp)
def _narrow(op: NarrowOp, g: Composer, dy: SSAValue, number: int) -> SSAValue:
    return g.insert(WidenOp.make(dy))
