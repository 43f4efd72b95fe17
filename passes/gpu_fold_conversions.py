"""Copy bit by bit what is loaded only to be stored as the same type."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from dlc.analysis.changes import Changes
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import CopyOp, KernelOp
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop import LoadOp, StoreOp
from dlc.dialects.loop.memory import buffer_element
from dlc.ir.access import Access


class GpuFoldConversionsPass(DlcPass):
    """A load and the store of its value become a copy of one element, where both have one stored
    type: it is not widened and rounded again.

    The load moves to the store: not where its buffer may be written in between, by other threads
    too, not out of a loop or condition, and not where something else reads the value.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``gpu-vectorize-memory``, which makes such pairs
    of moves between buffers.

    ::

        %a = loop.load %x[%i] : memref<64xf16> -> f32   ->   gpu.copy %x[%i] to %y[%j]
        loop.store %a, %y[%j] : f32 -> memref<64xf16>            {elements = 1}
    """

    name = "gpu-fold-conversions"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for store in [o for o in kernel.walk() if isinstance(o, StoreOp)]:
                    _fold(store)


def _fold(store: StoreOp) -> None:
    load = store.value.owner
    if not isinstance(load, LoadOp) or not load.value.has_one_use() or load.guard_axes:
        return
    if buffer_element(load.buffer) != buffer_element(store.buffer) or not _may_move(load, store):
        return
    source, destination = map(_place, (load.accesses()[0], store.accesses()[0]))
    Rewriter.replace_op(store, CopyOp(source, destination, 1))
    Rewriter.erase_op(load)


def _place(access: Access) -> Place:
    return access.buffer, list(access.map.results), list(access.operands)


def _may_move(load: LoadOp, store: StoreOp) -> bool:
    """Return whether the load can move to the store."""
    block = load.parent_block()
    if block is None or block is not store.parent_block():
        return False
    ops = list(block.ops)
    between = Changes(ops[ops.index(load) + 1 : ops.index(store)])
    return not between.may_change(load.buffer)
