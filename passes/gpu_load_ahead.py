"""Load early what a kernel needs late."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import ceil, prod

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.earlier_launch import touches_earlier
from dlc.analysis.index_expression import constant_of
from dlc.analysis.index_range import range_of
from dlc.analysis.load_ahead import LoadAhead, loads_behind
from dlc.arch import DEFAULT_TARGET, GpuArch, gpu_by_name
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import CopyOp, KernelOp, RegisterAllocOp
from dlc.dialects.gpu.unroll import UNROLL
from dlc.ir.order import OrderingOp
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.load_nest import LoadNest

_MOST_BLOCKS = 2
"""Of an SM: where it has more, others hide what one of them waits for."""

_OTHER_REGISTERS = 48
"""Of a thread, beside its buffers and what it loads ahead."""


@dataclass(frozen=True)
class GpuLoadAheadPass(DlcPass):
    """A kernel loads early what it needs late, such as a bias or a residual, so that it need not
    wait for it then.

    1. What launches do not write, ``constant_inputs``, comes before what they do: it arrives while
       the kernel waits for the launches before its own.
    2. What is loaded behind a main loop comes before that: it arrives while the loop waits for its
       slices.

    It goes to registers. Its place and the conditions around it are computed again; a condition
    without which the place is inside of the buffer falls away.

    Only where a block has the loop once, an SM has at most two blocks, and registers are free: else
    other tiles or blocks hide a load. Of loads that need more registers than there are, the first
    ones move.

    Stays: a load whose place or condition needs what comes in between or a value of memory, in a
    loop that is not unrolled, or in a condition with two branches; and loads of what the kernel
    writes.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: before ``gpu-hoist-loads``.

    ::

        scf.for %k = 0 to 12 { wait .. }      ->  scf.for %v = 0 to 4 {
        scf.for %v = 0 to 4 {                       scf.if %row(%v) { gpu.copy %x[%v] to %a[%v] }
          scf.if %row(%v) {                       } {unroll}
            gpu.copy %x[%v] to %r[0]              scf.for %k = 0 to 12 { wait .. }
            ...                                   scf.for %v = 0 to 4 {
          }                                         scf.if %row(%v) {
        } {unroll}                                    gpu.copy %a[%v] to %r[0]
                                                      ...
    """

    arch: str = DEFAULT_TARGET

    name = "gpu-load-ahead"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = gpu_by_name(self.arch)
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                _load_ahead(kernel, _registers(kernel, chip))


def _load_ahead(kernel: KernelOp, registers: int) -> None:
    """Load ahead into so many registers, less those that a kernel has for other buffers."""
    for first in _waits_for_launches(kernel):
        _move(kernel.early_buffers, first, registers - _held(kernel.walk()))
    for loop in list(_main_loops(kernel)):
        for inputs in (kernel.early_buffers, kernel.input_buffers):
            _move(inputs, loop, registers - _held([*loop.walk(), *_before(loop)]))


def _registers(kernel: KernelOp, chip: GpuArch) -> int:
    """Return how many registers a thread has for buffers."""
    blocks = ceil(prod(kernel.grid_size) / chip.sm_count)
    if blocks > _MOST_BLOCKS:
        return 0
    each = chip.registers_per_sm // (blocks * kernel.threads)
    return min(chip.max_registers_per_thread, each) - _OTHER_REGISTERS


def _held(ops: Iterable[Operation]) -> int:
    """Return how many registers buffers hold."""
    return sum(op.registers for op in ops if isinstance(op, RegisterAllocOp))


def _before(op: Operation) -> Iterator[Operation]:
    before = op.prev_op
    while before is not None:
        yield before
        before = before.prev_op


def _waits_for_launches(kernel: KernelOp) -> list[Operation]:
    """Return the operation before which a kernel that may begin early has to wait."""
    if kernel.constant_inputs is None:
        return []
    return [op for op in kernel.body.block.ops if touches_earlier(op, kernel)][:1]


def _main_loops(kernel: KernelOp) -> Iterator[scf.ForOp]:
    """Yield the loops in which a block waits, and that it has once."""
    for op in kernel.walk():
        if not isinstance(op, scf.ForOp) or UNROLL.marks(op):
            continue
        if _waits(op) and all(map(_runs_once, _loops_around(op))):
            yield op


def _waits(loop: scf.ForOp) -> bool:
    return any(isinstance(op, OrderingOp) and op.acquires is not None for op in loop.walk())


def _loops_around(op: Operation) -> Iterator[scf.ForOp]:
    parent = op.parent_op()
    while parent is not None:
        if isinstance(parent, scf.ForOp):
            yield parent
        parent = parent.parent_op()


def _runs_once(loop: scf.ForOp) -> bool:
    """Return whether a loop has one iteration at most."""
    low, high, step = range_of(loop.lb).low, range_of(loop.ub).high, constant_of(loop.step)
    if low is None or high is None or step is None:
        return False
    return high <= low + step


def _move(inputs: Sequence[SSAValue], first: Operation, registers: int) -> None:
    """Load ``inputs`` before an operation that are loaded behind it, into so many registers."""
    for load in list(loads_behind(inputs, first)):
        if load.registers <= registers:
            registers -= load.registers
            _load_before(first, load)


def _load_before(first: Operation, load: LoadAhead) -> None:
    source, destination = load.copy.accesses()
    type = MemRefType(
        source.type.element_type,
        [*load.rounds, source.elements],
        memory_space=SpaceAttr(Space.REGISTER),
    )
    held = RegisterAllocOp(type)
    nest = LoadNest(load, held.output, {})
    place = destination.buffer, destination.map.results, destination.operands
    read = CopyOp(nest.place(load.positions), place, source.elements)
    ahead = [held, *nest.ops()]
    for op in (*ahead, read):
        op.location = load.copy.location
    Rewriter.insert_op(ahead, InsertPoint.before(first))
    Rewriter.replace_op(load.copy, read)
