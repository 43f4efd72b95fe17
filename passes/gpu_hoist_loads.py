"""Load before the first of a row of operations stores."""

from collections.abc import Iterator, Sequence, Set
from itertools import groupby

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator, Pure

from dlc.analysis.late_load import LateLoad, late_load
from dlc.analysis.owner import global_accesses
from dlc.analysis.unrolled import neighbours_in
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp
from dlc.ir.order import OrderingOp
from dlc.lowering.straight import HELD_ELEMENTS

MOST_REGISTERS = HELD_ELEMENTS
"""That loads which come earlier may fill at a time."""


class GpuHoistLoadsPass(DlcPass):
    """Loads of inputs that stand behind a store come before it, where they are under way together
    with those that stand there. An unrolled loop that loads and stores is written out for that.

    Only of inputs that launches before the kernel's own may write: the text does not say that they
    are constant, and no compiler moves such a load across a store. Others it moves by itself.

    Stays: a loop that carries values or would fill more than 32 registers of a thread; what depends
    on memory, or stands behind an operation at which threads wait; what would fill more than 32
    registers with those before it.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after ``gpu-merge-loads``.

    ::

        scf.for %v = 0 to 2 {              ->  gpu.copy %x[0] to %a[0]
          gpu.copy %x[%v * 8] to %r[0]         gpu.copy %x[8] to %b[0]
          ...                                  ...
          gpu.copy %s[0] to %y[%v * 8]         gpu.copy %s[0] to %y[0]
        } {unroll}                             ...
    """

    name = "gpu-hoist-loads"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp) and kernel.constant_inputs is not None:
                for loop in reversed([o for o in kernel.walk() if isinstance(o, scf.ForOp)]):
                    if _loads_in_rounds(kernel, loop):
                        _write_out(loop)
                blocks = [block for o in kernel.walk() for r in o.regions for block in r.blocks]
                for ops in (ops for block in blocks for ops in _runs(block)):
                    _load_first(kernel, ops)


def _loads_in_rounds(kernel: KernelOp, loop: scf.ForOp) -> bool:
    """Return whether rounds load what may come before the first of them stores."""
    body = list(loop.body.block.ops)
    if loop.iter_args or neighbours_in(loop) < 2 or not any(map(_stores, body)):
        return False
    if any(isinstance(inner, OrderingOp) for op in body for inner in op.walk()):
        return False
    loads = [load for op in body if (load := late_load(kernel, op)) is not None]
    free = [load for load in loads if _needed(load, {*body}) is not None]
    return 0 < neighbours_in(loop) * sum(load.registers for load in free) <= MOST_REGISTERS


def _stores(op: Operation) -> bool:
    return any(access.writes for inner in op.walk() for access in global_accesses(inner))


def _write_out(loop: scf.ForOp) -> None:
    """Replace a loop by its rounds."""
    block = loop.parent_block()
    assert block is not None
    for number in range(neighbours_in(loop)):
        at = arith.ConstantOp(IntegerAttr(number, IndexType()))
        at.location = loop.location
        block.insert_op_before(at, loop)
        known: dict[SSAValue, SSAValue] = {loop.body.block.args[0]: at.result}
        for op in loop.body.block.ops:
            if not op.has_trait(IsTerminator):
                block.insert_op_before(op.clone(known), loop)
    loop.detach()
    loop.erase()


def _runs(block: Block) -> Iterator[Sequence[Operation]]:
    """Yield what stands between operations that are ordered."""

    def orders(op: Operation) -> bool:
        return any(isinstance(inner, OrderingOp) for inner in op.walk())

    for is_ordered, ops in groupby(block.ops, orders):
        if not is_ordered:
            yield list(ops)


def _load_first(kernel: KernelOp, ops: Sequence[Operation]) -> None:
    """Move loads that stand behind a store to the loads before it, or else before it."""
    loads = {op: load for op in ops if (load := late_load(kernel, op)) is not None}
    store = next((n for n, op in enumerate(ops) if _stores(op)), len(ops))
    last = max((n for n, op in enumerate(ops[:store]) if op in loads), default=store)
    moved, room = set[Operation](), MOST_REGISTERS
    for load in (loads[op] for op in ops[store:] if op in loads):
        needed = _needed(load, {*ops[last:]} - moved)
        if needed is not None and load.registers <= room:
            moved |= needed
            room -= load.registers
    for op in moved:
        op.detach()
    if moved:
        place = InsertPoint.before if last == store else InsertPoint.after
        Rewriter.insert_op([op for op in ops if op in moved], place(ops[last]))


def _needed(load: LateLoad, behind: Set[Operation]) -> set[Operation] | None:
    """Return what a load needs of the operations behind a place, itself among them; ``None`` where
    that is more than indices.
    """
    found = {op for op in load.ops if op in behind}
    todo = [value.owner for op in load.ops for value in op.operands]
    while todo:
        owner = todo.pop()
        if isinstance(owner, Operation) and owner in behind - found:
            if not owner.has_trait(Pure) or owner.regions:
                return None
            found.add(owner)
            todo += [value.owner for value in owner.operands]
    return found
