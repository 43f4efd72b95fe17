"""The reduction of a tile cut among several blocks: partial sums through scratch memory.

Each block writes its accumulators to scratch and raises the tile's counter. The one that arrives
last adds all parts, in their order whoever was last, so that every run gives the same bits.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.dialects.builtin import IndexType, MemRefType, i32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects._space import Space, SpaceAttr
from dlc.dialects.loop._attributes import LoopMap
from dlc.dialects.loop._memory import AllocOp
from dlc.lowering._accumulator import Accumulator
from dlc.lowering._job import Job
from dlc.lowering._scope import LoopScope
from dlc.lowering._tile_scope import open_loop


@dataclass
class SplitSum:
    """The parts of the tiles' sums.

    tiles: of the whole product. parts: blocks per tile. tile, part: the place of this block.
    """

    job: Job
    scope: LoopScope
    tiles: int
    parts: int
    threads: int
    tile: AffineExpr
    part: AffineExpr
    thread: AffineExpr

    def write(self, accumulator: Accumulator, finish: Callable[[], None]) -> None:
        """Write the exchange; ``finish`` writes what the last block does with the whole sum."""
        scope = self.scope
        sizes = [self.tiles, self.parts, prod(accumulator.sizes[:-1]), self.threads]
        type = MemRefType(accumulator.compute, [*sizes, accumulator.sizes[-1]])
        partial = self.job.add_scratch(type)
        counters = scope.b.insert(gpu.CounterAllocOp(MemRefType(i32, [self.tiles])))
        self._each(
            accumulator,
            lambda at, place: accumulator.store(
                accumulator.load(accumulator.buffer, at), partial, [self.tile, self.part, *place]
            ),
        )
        arrived = self._arrive(accumulator, counters)
        last = scope.b.compare("eq", arrived, scope.b.constant(self.parts - 1, i32))

        def write_last() -> None:
            scope.b.builder.insert(gpu.FenceOp())
            accumulator.clear()
            self._add(accumulator, partial)
            self._reset(accumulator, counters)
            finish()

        scope.where(last, write_last)

    def _each(
        self,
        accumulator: Accumulator,
        write: Callable[[Sequence[AffineExpr], Sequence[AffineExpr]], None],
    ) -> None:
        """Write ``write`` for the places of each element in the accumulator and in its part."""
        *outer, inner = accumulator.sizes

        def write_run(at: Sequence[AffineExpr]) -> None:
            flat = AffineExpr.constant(0)
            for size, index in zip(outer, at, strict=True):
                flat = flat * size + index
            open_loop(
                self.scope,
                inner,
                LoopMap.VECTOR,
                lambda lane: write([*at, lane], [flat, self.thread, lane]),
            )

        accumulator.nest(outer, write_run)

    def _arrive(self, accumulator: Accumulator, counters: SSAValue) -> SSAValue:
        """Raise the tile's counter once; return, in every thread, how many came before."""
        scope = self.scope
        insert = scope.b.builder.insert
        type = MemRefType(i32, [1], memory_space=SpaceAttr(Space.SHARED))
        shared = scope.b.insert(AllocOp(type))
        zero = AffineExpr.constant(0)
        insert(gpu.FenceOp())
        insert(gpu.BarrierOp())

        def count() -> None:
            flat, values = scope.resolve([self.tile])
            one = scope.b.constant(1, i32)
            before = scope.b.insert(gpu.AtomicAddOp(one, counters, flat, values))
            accumulator.store(before, shared, [zero])

        scope.where(self._is_first_thread(), count)
        insert(gpu.BarrierOp())
        return accumulator.load(shared, [zero])

    def _is_first_thread(self) -> SSAValue:
        b = self.scope.b
        return b.compare("eq", self.scope.index_value(self.thread), b.constant(0, IndexType()))

    def _add(self, accumulator: Accumulator, partial: SSAValue) -> None:
        def add_part(part: AffineExpr) -> None:
            def add(at: Sequence[AffineExpr], place: Sequence[AffineExpr]) -> None:
                total = accumulator.load(accumulator.buffer, at)
                more = accumulator.load(partial, [self.tile, part, *place])
                accumulator.store(self.scope.b.add(total, more), accumulator.buffer, at)

            self._each(accumulator, add)

        open_loop(self.scope, self.parts, LoopMap.SERIAL, add_part)

    def _reset(self, accumulator: Accumulator, counters: SSAValue) -> None:
        def reset() -> None:
            zero = self.scope.b.constant(0, i32)
            accumulator.store(zero, counters, [self.tile])

        self.scope.where(self._is_first_thread(), reset)
