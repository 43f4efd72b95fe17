"""Rows whose elements lie apart: neighbouring threads have the same element of neighbours."""

from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import unflatten
from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import shape
from dlc.lowering.scope import LoopScope
from dlc.strategies.row.lowering import ZERO
from dlc.strategies.row.teams import TeamRows, Values

TOGETHER = 8
"""Steps of a thread whose loads are written before each other: so many are under way."""


@dataclass
class Across(TeamRows):
    """Neighbouring threads have the same element of neighbouring rows, each thread of as many as a
    vector has. totals: the accumulators of each reduction, in registers. lane: which row of the
    vector is being written.
    """

    totals: dict[ReductionOp, list[SSAValue]] = field(default_factory=dict)
    lane: AffineExpr = ZERO

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.count % self.unit or self.rows % self.unit:
            raise CompileError(
                f"vector = {self.vector} neighbouring rows do not divide {self.count} rows, "
                f"{self.rows} of a block"
            )

    @property
    def apart(self) -> bool:
        return True

    @property
    def is_eager(self) -> bool:
        return True

    def write_elements(self, store: Callable[[AffineExpr, AffineExpr], None]) -> None:
        self.scope.parallel_loop(
            self.length,
            self.map,
            lambda at: self.each_row(lambda row: store(row, at)),
        )

    def write_reduced(self, store: Callable[[AffineExpr], None]) -> None:
        self.once(lambda: self.each_row(store))

    def reduce(self, scope: LoopScope, op: ReductionOp, index: Index) -> Values:
        return self.get(op, self.lane)

    def prepare(self, op: ReductionOp) -> None:
        start = op.identity(self.scope.b)
        space = SpaceAttr(Space.REGISTER)
        types = [MemRefType(v.type, [self.unit], memory_space=space) for v in start]
        self.totals[op] = [self.scope.b.insert(AllocOp(type)) for type in types]
        self.each_row(lambda _: self._set(op, self.lane, start))
        self.go_through(lambda number: self.add(op, number))
        if self.threads == 1:
            return
        lanes = [AffineExpr.constant(n) for n in range(self.unit)]
        each = len(start)
        parts = self.combined(op, [value for n in lanes for value in self.get(op, n)])
        for number, lane in enumerate(lanes):
            self._set(op, lane, parts[number * each : (number + 1) * each])

    def go_through(self, add: Callable[[AffineExpr], None]) -> None:
        """Write a loop over what a team goes through."""
        self.share_out(self.steps, add)

    def share_out(self, steps: int, add: Callable[[AffineExpr], None]) -> None:
        """Write a loop over steps, shared out among the threads of a team: some of a thread at a
        time, whose loads are under way together, then what is left.
        """
        times = steps // (self.threads * TOGETHER)
        done = times * self.threads * TOGETHER if times > 1 else 0
        if done:
            self._each_thread(self.threads, lambda at: self._go_together(at, times, add))
        if done < steps:
            self._each_thread(steps - done, lambda number: add(number + done))

    def _each_thread(self, steps: int, write: Callable[[AffineExpr], None]) -> None:
        loop = ForOp(0, steps, kind=LoopKind.REDUCTION, map=self.map)
        with self.scope.loop(loop) as number:
            write(number)
            self.scope.b.builder.insert(YieldOp())

    def _go_together(
        self, thread: AffineExpr, times: int, add: Callable[[AffineExpr], None]
    ) -> None:
        loop = ForOp(0, times, kind=LoopKind.REDUCTION)
        with self.scope.loop(loop) as number:
            for step in range(TOGETHER):
                add((number * TOGETHER + step) * self.threads + thread)
            self.scope.b.builder.insert(YieldOp())

    @property
    def steps(self) -> int:
        """The positions, or vectors of them, that a team goes through."""
        return self.length

    def add(self, op: ReductionOp, number: AffineExpr) -> None:
        """Write the addition of what a thread takes at a time."""
        self.each_row(lambda row: self.add_element(op, row, number))

    def add_element(self, op: ReductionOp, row: AffineExpr, position: AffineExpr) -> None:
        """Write the addition of an element to the accumulators of a row."""
        index = self.reduced(row, shape(op.results[0]))
        at = unflatten(position, op.domain.reduction)
        part = op.contribution(self.scope, index, at)
        self._set(op, self.lane, op.append(self.scope.b, self.get(op, self.lane), part))

    def each_row(self, write: Callable[[AffineExpr], None]) -> None:
        """Write what is done for each row of a vector."""
        if self.unit == 1:
            write(self.first)
            return

        def write_lane(lane: AffineExpr) -> None:
            self.lane = lane
            write(self.first + lane)

        self.scope.parallel_loop(self.unit, LoopMap.VECTOR, write_lane)
        self.lane = ZERO

    def get(self, op: ReductionOp, lane: AffineExpr) -> Values:
        """Return the accumulators of a row of the vector."""
        (at,), dims = self.scope.resolve([lane])
        return [self.scope.b.insert(LoadOp(buffer, [at], dims)) for buffer in self.totals[op]]

    def _set(self, op: ReductionOp, lane: AffineExpr, values: Values) -> None:
        (at,), dims = self.scope.resolve([lane])
        for value, buffer in zip(values, self.totals[op], strict=True):
            self.scope.b.builder.insert(StoreOp(value, buffer, [at], dims))
