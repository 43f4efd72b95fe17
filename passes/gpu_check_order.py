"""Reject kernels whose blocks would have to wait for each other where nothing makes them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from dlc.analysis.counter import acquired_counter, is_told
from dlc.analysis.owner import exchanged_buffers, global_accesses, is_owned
from dlc.arch.scope import Scope
from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.dialects.gpu import KernelOp
from dlc.errors import CompileError
from dlc.ir.access import Access
from dlc.ir.order import OrderingOp


class GpuCheckOrderPass(DlcPass):
    """No block reads what another one writes in the same launch, and none overwrites what another
    one reads, unless something orders the two.

    The blocks of a launch run in any order. What orders them is a barrier of the grid, or of their
    cluster; or a counter that each block raises once its writes are visible (``gpu.fence``, then
    ``gpu.atomic_add``), and by which the last block knows that it is the last: what comes under a
    condition on what the counter said. Which number that condition asks for is not looked at. That
    an element belongs to one block, or cluster, is found from the indices (``dlc/analysis/owner``);
    a kernel where it is not found is rejected. So is one that copies boxes (``gpu.tensor_copy``) of
    what it writes itself: no barrier lets the engine that brings them see what threads have written
    (PTX ISA, "Async proxy").

    Runs on: ``gpu``. Leaves: ``gpu``, unchanged. Order: after ``convert-loop-to-gpu``, before
    ``gpu-vectorize-memory``, while each access is one element.
    """

    name = "gpu-check-order"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                check = _Check(kernel)
                if check.exchanged:
                    check.walk(kernel.body.block, [], told=False)


@dataclass(frozen=True)
class _Earlier:
    """An access before the present one. visible: its thread has made it so for other blocks;
    known: a counter has told this block so. met: the blocks of the cluster have met since.
    """

    access: Access
    visible: bool = False
    known: bool = False
    met: bool = False


class _Check:
    """Goes over a kernel in order."""

    def __init__(self, kernel: KernelOp):
        self.kernel = kernel
        self.exchanged = exchanged_buffers(kernel)

    def walk(self, block: Block, earlier: Sequence[_Earlier], told: bool) -> Sequence[_Earlier]:
        """Check a block of operations; return what came before its end.

        told: whether it runs under a condition on what a counter said.
        """
        for op in block.ops:
            earlier = _after_waiting(op, earlier)
            for access in global_accesses(op):
                if access.buffer in self.exchanged:
                    self._compare(op, access, earlier, told)
                    earlier = [*earlier, _Earlier(access, access.atomic, access.atomic)]
            earlier = _after_release(op, earlier)
            earlier = self._walk_regions(op, earlier, told)
        return list(dict.fromkeys(earlier))

    def _walk_regions(
        self, op: Operation, earlier: Sequence[_Earlier], told: bool
    ) -> Sequence[_Earlier]:
        """Check the branches of a condition one after the other: blocks may differ in which they
        take; and the body of a loop twice, for what an iteration before has touched.
        """
        inside = told or (isinstance(op, scf.IfOp) and is_told(op.cond))
        for _ in range(2 if isinstance(op, scf.ForOp) else 1):
            for region in op.regions:
                for block in region.blocks:
                    earlier = self.walk(block, earlier, inside)
        return earlier

    def _compare(
        self,
        op: Operation,
        later: Access,
        earlier: Sequence[_Earlier],
        told: bool,
    ) -> None:
        if later.region is not None:
            raise CompileError(
                f"copies a box of %{later.buffer.name_hint}, which the kernel writes itself: the "
                "engine that does it sees nothing of that; copy by threads",
                at=operation_text(op),
            )
        for before in earlier:
            first = before.access
            if first.buffer is not later.buffer or (later.atomic and first.atomic):
                continue
            if not (first.writes and later.reads) and not (first.reads and later.writes):
                continue
            owner = Scope.CLUSTER if before.met else Scope.BLOCK
            if (before.known and told) or is_owned(self.kernel, first, later, owner):
                continue
            _fail(op, first, later)


def _fail(op: Operation, first: Access, later: Access) -> None:
    hint = first.buffer.name_hint
    name = f"%{hint}" if hint else "scratch"
    verbs = ("reads", "writes") if first.writes and later.reads else ("writes", "reads")
    raise CompileError(
        f"{verbs[0]} {name}, which another block {verbs[1]} in the same launch, and nothing makes "
        "it wait: blocks run in any order; end the kernel in between, or let each block read only "
        "what it has written itself",
        at=operation_text(op),
    )


def _after_waiting(op: Operation, earlier: Sequence[_Earlier]) -> Sequence[_Earlier]:
    """Return what still matters after ``op`` has waited: nothing if for the whole grid."""
    if isinstance(op, OrderingOp) and op.is_barrier(Scope.GRID):
        return []
    if isinstance(op, OrderingOp) and op.is_barrier(Scope.CLUSTER):
        return [replace(e, met=True) for e in earlier]
    if acquired_counter(op) is None:
        return earlier
    return [replace(e, known=True) if e.visible else e for e in earlier]


def _after_release(op: Operation, earlier: Sequence[_Earlier]) -> Sequence[_Earlier]:
    token = op.releases if isinstance(op, OrderingOp) else None
    if token is None or token.scope < Scope.GRID:
        return earlier
    return [replace(e, visible=True) for e in earlier]
