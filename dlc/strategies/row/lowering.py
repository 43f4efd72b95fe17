"""The loops of ``row``: each reduction is done once per row, by those who share the row.

A row is the points of a tensor along the reduced axes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.analysis.role import RowSpace, row_space
from dlc.arch.fragments import WARP_LANES
from dlc.core.affine import unflatten
from dlc.dialects.graph.computed import Index, ReductionOp
from dlc.dialects.loop.attributes import CombineScope, LoopKind, LoopMap
from dlc.dialects.loop.structure import CombineOp, ForOp, YieldOp
from dlc.errors import CompileError
from dlc.ir.tensor import shape
from dlc.lowering.axes import store_elements
from dlc.lowering.job import Job
from dlc.lowering.lanes import reduce_row
from dlc.lowering.scope import LoopScope


def lower_on_threads(job: Job, threads: int, rows: int, vector: int) -> None:
    """Write the nest over rows for a GPU; raises CompileError where there is no row reduction.

    threads: those that share a row, a warp or a whole block. rows: of a block, each for a warp of
    it. vector: neighbouring elements that a thread takes at once.
    """
    _Rows(job, _space(job), threads, rows, vector).write()


def lower_on_cores(job: Job, cores: bool) -> None:
    """Write the nest over rows for a CPU, one core per row; raises CompileError where there is no
    row reduction. cores: whether several are used.
    """
    _Rows(job, _space(job)).write_on(LoopMap.CORES if cores else LoopMap.SERIAL)


def _space(job: Job) -> RowSpace:
    spaces = {row_space(op) for op in job.group.body.block.ops if isinstance(op, ReductionOp)}
    space = spaces.pop() if len(spaces) == 1 else None
    if space is None:
        raise CompileError("strategy row needs reductions over the same axes of one shape")
    return space


@dataclass
class _Rows:
    """The rows of a group and how they are shared out; without threads, a core does a row."""

    job: Job
    space: RowSpace
    threads: int = 0
    rows: int = 1
    vector: int = 1

    def __post_init__(self) -> None:
        self.axes = sorted(self.space.axes)
        self.outer = self.space.squeezed
        self.inner = [self.space.shape[a] for a in self.axes]
        self.count, self.length = prod(self.outer), prod(self.inner)
        if self.length % self.vector:
            self.vector = 1
        self.is_warp = self.threads == WARP_LANES

    # Rows ----------------------------------------------------------------------------------------

    def write_on(self, map: LoopMap) -> None:
        """Write the loop over rows of a CPU, and the body of one row."""
        scope = LoopScope(self.job.builder, self.job.buffers, reduce_row)
        scope.parallel_loop(self.count, map, lambda row: self._row(scope, row))

    def write(self) -> None:
        """Write the loops over rows of a GPU, and the body of one row."""
        scope = LoopScope(self.job.builder, self.job.buffers, self._reduce)
        if not self.is_warp:
            self.job.threads = self.threads
            scope.parallel_loop(self.count, LoopMap.GRID, lambda row: self._row(scope, row))
            return
        blocks = -(-self.count // self.rows)

        def write_block(block: AffineExpr) -> None:
            scope.parallel_loop(
                self.rows,
                LoopMap.WARP,
                lambda warp: self._row_if_any(scope, block * self.rows + warp),
            )

        scope.parallel_loop(blocks, LoopMap.GRID, write_block)

    def _row_if_any(self, scope: LoopScope, row: AffineExpr) -> None:
        if self.count % self.rows:
            scope.where_below(row, self.count, lambda: self._row(scope, row))
        else:
            self._row(scope, row)

    def _row(self, scope: LoopScope, row: AffineExpr) -> None:
        """Write the results of one row; reductions are written when they are first read."""
        outer = unflatten(row, self.outer)
        for value, buffer in self.job.outputs:
            sizes = shape(value)
            if sizes == self.space.shape:
                self._elements(
                    scope, lambda at, v=value, b=buffer: store_elements(scope, [(v, b)], at), outer
                )
            elif sizes in (self.space.reduced, self.space.squeezed):
                index = self._reduced_index(outer) if sizes == self.space.reduced else outer
                self._once(
                    scope, lambda v=value, b=buffer, at=index: store_elements(scope, [(v, b)], at)
                )
            else:
                raise CompileError(
                    f"a result of shape {list(sizes)} is neither a row's elements nor one per row"
                )

    # Elements ------------------------------------------------------------------------------------

    @property
    def _lanes(self) -> LoopMap:
        """The mapping of the loop over the elements of a row."""
        if not self.threads:
            return LoopMap.VECTOR
        return LoopMap.LANE if self.is_warp else LoopMap.THREAD

    def _index(self, outer: Index, position: AffineExpr) -> list[AffineExpr]:
        """Return the index of the element at a position of a row."""
        inner = dict(zip(self.axes, unflatten(position, self.inner), strict=True))
        rest = iter(outer)
        return [inner[a] if a in inner else next(rest) for a in range(len(self.space.shape))]

    def _reduced_index(self, outer: Index) -> list[AffineExpr]:
        rest = iter(outer)
        zero = AffineExpr.constant(0)
        return [zero if a in self.axes else next(rest) for a in range(len(self.space.shape))]

    def _elements(self, scope: LoopScope, write: Callable[[Index], None], outer: Index) -> None:
        """Write a loop over the elements of a row."""

        def write_vector(lane: AffineExpr) -> None:
            if self.vector == 1:
                write(self._index(outer, lane))
                return
            scope.parallel_loop(
                self.vector,
                LoopMap.VECTOR,
                lambda v: write(self._index(outer, lane * self.vector + v)),
            )

        scope.parallel_loop(self.length // self.vector, self._lanes, write_vector)

    def _once(self, scope: LoopScope, write: Callable[[], None]) -> None:
        """Write what one thread of those that share a row does."""
        if self.threads:
            scope.parallel_loop(1, self._lanes, lambda lane: write())
        else:
            write()

    # Reductions ----------------------------------------------------------------------------------

    def _reduce(self, scope: LoopScope, op: ReductionOp, index: Index) -> Sequence[SSAValue] | None:
        """Write a reduction over a row: each thread its elements, then all threads together."""
        loop = ForOp(
            0,
            self.length // self.vector,
            kind=LoopKind.REDUCTION,
            map=self._lanes,
            iter_args=op.identity(scope.b),
        )
        with scope.loop(loop) as lane:
            total = self._reduce_vector(scope, op, index, lane, loop.carried_arguments)
            scope.b.builder.insert(YieldOp(*total))
        over = CombineScope.WARP if self.is_warp else CombineScope.BLOCK
        return combine(scope, op, loop.results, over)

    def _reduce_vector(
        self,
        scope: LoopScope,
        op: ReductionOp,
        index: Index,
        lane: AffineExpr,
        total: Sequence[SSAValue],
    ) -> Sequence[SSAValue]:
        def add(position: AffineExpr, total: Sequence[SSAValue]) -> Sequence[SSAValue]:
            at = unflatten(position, op.domain.reduction)
            return op.combine(scope.b, total, op.contribution(scope, index, at))

        if self.vector == 1:
            return add(lane, total)
        loop = ForOp(0, self.vector, kind=LoopKind.REDUCTION, map=LoopMap.UNROLL, iter_args=total)
        with scope.loop(loop) as v:
            inner = add(lane * self.vector + v, loop.carried_arguments)
            scope.b.builder.insert(YieldOp(*inner))
        return loop.results


def combine(
    scope: LoopScope, op: ReductionOp, parts: Sequence[SSAValue], over: CombineScope
) -> Sequence[SSAValue]:
    """Write the combination of all threads' accumulators of ``op``; every thread gets it."""
    types = [part.type for part in parts]
    block = Block(arg_types=[*types, *types])
    combination = CombineOp(parts, over, Region(block))
    scope.b.builder.insert(combination)
    before = scope.b.builder.insertion_point
    scope.b.builder.insertion_point = InsertPoint.at_end(block)
    left, right = block.args[: len(parts)], block.args[len(parts) :]
    scope.b.builder.insert(YieldOp(*op.combine(scope.b, left, right)))
    scope.b.builder.insertion_point = before
    return combination.totals
