"""Strategy ``row``: reductions over whole rows, with what computes and uses the rows' elements.

A row is the points of a tensor along the reduced axes; each reduction is done once per row.
Keys of the schedule: ``threads`` (GPU) is the number of threads that share a row, 32 (a warp) or a
whole block; ``rows`` is the number of warps per block, each with its own row; a thread takes
``vector`` neighbouring elements at once. Without ``threads`` the nest is for a CPU, one core per
row; ``cores`` says whether several are used.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir import Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.analysis.role import RowSpace, row_space
from dlc.core.affine import unflatten
from dlc.core.locations import operation_text
from dlc.dialects._tensor import shape
from dlc.dialects.graph._structure import Index, ReductionOp
from dlc.dialects.loop._attributes import CombineScope, LoopKind, LoopMap
from dlc.dialects.loop._structure import CombineOp, ForOp, YieldOp
from dlc.errors import CompileError
from dlc.lowering._axes import store_elements
from dlc.lowering._job import Job
from dlc.lowering._lanes import reduce_row
from dlc.lowering._scope import LoopScope

WARP_THREADS = 32

PARALLEL_POINTS = 1 << 14
"""Below this many points one core is as fast as several."""


def lower(job: Job) -> None:
    """Write one nest over the rows; raises CompileError where the group has no row reduction."""
    spaces = {row_space(op) for op in job.group.body.block.ops if isinstance(op, ReductionOp)}
    space = spaces.pop() if len(spaces) == 1 else None
    if space is None:
        raise CompileError(
            "strategy row needs reductions over the same axes of one shape",
            at=operation_text(job.group),
        )
    _Rows(job, space).write()


@dataclass
class _Rows:
    """The rows of a group and how they are shared out."""

    job: Job
    space: RowSpace

    def __post_init__(self) -> None:
        schedule = self.job.schedule
        self.axes = sorted(self.space.axes)
        self.outer = self.space.squeezed
        self.inner = [self.space.shape[a] for a in self.axes]
        self.count, self.length = prod(self.outer), prod(self.inner)
        self.threads = schedule.get("threads", 0)
        self.rows = schedule.get("rows", 1)
        self.vector = schedule.get("vector", 1)
        if self.length % self.vector:
            self.vector = 1
        self.is_warp = self.threads == WARP_THREADS
        if self.threads > WARP_THREADS and self.rows > 1:
            raise CompileError(
                f"rows = {self.rows} with threads = {self.threads}: several rows per block are for "
                f"{WARP_THREADS} threads per row",
                at=operation_text(self.job.group),
            )

    # Rows ----------------------------------------------------------------------------------------

    def write(self) -> None:
        """Write the loops over rows and the body of one row."""
        if not self.threads:
            scope = LoopScope(self.job.builder, self.job.buffers, reduce_row)
            points = self.count * self.length
            cores = self.job.schedule.get("cores", points >= PARALLEL_POINTS)
            map = LoopMap.CORES if cores else LoopMap.SERIAL
            scope.parallel_loop(self.count, map, lambda row: self._row(scope, row))
            return
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
                    f"a result of shape {list(sizes)} is neither a row's elements nor one per row",
                    at=operation_text(self.job.group),
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
