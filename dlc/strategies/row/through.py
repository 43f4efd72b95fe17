"""Rows that a team goes through once, line by line: nothing is kept."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.loop.attributes import LoopKind
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.errors import CompileError
from dlc.ir.tensor import shape
from dlc.lowering.scope import LoopScope
from dlc.strategies.row.lines import Lines
from dlc.strategies.row.lowering import ZERO
from dlc.strategies.row.teams import Values

_TOGETHER = 4
"""Rounds whose loads are written before each other: so many are under way."""


@dataclass
class Through(Lines):
    """Rows of which only what they are reduced to is a result."""

    def write_elements(self, store: Callable[[AffineExpr, AffineExpr], None]) -> None:
        raise CompileError("a result has all elements of rows that are not kept")

    def prepare(self, op: ReductionOp) -> None:
        value = op.results[0]
        self.scope.read(value, self.reduced(self.first, shape(value)))

    def reduce(self, scope: LoopScope, op: ReductionOp, index: Index) -> Values:
        first = op.identity(scope.b)
        loop = ForOp(0, self.threads, kind=LoopKind.REDUCTION, map=self.map, iter_args=first)
        with scope.loop(loop) as thread:

            def add(round: int, total: Values) -> Values:
                self.round = round
                return self.reduce_line(op, index, self.start(thread), total)

            total = self._reduce_rounds(loop.carried_arguments, add)
            scope.b.builder.insert(YieldOp(*total))
        return self.combined(op, loop.results)

    def _reduce_rounds(self, total: Values, add: Callable[[int, Values], Values]) -> Values:
        """Write all rounds: those in the midst, which are whole, in a loop, some at a time."""
        whole = [self._is_whole(round) for round in range(self.rounds)]
        first = whole.index(True) if True in whole else self.rounds
        times = whole.count(True) // _TOGETHER
        for round in range(first):
            total = add(round, total)
        if times > 1:
            total = self._repeat(first, times, total, add)
            first += times * _TOGETHER
        for round in range(first, self.rounds):
            total = add(round, total)
        return total

    def _repeat(
        self, first: int, times: int, total: Values, add: Callable[[int, Values], Values]
    ) -> Values:
        loop = ForOp(0, times, kind=LoopKind.REDUCTION, iter_args=total)
        with self.scope.loop(loop) as number:
            self.earlier, total = number * _TOGETHER, loop.carried_arguments
            for round in range(first, first + _TOGETHER):
                total = add(round, total)
            self.scope.b.builder.insert(YieldOp(*total))
        self.earlier = ZERO
        return loop.results

    def _is_whole(self, round: int) -> bool:
        self.round = round
        return self.is_whole
