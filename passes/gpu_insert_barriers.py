"""Make the threads of a block wait where one may touch memory that another has touched."""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from dlc.analysis.owner import exchanged_buffers, global_accesses, is_owned
from dlc.analysis.shared_conflict import (
    Conflicts,
    Pending,
    exposed_accesses,
    is_block_barrier,
    shared_accesses,
    waits_for_a_token,
)
from dlc.analysis.uniformity import runs_uniformly
from dlc.arch.scope import Scope
from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import BarrierOp, KernelOp
from dlc.errors import CompileError
from dlc.ir.access import Access
from dlc.ir.space import Space, space_of


class GpuInsertBarriersPass(DlcPass):
    """A barrier stands between two accesses to a shared buffer, at least one of them a write,
    unless they are at different places in any two threads. So it does between a write and a read of
    a global buffer, unless each thread reads what it has written itself; no lowering writes one
    element of it twice. Behind a wait for a token of other threads, up to the next barrier or the
    end of the condition or loop, tokens order accesses, and no barrier is inserted; the simulator
    checks them.

    1. Walk the operations in order and keep what was touched since the last barrier.
    2. Before an operation that needs one, insert a barrier in its block: outside of loops and
       conditions that touch memory inside, so that all threads reach it.
    3. Walk loop bodies twice; the second time with what the iteration before has touched.

    Runs on: ``gpu``. Leaves: ``gpu``. Order: after everything that touches shared memory is
    written, before ``gpu-allocate-shared``, which lets buffers share bytes across barriers.
    """

    name = "gpu-insert-barriers"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                _Walk(kernel).block(kernel.body.block, [], uniform=True)


class _Walk:
    """Goes over a kernel in order."""

    def __init__(self, kernel: KernelOp):
        self.kernel = kernel
        self.exchanged = exchanged_buffers(kernel)
        self._by_tokens = False  # whether tokens order what comes next
        self._conflicts = Conflicts()
        self._accesses: dict[Operation, list[Access]] = {}  # an op of a body is met several times

    def _touched(self, op: Operation) -> list[Access]:
        found = self._accesses.get(op)
        if found is None:
            found = shared_accesses(op)
            if self.exchanged:
                found += [a for a in global_accesses(op) if a.buffer in self.exchanged]
            found = self._accesses[op] = [self._conflicts.one(access) for access in found]
        return found

    def _must_wait(self, later: Access, earlier: Pending) -> bool:
        if self._by_tokens or not self._conflicts.needs_barrier(earlier, later):
            return False
        if space_of(later.buffer) is not Space.GLOBAL:
            return True
        if not (earlier.access.reads or later.reads):
            return False
        return not is_owned(self.kernel, earlier.access, later, Scope.THREAD)

    def block(self, block: Block, pending: Sequence[Pending], uniform: bool) -> list[Pending]:
        """Insert barriers in a block; return what is pending at its end.

        uniform: whether all threads of the block of threads run this block of operations.
        """
        since = list(pending)
        for op in tuple(block.ops):
            if is_block_barrier(op):
                since, self._by_tokens = [], False
                continue
            self._by_tokens |= waits_for_a_token(op)
            exposed = exposed_accesses(op, self._touched)
            if any(self._must_wait(later, earlier) for earlier in since for later in exposed):
                _insert(block, op, uniform)
                since = []
            since += [Pending(access) for access in self._touched(op)]
            if op.regions:
                since = self._regions(op, since, uniform)
        return since

    def _regions(self, op: Operation, since: Sequence[Pending], uniform: bool) -> list[Pending]:
        inside = uniform and runs_uniformly(op)
        by_tokens = self._by_tokens
        ends = [self._region(block, since, inside, by_tokens) for block in _blocks(op)]
        if isinstance(op, scf.ForOp):
            before = [_in_next_iteration(op, p) for p in ends[0]]
            ends = [self._region(op.body.block, before, inside, by_tokens)]
        if len(_blocks(op)) < 2:  # the region may not run at all
            ends.append(list(since))
        if uniform:  # where a barrier can be, it is the better answer
            self._by_tokens = by_tokens
        return list({p.key: p for end in ends for p in end}.values())

    def _region(
        self, block: Block, since: Sequence[Pending], uniform: bool, by_tokens: bool
    ) -> list[Pending]:
        self._by_tokens = by_tokens
        return self.block(block, since, uniform)


def _insert(block: Block, op: Operation, uniform: bool) -> None:
    if not uniform:
        raise CompileError(
            "needs a barrier where not all threads of the block pass; move the exchange between "
            "threads out of the condition",
            at=operation_text(op),
        )
    barrier = BarrierOp()
    barrier.location = op.location
    block.insert_op_before(barrier, op)


def _blocks(op: Operation) -> list[Block]:
    return [block for region in op.regions for block in region.blocks]


def _in_next_iteration(loop: scf.ForOp, pending: Pending) -> Pending:
    """Return what is pending after one more iteration of a loop: values from within it are new."""
    inside = {v for v in pending.access.operands if loop.is_ancestor(v.owner)}
    return Pending(pending.access, pending.past | inside)
