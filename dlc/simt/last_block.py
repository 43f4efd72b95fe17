"""Which of the blocks that share a tile is the last to have left its part in memory."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, MemRefType, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.scope import LoopScope
from dlc.simt.workers import Team


@dataclass(frozen=True)
class LastBlock:
    """The arrivals at a tile's counter.

    counters: one per tile. tile: that of this block. team: whose threads have parts; thread: this
    one's number.

    The thread that counts has the fences of all, one on each side of the counter: it has met them,
    and meets them again, and fences are cumulative (PTX ISA, "Causality order"). Without the second
    one nothing says that this block sees what the others have written. Where a block has roles, all
    threads of the team have fences: barriers of some threads are not relied on here.
    """

    scope: LoopScope
    counters: SSAValue
    tile: AffineExpr
    team: Team
    thread: AffineExpr

    def meet(self, parts: int, finish: Callable[[], None]) -> SSAValue:
        """Raise the tile's counter once, when all threads have written what they leave. Where
        ``parts - 1`` came before, do what is left and set the counter back. Return whether it is
        so, in every thread.
        """
        b = self.scope.b
        is_last = b.compare("eq", self._arrive(), b.constant(parts - 1, i32))

        def write() -> None:
            if not self._alone:
                b.builder.insert(gpu.FenceOp())
            finish()
            self._reset()

        self.scope.where(is_last, write)
        return is_last

    @property
    def _alone(self) -> bool:
        return self.team.role is None

    def _reset(self) -> None:
        """Set the counter back."""
        b = self.scope.b

        def write() -> None:
            flat, values = self.scope.resolve([self.tile])
            b.builder.insert(StoreOp(b.constant(0, i32), self.counters, flat, values))

        self.scope.where(self._is_first_thread(), write)

    def _arrive(self) -> SSAValue:
        scope = self.scope
        type = MemRefType(i32, [1], memory_space=SpaceAttr(Space.SHARED))
        shared = scope.b.insert(AllocOp(type))
        zero = AffineExpr.constant(0)
        if not self._alone:
            scope.b.builder.insert(gpu.FenceOp())
        self.team.wait(scope.b)

        def count() -> None:
            insert = scope.b.builder.insert
            if self._alone:
                insert(gpu.FenceOp())
            flat, values = scope.resolve([self.tile])
            one = scope.b.constant(1, i32)
            before = scope.b.insert(gpu.AtomicAddOp(one, self.counters, flat, values))
            if self._alone:
                insert(gpu.FenceOp())
            insert(StoreOp(before, shared, [zero], []))

        scope.where(self._is_first_thread(), count)
        self.team.wait(scope.b)
        return scope.b.insert(LoadOp(shared, [zero], []))

    def _is_first_thread(self) -> SSAValue:
        b = self.scope.b
        return b.compare("eq", self.scope.index_value(self.thread), b.constant(0, IndexType()))
