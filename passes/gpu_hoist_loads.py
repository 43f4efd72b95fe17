"""Load for all rounds of a loop before the first of them stores."""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.traits import IsTerminator, Pure

from dlc.analysis.late_load import LateLoad, late_load
from dlc.analysis.owner import global_accesses
from dlc.analysis.unrolled import neighbours_in
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp
from dlc.ir.order import OrderingOp
from dlc.lowering.straight import HELD_ELEMENTS

MOST_REGISTERS = HELD_ELEMENTS
"""That the loads of a loop may fill at a time."""


class GpuHoistLoadsPass(DlcPass):
    """An unrolled loop that loads inputs and stores results is written out, all loads first: they
    are under way together.

    Only of inputs that launches before the kernel's own may write: the text does not say that they
    are constant, and no compiler moves such a load across a store. Others it moves by itself.

    Stays: a loop that carries values, waits for others, loads what depends on memory, or would fill
    more than 32 registers of a thread.

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
                    _hoist(kernel, loop)


def _hoist(kernel: KernelOp, loop: scf.ForOp) -> None:
    rounds = neighbours_in(loop)
    body = [op for op in loop.body.block.ops if not op.has_trait(IsTerminator)]
    if rounds < 2 or loop.iter_args or not _stores_freely(body):
        return
    first = _what_loads(kernel, body)
    loads = [load for op in first if (load := late_load(kernel, op)) is not None]
    if not loads or rounds * sum(load.registers for load in loads) > MOST_REGISTERS:
        return
    _write_out(loop, rounds, first, [op for op in body if op not in first])


def _stores_freely(body: Sequence[Operation]) -> bool:
    """Return whether some operations write to global memory, and wait for nobody."""
    inside = [inner for op in body for inner in op.walk()]
    waits = any(isinstance(op, OrderingOp) for op in inside)
    return not waits and any(access.writes for op in inside for access in global_accesses(op))


def _what_loads(kernel: KernelOp, body: Sequence[Operation]) -> set[Operation]:
    """Return the loads of a body and what they need, of which nothing depends on memory."""
    free = set[Operation]()
    loads: list[LateLoad] = []
    for op in body:
        load = late_load(kernel, op)
        if any(v.owner in body and v.owner not in free for v in _needs(op, load)):
            continue
        if load is not None:
            loads.append(load)
        elif op.has_trait(Pure) and not op.regions:
            free.add(op)
    found = {op for load in loads for op in load.ops}
    for op in reversed(body):
        if op in free and any(u.operation in found for r in op.results for u in r.uses):
            found.add(op)
    return found


def _needs(op: Operation, load: LateLoad | None) -> Sequence[SSAValue]:
    """Return the operands that must be there before, a load's own registers not among them."""
    own = () if load is None else load.ops
    return [value for value in op.operands if value.owner not in own]


def _write_out(
    loop: scf.ForOp, rounds: int, first: set[Operation], rest: Sequence[Operation]
) -> None:
    """Replace a loop by the ``first`` operations of all rounds, then the ``rest`` of each."""
    block = loop.parent_block()
    assert block is not None
    body = list(loop.body.block.ops)
    known: list[dict[SSAValue, SSAValue]] = []
    for number in range(rounds):
        at = arith.ConstantOp(IntegerAttr(number, IndexType()))
        at.location = loop.location
        block.insert_op_before(at, loop)
        known.append({loop.body.block.args[0]: at.result})
    for part in ([op for op in body if op in first], rest):
        for values in known:
            for op in part:
                block.insert_op_before(op.clone(values), loop)
    loop.detach()
    loop.erase()
