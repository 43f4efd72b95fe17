"""Which values are the same in all threads of a block: where all of them go the same way."""

from xdsl.dialects import arith, scf
from xdsl.ir import BlockArgument, Operation, SSAValue
from xdsl.traits import Pure

from dlc.dialects import gpu
from dlc.dialects.loop import ForOp


def is_uniform(value: SSAValue) -> bool:
    """Return whether ``value`` is surely the same in all threads of a block.

    Ids of threads and what is read from memory or other lanes are not.
    """
    if isinstance(value, BlockArgument):
        parent = value.block.parent_op()
        return isinstance(parent, gpu.KernelOp) or (
            value.index == 0 and parent is not None and runs_uniformly(parent)
        )
    op = value.owner
    assert isinstance(op, Operation)
    if isinstance(op, gpu.ThreadIdOp) or not op.has_trait(Pure):
        return False
    return all(map(is_uniform, op.operands))


def runs_uniformly(op: Operation) -> bool:
    """Return whether all threads that reach ``op`` go through its regions equally often."""
    match op:
        case scf.IfOp():
            return is_uniform(op.cond)
        case scf.ForOp():
            return all(map(is_uniform, (op.lb, op.ub, op.step)))
        case _:
            return isinstance(op, gpu.KernelOp | ForOp | arith.ConstantOp)
