"""Which values are the same in all threads of a group: where all of them go the same way."""

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.traits import Pure

from dlc.arch.scope import Scope
from dlc.dialects import gpu
from dlc.dialects.loop import ForOp
from dlc.ir.access import BoundedIndex


def is_uniform(value: SSAValue, scope: Scope = Scope.BLOCK) -> bool:
    """Return whether ``value`` is surely the same in all threads of a ``scope``.

    Ids that differ there and what is read from memory or other lanes are not.
    """
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        return isinstance(parent, gpu.KernelOp) or (
            value.index == 0 and parent is not None and runs_uniformly(parent, scope)
        )
    op = value.owner
    assert isinstance(op, Operation)
    varies = isinstance(op, BoundedIndex) and scope > op.SAME_IN
    if varies or not op.has_trait(Pure):
        return False
    return all(is_uniform(operand, scope) for operand in op.operands)


def runs_uniformly(op: Operation, scope: Scope = Scope.BLOCK) -> bool:
    """Return whether all threads of a ``scope`` that reach ``op`` go through its regions equally
    often.
    """
    match op:
        case scf.IfOp():
            return is_uniform(op.cond, scope)
        case scf.ForOp():
            return all(is_uniform(bound, scope) for bound in (op.lb, op.ub, op.step))
        case _:
            return isinstance(op, gpu.KernelOp | ForOp | arith.ConstantOp)
