"""Compute positions and conditions once where a loop does not change them."""

from xdsl.context import Context
from xdsl.dialects.builtin import IndexType, ModuleOp, i1
from xdsl.ir import Operation
from xdsl.traits import Pure

from dlc.core.passes import DlcPass
from dlc.dialects.loop import ForOp, KernelOp
from dlc.dialects.loop.attributes import LoopMap


class LoopHoistIndicesPass(DlcPass):
    """Move what computes an index or a condition out of serial loops that do not change it, and out
    of the branches within: it has no effect, is cheap, and each thread may keep it in a register.

    Other values stay where they are computed, so that no long-lived register is spent on them.

    Runs on: ``loop``. Leaves: ``loop``. Order: after ``loop-assign-stages``, whose copies are at
    positions that mostly do not depend on the slice.

    ::

        loop.for %k = 0 to 9 map = serial {   ->  %r = loop.index [%t floordiv 9]
          %r = loop.index [%t floordiv 9]         loop.for %k = 0 to 9 map = serial {
          gpu.cp_async %x[%r, %k] ..                gpu.cp_async %x[%r, %k] ..
        }                                         }
    """

    name = "loop-hoist-indices"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for loop in [o for o in kernel.walk() if isinstance(o, ForOp)]:
                    if loop.map.data is LoopMap.SERIAL:
                        _hoist(loop)


def _hoist(loop: ForOp) -> None:
    block = loop.parent_block()
    assert block is not None
    for op in tuple(loop.body.walk()):
        if _is_position(op) and not any(loop.is_ancestor(v.owner) for v in op.operands):
            op.detach()
            block.insert_op_before(op, loop)


def _is_position(op: Operation) -> bool:
    types = [r.type for r in op.results]
    return op.has_trait(Pure) and bool(types) and all(t in (IndexType(), i1) for t in types)
