"""Inputs of a tile whose lines begin anywhere between the multiples of what a thread moves.

In shared memory each line stands as far behind a multiple as in memory, so that whole vectors go
there: from the multiple on that a line begins behind. What they bring beside a line, nobody reads.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, prod

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.memory import ACCESS_BYTES
from dlc.core.affine import extent, unflatten
from dlc.dialects.graph.computed import Index
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp, buffer_element, buffer_shape
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.scope import LoopScope
from dlc.lowering.straight import mark_straight

Start = Callable[[AffineExpr], AffineExpr]
"""Gives the position in the input at which a line of the tile begins."""


@dataclass(frozen=True)
class Skew:
    """How the lines of an input that a tile has stand in shared memory.

    each: elements that a thread moves at a time. vectors: that hold a line wherever it begins.
    pitch: elements from line to line, as far from a multiple of ``each`` as in memory.
    """

    each: int
    vectors: int
    pitch: int
    lines: int

    @staticmethod
    def of(lines: int, length: int, step: int, bytes: int) -> "Skew":
        """Return how lines of a length stand that are so many elements of ``bytes`` apart."""
        each = ACCESS_BYTES // bytes
        vectors = ceil((length + each - 1) / each)
        # One more vector from line to line: those of two threads never meet, whatever the skew.
        return Skew(each, vectors, (vectors + 1) * each + step % each, lines)

    @property
    def size(self) -> int:
        """Elements of shared memory."""
        return self.lines * self.pitch + self.each

    def lines_of_round(self, threads: int) -> int:
        """Return how many whole lines so many threads bring at a time; raises CompileError where
        they bring none.
        """
        if threads < self.vectors:
            raise CompileError(
                f"threads = {threads}: {self.vectors} threads bring a line of the tile; use as "
                "many, or a tile of fewer positions along the axis of the inputs' neighbours"
            )
        return threads // self.vectors

    def rounds(self, threads: int) -> int:
        """Return how often they do so."""
        return ceil(self.lines / self.lines_of_round(threads))


@dataclass(frozen=True)
class SkewedLines:
    """The lines of one tile, brought by so many threads, some whole lines in each round.

    first: how far the first line stands behind a multiple.
    """

    scope: LoopScope
    threads: int
    skew: Skew
    source: SSAValue
    copy: SSAValue
    first: AffineExpr

    def near(self, line: AffineExpr, place: AffineExpr) -> AffineExpr:
        """Return where an element of a line stands in shared memory."""
        return line * self.skew.pitch + place + self.first

    def is_inside(self, start: Start) -> SSAValue:
        """Return whether all that is loaded is in the input: the last line is the furthest."""
        scope, skew = self.scope, self.skew
        last = start(AffineExpr.constant(skew.lines - 1))
        end = scope.index_value(last // skew.each + skew.vectors)
        size = prod(buffer_shape(self.source)) // skew.each
        return scope.b.compare("le", end, scope.b.constant(size, IndexType()))

    def bring(self, start: Start) -> None:
        """Write the copy of all lines."""
        skew, scope = self.skew, self.scope
        threads, some = self.threads, skew.lines_of_round(self.threads)
        rounds = skew.rounds(threads)

        def bring_vector(number: AffineExpr) -> None:
            round, thread = unflatten(number, [rounds, threads])
            # Threads without a line load what is the last one's, so that no load has a condition.
            line = round * some + clamped(scope, thread // skew.vectors, some)
            store = self._load(start(clamped(scope, line, skew.lines)), thread % skew.vectors)
            write = lambda: store(line)
            inside = lambda: scope.where_below(line, skew.lines, write)
            scope.where_below(thread, some * skew.vectors, inside)

        loop = scope.parallel_loop(rounds * threads, LoopMap.THREAD, bring_vector)
        mark_straight(loop, threads, skew.each)

    def _load(self, start: AffineExpr, behind: AffineExpr) -> Callable[[AffineExpr], None]:
        """Write the load of a vector of a line; return what writes its store, given the line."""
        skew, scope = self.skew, self.scope
        sizes, space = buffer_shape(self.source), SpaceAttr(Space.REGISTER)
        type = MemRefType(buffer_element(self.source), [skew.each], memory_space=space)
        held = scope.b.insert(AllocOp(type))

        def load(lane: AffineExpr) -> None:
            place = (start // skew.each + behind) * skew.each + lane
            self._move(self.source, unflatten(place, sizes), held, [lane])

        def store(line: AffineExpr) -> None:
            first = (self.near(line, AffineExpr.constant(0)) // skew.each + behind) * skew.each
            write = lambda lane: self._move(held, [lane], self.copy, [first + lane])
            scope.parallel_loop(skew.each, LoopMap.VECTOR, write)

        scope.parallel_loop(skew.each, LoopMap.VECTOR, load)
        return store

    def _move(self, source: SSAValue, at: Index, target: SSAValue, to: Index) -> None:
        place, dims = self.scope.resolve(at)
        element = self.scope.b.insert(LoadOp(source, place, dims))
        place, dims = self.scope.resolve(to)
        self.scope.b.builder.insert(StoreOp(element, target, place, dims))


def clamped(scope: LoopScope, line: AffineExpr, size: int) -> AffineExpr:
    """Return a line of so many: the nearest one where it is outside."""
    known, value = scope.interval(line), scope.index_value(line)
    if known.low is None or known.low < 0:
        value = scope.b.maximum(value, scope.b.constant(0, IndexType()))
    if known.high is None or known.high >= size:
        value = scope.b.minimum(value, scope.b.constant(size - 1, IndexType()))
    return scope.dim(value, extent(size))
