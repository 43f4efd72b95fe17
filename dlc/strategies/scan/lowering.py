"""The loops of ``scan``: a thread adds up its lines of a row, and what the threads before it have.

A team goes through a row in rounds, a line of neighbours for each thread in each. What of a row
fits in registers is a chunk; threads exchange once for all of its rounds. Longer rows are done
chunk by chunk.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import ceil

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.analysis.role import RowSpace
from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.graph.scan import ScanOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.combination import PrefixOp
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import shape
from dlc.lowering.job import Job
from dlc.lowering.scope import LoopScope
from dlc.strategies.row.kept import Kept
from dlc.strategies.row.split import unasked
from dlc.strategies.row.teams import Values
from dlc.strategies.scan.across import ScanAcross
from dlc.strategies.scan.schedule import ScanOnGpu, rounds_of_chunk
from dlc.strategies.scan.work import neighbours


def lower(job: Job, schedule: ScanOnGpu) -> None:
    """Write the kernel of a group with one running sum."""
    op = next(op for op in job.group.body.block.ops if isinstance(op, ScanOp))
    if neighbours(op) > 1:
        ScanAcross(job, op, schedule.vector, threads=schedule.threads).write()
        return
    sizes = shape(op.x)  # axes of size 1 may follow, which belong to the row
    space = RowSpace(sizes, frozenset(range(op.axis.value.data, len(sizes))))
    keys = schedule.threads, schedule.rows, schedule.vector
    Scan(job, space, unasked, *keys, backwards=op.reverse is not None, op=op).write()


@dataclass
class Scan(Kept):
    """Rows of running sums. sums: those within the lines of a thread, by round of a chunk. before:
    what is before each of these lines.
    """

    op: ScanOp | None = None
    sums: list[list[SSAValue]] = field(default_factory=list[list[SSAValue]])
    before: list[Values] = field(default_factory=list[Values])

    def prepare(self, op: ReductionOp) -> None:
        """Write nothing: sums are there when the first element is asked for."""

    @property
    def rounds(self) -> int:
        return min(super().rounds, rounds_of_chunk(self.vector))

    @property
    def chunks(self) -> int:
        """The parts of a row that a team does one after the other."""
        return ceil(super().rounds / self.rounds)

    @property
    def is_whole(self) -> bool:
        if self.chunks == 1:
            return super().is_whole
        return self.length % (self.vector * self.threads * self.rounds) == 0

    def bring(self) -> None:
        if self.chunks == 1:
            self._bring_chunk(self._scan.identity(self.scope.b))

    def write_results(self) -> None:
        if self.chunks == 1:
            super().write_results()
            return
        first = self._scan.identity(self.scope.b)
        loop = ForOp(0, self.chunks, kind=LoopKind.REDUCTION, iter_args=first)
        with self.scope.loop(loop, stay=True) as chunk:
            self.earlier = chunk * self.rounds
            carried = self._bring_chunk(loop.carried_arguments)
            super().write_results()
            self.scope.b.builder.insert(YieldOp(*carried))

    def _bring_chunk(self, carried: Values) -> Values:
        """Write the sums of a chunk, behind what is before it; return what is before the next."""
        super().bring()
        nothing = self._scan.identity(self.scope.b)
        totals = self._totals(nothing)
        found = self._exchanged(totals, [v for _ in range(self.rounds) for v in nothing])
        each = len(nothing)
        for at in range(0, len(totals), each):
            before, total = found[at : at + each], found[len(totals) + at :][:each]
            self.before.append(self._scan.combine(self.scope.b, carried, before))
            carried = self._scan.combine(self.scope.b, carried, total)
        return carried

    def reduce(self, scope: LoopScope, op: ReductionOp, index: Index) -> Values:
        (at,), dims = scope.resolve([self.lane])
        own = [scope.b.insert(LoadOp(buffer, [at], dims)) for buffer in self.sums[self.round]]
        return op.combine(scope.b, self.before[self.round], own)

    @property
    def _scan(self) -> ScanOp:
        assert self.op is not None
        return self.op

    def _totals(self, nothing: Values) -> Values:
        """Write the sums within the lines of a thread; return the totals of its lines."""
        starts = [v for _ in range(self.rounds) for v in nothing]
        space = SpaceAttr(Space.REGISTER)
        types = [MemRefType(v.type, [self.vector], memory_space=space) for v in nothing]
        self.sums = [
            [self.scope.b.insert(AllocOp(type)) for type in types] for _ in range(self.rounds)
        ]
        loop = ForOp(0, self.threads, kind=LoopKind.REDUCTION, map=LoopMap.THREAD, iter_args=starts)
        with self.scope.loop(loop) as thread:
            totals, each = list[SSAValue](), len(nothing)

            def add_line() -> None:
                carried = loop.carried_arguments[self.round * each :][:each]
                totals.extend(self._sum_line(self.start(thread), carried))

            self.each_round(add_line)
            self.scope.b.builder.insert(YieldOp(*totals))
        return loop.results

    def _sum_line(self, start: AffineExpr, nothing: Values) -> Values:
        scope, op = self.scope, self._scan
        loop = ForOp(0, self.vector, kind=LoopKind.REDUCTION, map=LoopMap.UNROLL, iter_args=nothing)
        with scope.loop(loop) as number:
            self.lane = number * -1 + (self.vector - 1) if self.backwards else number
            self.place = start + self.lane
            before = loop.carried_arguments
            at = self.element(self.first, self.place)
            after = self.where_in_row(
                lambda: op.combine(scope.b, before, [scope.read(op.x, at)]), before
            )
            self._keep(before if op.exclusive is not None else after)
            scope.b.builder.insert(YieldOp(*after))
        return loop.results

    def _keep(self, values: Sequence[SSAValue]) -> None:
        (at,), dims = self.scope.resolve([self.lane])
        for value, buffer in zip(values, self.sums[self.round], strict=True):
            self.scope.b.builder.insert(StoreOp(value, buffer, [at], dims))

    def _exchanged(self, totals: Values, nothing: Values) -> Values:
        """Write what is before each thread, and what all have, of all rounds together."""
        types = [value.type for value in totals]
        block = Block(arg_types=[*types, *types])
        exchange = PrefixOp([*totals, *nothing], self.sharers, Region(block))
        b, each = self.scope.b, len(totals) // self.rounds
        b.builder.insert(exchange)
        before = b.builder.insertion_point
        b.builder.insertion_point = InsertPoint.at_end(block)
        left, right = block.args[: len(types)], block.args[len(types) :]
        pairs = [(left[at : at + each], right[at : at + each]) for at in range(0, len(types), each)]
        b.builder.insert(YieldOp(*(v for x, y in pairs for v in self._scan.combine(b, x, y))))
        b.builder.insertion_point = before
        return exchange.totals
