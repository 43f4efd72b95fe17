"""Which of the blocks that share a tile is the last to have left its part in memory."""

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
    one's number. alone: whether the thread that counts has the fences of all: it has met them, and
    fences are cumulative (PTX ISA, "Causality order").
    """

    scope: LoopScope
    counters: SSAValue
    tile: AffineExpr
    team: Team
    thread: AffineExpr
    alone: bool = False

    def arrive(self, parts: int) -> SSAValue:
        """Raise the tile's counter once, when all threads have written what they leave; return, in
        every thread, whether ``parts - 1`` came before.
        """
        last = self.scope.b.constant(parts - 1, i32)
        return self.scope.b.compare("eq", self._arrive(), last)

    def reset(self) -> None:
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
        if not self.alone:
            scope.b.builder.insert(gpu.FenceOp())
        self.team.wait(scope.b)

        def count() -> None:
            insert = scope.b.builder.insert
            if self.alone:
                insert(gpu.FenceOp())
            flat, values = scope.resolve([self.tile])
            one = scope.b.constant(1, i32)
            before = scope.b.insert(gpu.AtomicAddOp(one, self.counters, flat, values))
            if self.alone:
                insert(gpu.FenceOp())
            insert(StoreOp(before, shared, [zero], []))

        scope.where(self._is_first_thread(), count)
        self.team.wait(scope.b)
        return scope.b.insert(LoadOp(shared, [zero], []))

    def _is_first_thread(self) -> SSAValue:
        b = self.scope.b
        return b.compare("eq", self.scope.index_value(self.thread), b.constant(0, IndexType()))
