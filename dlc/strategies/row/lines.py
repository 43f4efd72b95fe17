"""Rows that a team goes through line by line, wherever a row starts.

A *line* is as many neighbours as a vector has, at a multiple of it in memory. A row of odd length
starts and ends within lines. A line that lies in the row is loaded and stored by one instruction;
of the first and the last one, each element is asked for whether it is in the row.

The threads of several blocks, a cluster, may share a row.
"""

from abc import ABC
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import reduce
from math import gcd

from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import WARP_LANES
from dlc.core.affine import unflatten
from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.loop.attributes import CombineScope, LoopKind, LoopMap
from dlc.dialects.loop.combination import MeetOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.errors import CompileError
from dlc.strategies.row.lowering import ZERO
from dlc.strategies.row.schedule import lines, rounds
from dlc.strategies.row.teams import TeamRows, Values

Write = Callable[[AffineExpr], None]
"""Writes what is done for an element at a position of the row."""


@dataclass
class Lines(TeamRows, ABC):
    """Each thread has every so many lines of a row, one in each round.

    cluster: blocks that share a row. rank: the number of this one. has_met: whether they have met.
    backwards: whether the first thread has the last line, in the first round. reads_memory: whether
    an element is made of more than what its thread keeps. earlier: rounds that a loop around has
    done. thread, round, place, lane: those of the element that is being written: its position in
    the row, and in its line.
    """

    cluster: int = 1
    rank: AffineExpr = ZERO
    has_met: bool = False
    backwards: bool = False
    reads_memory: bool = True
    earlier: AffineExpr = ZERO
    thread: AffineExpr = ZERO
    round: int = 0
    place: AffineExpr = ZERO
    lane: AffineExpr = ZERO

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.axes != list(range(len(self.outer), len(self.space.shape))):
            raise CompileError("rows whose elements lie apart have no lines")

    @property
    def is_eager(self) -> bool:
        return True

    @property
    def all_blocks(self) -> int:
        return self.blocks * self.cluster

    @property
    def sharers(self) -> CombineScope:
        return CombineScope.CLUSTER if self.cluster > 1 else super().sharers

    @property
    def all_threads(self) -> int:
        """The threads that share a row, of all blocks."""
        return self.threads * self.cluster

    @property
    def rounds(self) -> int:
        """The lines of a thread."""
        return rounds(self.length, self.vector, self.all_threads)

    @property
    def _lines(self) -> int:
        """The lines of a row."""
        return lines(self.length, self.vector)

    @property
    def width(self) -> int:
        """The elements of all lines that threads have, beyond the row, too."""
        return self.rounds * self.all_threads * self.vector

    def write(self) -> None:
        self.job.cluster = self.cluster
        super().write()

    def combined(self, op: ReductionOp, parts: Values) -> Values:
        if self.cluster > 1 and not self.has_met:
            self.has_met = True
            self.scope.b.builder.insert(MeetOp())
        return super().combined(op, parts)

    def write_block(self, block: AffineExpr) -> None:
        number, self.rank = unflatten(block, [self.blocks, self.cluster])
        super().write_block(number)

    def write_reduced(self, store: Write) -> None:
        self.once(lambda: self.scope.where_below(self.rank, 1, lambda: store(self.first)))

    def each_line(self, write: Callable[[AffineExpr], None]) -> None:
        """Write what a thread does with each of its lines; ``write`` takes its start."""

        def write_rounds(thread: AffineExpr) -> None:
            self.thread = thread
            self.each_round(lambda: write(self.start(thread)))

        self.scope.parallel_loop(self.threads, self.map, write_rounds)

    def each_round(self, write: Callable[[], None]) -> None:
        """Write what is done in each round."""
        for number in range(self.rounds):
            self.round = number
            write()

    def start(self, thread: AffineExpr) -> AffineExpr:
        """Return the position in the row of the first element of a thread's line."""
        start = self.first * self.length
        round = self.earlier + self.round
        line = self.rank * self.threads + thread + round * self.all_threads
        if self.backwards:
            line = line * -1 + (self._lines - 1)
        return (start // self.vector + line) * self.vector - start

    @property
    def is_whole(self) -> bool:
        """Whether all lines of this round are in any row."""
        first, end = (n * self.all_threads for n in (self.round, self.round + 1))
        if self.backwards:
            first, end = self._lines - end, self._lines - first
        before = self.vector - gcd(self.vector, self.length)
        return first * self.vector >= before and end * self.vector <= self.length

    def in_row(self, place: AffineExpr, count: int = 1) -> SSAValue:
        """Return as ``i1`` whether ``count`` elements from a place on are in the row."""
        b, scope, start = self.scope.b, self.scope, self.first * self.length
        # The same number, of which the range is known.
        place = place + start - start // self.vector * self.vector - start % self.vector
        low, high = scope.interval(place)
        position, checks = scope.index_value(place), list[SSAValue]()
        if low is None or low < 0:
            checks.append(b.compare("ge", position, b.constant(0, IndexType())))
        if high is None or high + count > self.length:
            end = b.constant(self.length - count, IndexType())
            checks.append(b.compare("le", position, end))
        return reduce(lambda x, y: b.logical("and", x, y), checks or [b.constant(True, i1)])

    def where_in_row(
        self, write: Callable[[], Sequence[SSAValue]], otherwise: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Write what gives values of an element, and others where it is outside of the row; there,
        nothing is read but what stands in registers.
        """
        b = self.scope.b
        if self.is_whole:
            return write()
        if self.reads_memory:
            return b.branch(self.in_row(self.place), write, lambda: otherwise)
        pairs = zip(write(), otherwise, strict=True)
        return [b.select(self.in_row(self.place), own, other) for own, other in pairs]

    def reduce_line(
        self, op: ReductionOp, index: Index, start: AffineExpr, total: Values
    ) -> Values:
        """Write the elements of a line that are in the row to accumulators. Where hardly a line of
        a warp is at an end of the row, whole ones have code of their own.
        """
        if self.is_whole or self.threads < WARP_LANES:
            return self._append_elements(op, index, start, total)
        return self.scope.b.branch(
            self.in_row(start, self.vector),
            lambda: self._append_elements(op, index, start, total, is_whole=True),
            lambda: self._append_elements(op, index, start, total),
        )

    def _append_elements(
        self,
        op: ReductionOp,
        index: Index,
        start: AffineExpr,
        total: Values,
        is_whole: bool = False,
    ) -> Values:
        scope = self.scope
        loop = ForOp(0, self.vector, kind=LoopKind.REDUCTION, map=LoopMap.UNROLL, iter_args=total)
        with scope.loop(loop, stay=True) as self.lane:
            self.place, before = start + self.lane, loop.carried_arguments
            at = unflatten(self.place, op.domain.reduction)
            add = lambda: op.append(scope.b, before, op.contribution(scope, index, at))
            after = add() if is_whole else self.where_in_row(add, before)
            scope.b.builder.insert(YieldOp(*after))
        return loop.results

    def whole_or_parts(self, start: AffineExpr, whole: Write, part: Write) -> None:
        """Write ``whole`` for each element of a line that is in the row, ``part`` for each element
        of another line.
        """
        scope = self.scope
        if self.is_whole or self.vector == 1:
            self._each_element(start, LoopMap.VECTOR, whole if self.is_whole else part)
            return
        inside = self.in_row(start, self.vector)
        scope.where(inside, lambda: self._each_element(start, LoopMap.VECTOR, whole))
        outside = scope.b.invert(inside)
        scope.where(outside, lambda: self._each_element(start, LoopMap.UNROLL, part))

    def _each_element(self, start: AffineExpr, map: LoopMap, write: Write) -> None:
        def write_one(lane: AffineExpr) -> None:
            self.lane, self.place = lane, start + lane
            write(self.place)

        if self.vector == 1:
            write_one(ZERO)
        else:
            self.scope.parallel_loop(self.vector, map, write_one)
