"""The remainder of floats, which ``arith`` has no operation for."""

from typing import ClassVar

from xdsl.dialects.builtin import AnyFloatConstr
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    VarConstraint,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure


@irdl_op_definition
class RemfOp(IRDLOperation):
    """``output = lhs - rhs * trunc(lhs / rhs)``, exactly: C's ``fmod``, MLIR's ``arith.remf``.

    The result has the sign of ``lhs``. It is NaN where ``lhs`` is infinite or ``rhs`` is zero, and
    ``lhs`` where only ``rhs`` is infinite.

    ``%r = loop.remf %x, %y : f32``
    """

    T: ClassVar = VarConstraint("T", AnyFloatConstr)

    name = "loop.remf"
    lhs = operand_def(T)
    rhs = operand_def(T)
    output = result_def(T)
    traits = traits_def(Pure())
    assembly_format = "$lhs `,` $rhs attr-dict `:` type($output)"

    def __init__(self, lhs: SSAValue, rhs: SSAValue):
        super().__init__(operands=[lhs, rhs], result_types=[lhs.type])
