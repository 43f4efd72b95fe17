"""The reduction of a tile cut among several blocks: partial sums through scratch memory.

Each block writes its accumulators to scratch and raises the tile's counter. The one that arrives
last adds all parts, in their order whoever was last, so that every run gives the same bits.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import gcd

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import buffer_shape
from dlc.lowering.scope import LoopScope
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator
from dlc.simt.last_block import LastBlock
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
        arrivals = LastBlock(scope, self.counters, self.tile, self.team, self.thread)
        return arrivals.meet(self._parts, self._add_up)

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

    def _add_up(self) -> None:
        """Write the sum of all parts."""
        scope, accumulator = self.scope, self.accumulator
        accumulator.clear()

        def add(at: Sequence[AffineExpr], place: Sequence[AffineExpr]) -> None:
            total = accumulator.load(accumulator.buffer, at)
            more = accumulator.load(self.scratch, place)
            accumulator.store(scope.b.add(total, more), accumulator.buffer, at)

        open_loop(scope, self._parts, LoopMap.SERIAL, lambda part: self._each(part, add))
