"""The reduction of a tile cut among several blocks: partial sums through scratch memory.

Each block writes its accumulators to scratch and raises the tile's counter. The one that arrives
last adds all parts, in their order whoever was last, so that every run gives the same bits.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.dialects.builtin import IndexType, MemRefType, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, buffer_shape
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.scope import LoopScope
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator
from dlc.simt.workers import Team

_RUN = 4
"""Elements that a thread moves at once: 16 bytes of sums in 32 bits."""


@dataclass(frozen=True)
class PartSum:
    """The exchange of one tile's parts.

    scratch: tiles x parts x elements. counters: one per tile. tile, part: those of this block.
    team: who holds the elements; thread: this one's number.
    """

    scope: LoopScope
    accumulator: Accumulator
    scratch: SSAValue
    counters: SSAValue
    tile: AffineExpr
    part: AffineExpr
    team: Team
    thread: AffineExpr

    def write(self) -> SSAValue:
        """Write the exchange; return whether this block has the whole sum now."""
        scope, accumulator = self.scope, self.accumulator
        self._each(
            self.part,
            lambda at, place: accumulator.store(
                accumulator.load(accumulator.buffer, at), self.scratch, place
            ),
        )
        last = scope.b.constant(self._parts - 1, i32)
        is_last = scope.b.compare("eq", self._arrive(), last)
        scope.where(is_last, self._add_up)
        return is_last

    @property
    def _parts(self) -> int:
        return buffer_shape(self.scratch)[1]

    def _each(self, part: AffineExpr, write: Callable[..., None]) -> None:
        """Write ``write`` for the places of each element in the accumulator and in a part: there,
        neighbouring threads' elements are neighbours, as many as a thread moves at once.
        """
        *outer, inner = self.accumulator.sizes
        run = gcd(inner, _RUN)

        def write_run(at: Sequence[AffineExpr]) -> None:
            flat = AffineExpr.constant(0)
            for size, index in zip((*outer, inner // run), at, strict=True):
                flat = flat * size + index
            first = (flat * self.team.threads + self.thread) * run
            *before, group = at
            open_loop(
                self.scope,
                run,
                LoopMap.VECTOR,
                lambda lane: write([*before, group * run + lane], [self.tile, part, first + lane]),
            )

        self.accumulator.nest([*outer, inner // run], write_run)

    def _arrive(self) -> SSAValue:
        """Raise the tile's counter once; return, in every thread, how many came before."""
        scope, accumulator = self.scope, self.accumulator
        insert = scope.b.builder.insert
        type = MemRefType(i32, [1], memory_space=SpaceAttr(Space.SHARED))
        shared = scope.b.insert(AllocOp(type))
        zero = AffineExpr.constant(0)
        insert(gpu.FenceOp())
        self.team.wait(scope.b)

        def count() -> None:
            flat, values = scope.resolve([self.tile])
            one = scope.b.constant(1, i32)
            before = scope.b.insert(gpu.AtomicAddOp(one, self.counters, flat, values))
            accumulator.store(before, shared, [zero])

        scope.where(self._is_first_thread(), count)
        self.team.wait(scope.b)
        return accumulator.load(shared, [zero])

    def _is_first_thread(self) -> SSAValue:
        b = self.scope.b
        return b.compare("eq", self.scope.index_value(self.thread), b.constant(0, IndexType()))

    def _add_up(self) -> None:
        """Write the sum of all parts, and set the counter back."""
        scope, accumulator = self.scope, self.accumulator
        scope.b.builder.insert(gpu.FenceOp())
        accumulator.clear()

        def add(at: Sequence[AffineExpr], place: Sequence[AffineExpr]) -> None:
            total = accumulator.load(accumulator.buffer, at)
            more = accumulator.load(self.scratch, place)
            accumulator.store(scope.b.add(total, more), accumulator.buffer, at)

        open_loop(scope, self._parts, LoopMap.SERIAL, lambda part: self._each(part, add))

        def reset() -> None:
            accumulator.store(scope.b.constant(0, i32), self.counters, [self.tile])

        scope.where(self._is_first_thread(), reset)
