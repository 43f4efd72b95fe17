"""Rows whose elements lie side by side: neighbouring threads have neighbouring elements."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from dlc.core.affine import unflatten
from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.ir.tensor import shape
from dlc.lowering.scope import LoopScope
from dlc.strategies.row.teams import TeamRows, Values


@dataclass
class Along(TeamRows):
    """Neighbouring threads have neighbouring elements of a row."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.length % self.vector:
            self.vector = 1

    def write_elements(self, store: Callable[[AffineExpr, AffineExpr], None]) -> None:
        def write_vector(number: AffineExpr) -> None:
            if self.vector == 1:
                store(self.first, number)
                return
            self.scope.parallel_loop(
                self.vector,
                LoopMap.VECTOR,
                lambda v: store(self.first, number * self.vector + v),
            )

        self.scope.parallel_loop(self.length // self.vector, self.map, write_vector)

    def write_reduced(self, store: Callable[[AffineExpr], None]) -> None:
        self.once(lambda: store(self.first))

    def prepare(self, op: ReductionOp) -> None:
        value = op.results[0]
        self.scope.read(value, self.reduced(self.first, shape(value)))

    def reduce(self, scope: LoopScope, op: ReductionOp, index: Index) -> Values:
        loop = ForOp(
            0,
            self.length // self.vector,
            kind=LoopKind.REDUCTION,
            map=self.map,
            iter_args=op.identity(scope.b),
        )
        with scope.loop(loop) as number:
            total = self._reduce_vector(op, index, number, loop.carried_arguments)
            scope.b.builder.insert(YieldOp(*total))
        return self.combined(op, loop.results)

    def _reduce_vector(
        self, op: ReductionOp, index: Index, number: AffineExpr, total: Values
    ) -> Values:
        scope = self.scope

        def add(position: AffineExpr, total: Values) -> Values:
            at = unflatten(position, op.domain.reduction)
            return op.append(scope.b, total, op.contribution(scope, index, at))

        if self.vector == 1:
            return add(number, total)
        loop = ForOp(0, self.vector, kind=LoopKind.REDUCTION, map=LoopMap.UNROLL, iter_args=total)
        with scope.loop(loop) as v:
            inner = add(number * self.vector + v, loop.carried_arguments)
            scope.b.builder.insert(YieldOp(*inner))
        return loop.results
