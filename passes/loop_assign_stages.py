"""Give each thread its part of the tiles that the threads of a block bring together."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from math import prod

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import Operation
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.staged_copy import StagedLoad, computed_elements, copy_elements, staged_load
from dlc.core.affine import extent, unflatten
from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.core.task_map import TaskMap, repeat
from dlc.dialects import gpu
from dlc.dialects.loop import AllocOp, ContractOp, KernelOp, StageOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.stage import TileOp
from dlc.errors import CompileError
from dlc.ir.space import Space, space_of
from dlc.lowering.scope import LoopScope
from dlc.lowering.tile_scope import open_loop
from dlc.simt.staged_element import Place, copy_from, store_element
from dlc.simt.staged_run import StagedRun
from dlc.simt.tensor_copies import write_tensor_copies
from dlc.simt.workers import Team, team_of

UNROLLED_ROUNDS = 32
"""Up to this many rounds of copies are written out: what does not change from slice to slice can
then be computed before the loop and kept in registers. Rounds that not all threads take part in
stay a loop, of one op, which needs no barrier against itself."""


class LoopAssignStagesPass(DlcPass):
    """Obey the task mapping of each ``loop.stage``: its rounds become copies or loops of stores.

    1. A region that is a load, on a condition or not, becomes asynchronous copies, as wide as its
       neighbours in memory are aligned; the condition becomes theirs.
    2. Any other region is computed and stored: neighbours together where the mapping gives a
       thread as many as one store takes, element by element elsewhere.
    3. A ``tensor`` stage becomes a tensor copy for each of the tile's groups; the thread that comes
       there starts it.
    4. Stages in a row that are not ``async`` are awaited together, where the first of them may be
       read; buffers may stand between them. What instructions read where it lies is made visible to
       them there. The barriers around them are left to ``gpu-insert-barriers``.

    Runs on: ``loop``. Leaves: ``loop`` with copies of ``gpu``. Order: after
    ``loop-pipeline-stages``, before ``convert-loop-to-gpu``.

    ::

        loop.stage %s map = <repeat(2, 1) * spatial(32, 4) * repeat(1, 8)> {  ->
        ^bb0(%i: index, %j: index):
          %v = loop.load %x[%i, %k * 32 + %j]
          loop.yield %v
        }
        gpu.cp_async %x[%t floordiv 4, %k * 32 + (%t mod 4) * 8] to %s[%t floordiv 4, ..]
        gpu.cp_async %x[%t floordiv 4 + 32, ..] to %s[%t floordiv 4 + 32, ..]
    """

    name = "loop-assign-stages"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for stage in [o for o in kernel.walk() if isinstance(o, StageOp)]:
                    _assign(stage)


def _assign(stage: StageOp) -> None:
    scope = LoopScope(Builder(InsertPoint.before(stage)), {})
    if stage.tensor is not None:
        write_tensor_copies(scope, stage)
        Rewriter.erase_op(stage)
        return
    _Assignment(stage, scope).write()
    if stage.asynchronous is None and (reader := _reader_of_all(stage)) is not None:
        scope.b.builder.insert(gpu.CpAsyncCommitOp())
        scope.b.builder.insertion_point = InsertPoint.before(reader)
        scope.b.builder.insert(gpu.CpAsyncWaitOp(0))
        if _is_read_in_place(stage):
            scope.b.builder.insert(gpu.AsyncFenceOp())
    Rewriter.erase_op(stage)


def _reader_of_all(last: StageOp) -> Operation | None:
    """Return the first op that may need the stages in a row that end with ``last``; ``None`` where
    another one follows. What threads do with tiles goes on under the copies while it names no
    shared memory.
    """
    following = last.next_op
    while isinstance(following, AllocOp):
        following = following.next_op
    if isinstance(following, StageOp) and following.asynchronous is None:
        return None
    while isinstance(following, AllocOp | TileOp) and not _may_need(following):
        following = following.next_op
    return following


def _may_need(op: Operation) -> bool:
    """Return whether an op brings a tile, or names shared memory."""
    used = (v for inner in op.walk() for v in inner.operands)
    shared = any(isinstance(v.type, MemRefType) and space_of(v) is Space.SHARED for v in used)
    return shared or isinstance(op, StageOp)


def _is_read_in_place(stage: StageOp) -> bool:
    """Return whether instructions read the tile in shared memory, by the asynchronous proxy."""
    users = [use.operation for use in stage.tile.uses]
    return any(isinstance(op, ContractOp) and op.instruction.is_asynchronous for op in users)


@dataclass(frozen=True)
class _Assignment:
    """What each thread does for a stage.

    chunk: neighbours in a line that the mapping gives one thread together, its last ``repeat``.
    """

    stage: StageOp
    scope: LoopScope

    @cached_property
    def team(self) -> Team:
        """Who brings the tile."""
        return team_of(self.stage)

    @property
    def chunk(self) -> int:
        return self.stage.chunk

    @cached_property
    def chunks(self) -> TaskMap:
        """The mapping of the threads to chunks."""
        map = self.stage.map.data
        return TaskMap(map.factors[:-1] or repeat(1, 1).factors) if self.chunk > 1 else map

    @property
    def is_exact(self) -> bool:
        """Whether every thread brings a chunk in every round."""
        map = self.stage.map.data
        return map.workers == self.team.threads and map.shape == self.stage.sizes

    @cached_property
    def thread(self) -> AffineExpr:
        """The number of this thread, which is one of the workers."""
        return self.scope.dim(self.team.number, extent(self.chunks.workers))

    def write(self) -> None:
        """Write all rounds; raises CompileError for a mapping of more workers than threads."""
        threads, workers = self.team.threads, self.chunks.workers
        if workers > threads:
            who = "block" if self.team.role is None else "role"
            raise CompileError(
                f"the task mapping has {workers} workers, the {who} {threads} threads",
                at=operation_text(self.stage),
            )
        thread = self.scope.dim(self.team.number, extent(threads))
        self.scope.where_below(thread, workers, self._write_rounds)

    def _write_rounds(self) -> None:
        width = copy_elements(self.stage, self.chunk)
        repeats = self.chunks.repeats
        if width and self.is_exact and prod(repeats) <= UNROLLED_ROUNDS:
            for at in product(*map(range, repeats)):
                self._write_chunk([AffineExpr.constant(n) for n in at], width)
        else:
            self._each(
                prod(repeats), lambda round: self._write_chunk(unflatten(round, repeats), width)
            )

    def _each(self, rounds: int, write: Callable[[AffineExpr], None]) -> None:
        """Write a loop over rounds, some of them together."""
        together = next(n for n in (8, 4, 2, 1) if rounds % n == 0)

        def write_some(outer: AffineExpr) -> None:
            first = outer * together
            open_loop(self.scope, together, LoopMap.UNROLL, lambda inner: write(first + inner))

        open_loop(self.scope, rounds // together, LoopMap.SERIAL, write_some)

    def _write_chunk(self, at: Sequence[AffineExpr], width: int) -> None:
        """Write the chunk of a round, by copies of ``width`` elements or one by one (0)."""
        line, number = self.chunks.task(self.thread, at)
        first = number * self.chunk
        lines, length = self.stage.sizes
        if not width and self.chunk > 1 and self.chunk == computed_elements(self.stage):
            run = StagedRun(self.scope, self.stage, line, number, self.chunk)
            self.scope.where_below(
                line, lines, lambda: self.scope.where_below(first, length, run.write)
            )
            return

        def write_piece(place: AffineExpr) -> None:
            self.scope.where_below(place, length, lambda: self._write((line, place), width))

        def write_line() -> None:
            pieces, kind = self.chunk // (width or 1), LoopMap.UNROLL if width else LoopMap.VECTOR
            open_loop(self.scope, pieces, kind, lambda n: write_piece(first + n * (width or 1)))

        self.scope.where_below(line, lines, write_line)

    @cached_property
    def _staged(self) -> StagedLoad | None:
        return staged_load(self.stage)

    def _write(self, place: Place, width: int) -> None:
        if width and self._staged is not None:
            copy_from(self.scope, self.stage, self._staged, place, width)
        else:
            store_element(self.scope, self.stage, self._staged, place)
