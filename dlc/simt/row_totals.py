"""What the elements of a row come to together, over all threads, and blocks, that have some."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place as BufferPlace
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.combination import ArrivalsOp
from dlc.dialects.loop.memory import AllocOp, buffer_shape
from dlc.dialects.loop.structure import YieldOp
from dlc.dialects.loop.total_rows import TotalRowsOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import element_bytes
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator, Columns
from dlc.simt.combine import over_lanes
from dlc.simt.elements import Piece, each_piece
from dlc.simt.region import RegionWriter
from dlc.simt.workers import Team

_FIRST = AffineExpr.constant(0)


@dataclass(frozen=True)
class RowTotals:
    """What becomes of a ``loop.total_rows``.

    The lanes that have elements of a row combine theirs by shuffles. One of them puts that in the
    shared memory of the block, or of all blocks of the cluster, where the row has a part for each
    group of warps that has elements of it. A thread for each row combines these, in their order.

    writer: knows the values around the op. team: who holds the elements; thread: this one's number.
    rank: the number of the block in its cluster.
    """

    writer: RegionWriter
    op: TotalRowsOp
    sums: Accumulator
    team: Team
    thread: AffineExpr
    rank: AffineExpr

    def write(self) -> None:
        """Write the parts of a thread, the wait for those of others, and the totals."""
        found, parts = self.sums.registers(self.op.element, [1]), self._new_parts()
        arrived = self._expect() if self.op.blocks > 1 else None

        def each_row(write: Callable[[AffineExpr, Columns], None]) -> None:
            def write_row(row: AffineExpr, columns: Columns) -> None:
                self.sums.store(self.writer.value(self.op.nothing), found, [_FIRST])
                write(row, columns)
                self._put(found, parts, row, arrived)

            self.sums.each_row(write_row)

        each_piece(self.writer, self.op, each_row, lambda *of: self._add(found, *of))
        if arrived is None:
            self.team.wait(self.writer.scope.b)
        else:
            first = self.writer.scope.b.constant(0, IndexType())
            self.writer.scope.b.builder.insert(gpu.MbarrierWaitOp(arrived, first))
        self._finish(parts)
        self.team.wait(self.writer.scope.b)

    @cached_property
    def _rows(self) -> int:
        return buffer_shape(self.op.accumulator)[0]

    @property
    def _count(self) -> int:
        """The parts of a row."""
        return self.op.blocks * self.sums.beside

    def _new_parts(self) -> SSAValue:
        space = SpaceAttr(Space.SHARED)
        type = MemRefType(self.op.element, [self._count, self._rows], memory_space=space)
        return self.writer.scope.b.insert(AllocOp(type))

    def _expect(self) -> BufferPlace:
        """Write where parts arrive, and how many bytes: those of all blocks."""
        scope = self.writer.scope
        arrived = self.sums.place(scope.b.insert(ArrivalsOp()), [_FIRST])
        bytes = self._count * self._rows * element_bytes(self.op.element)

        def expect() -> None:
            scope.b.builder.insert(gpu.MbarrierArriveOp(arrived, bytes))

        scope.where_below(self.thread, 1, expect)
        return arrived

    def _add(self, found: SSAValue, piece: Piece, ops: Sequence[Operation]) -> None:
        """Write the addition of neighbours to what a thread has of a row."""
        scope, (_, column, value) = self.writer.scope, self.op.body.block.args

        def add_one(number: AffineExpr) -> None:
            with scope.branch_level():
                element = self.sums.load(self.sums.buffer, piece.place(number))
                inner = piece.outer.inner({column: piece.at + number}, {value: element})
                inner.write(ops)
                before = self.sums.load(found, [_FIRST])
                total = self._combined(before, inner.value(self.op.yielded))
                self.sums.store(total, found, [_FIRST])

        open_loop(scope, piece.length, LoopMap.UNROLL, add_one)

    def _combined(self, left: SSAValue, right: SSAValue) -> SSAValue:
        body = self.op.combination.block
        inner = self.writer.inner(values=dict(zip(body.args, (left, right), strict=True)))
        *ops, last = body.ops
        inner.write(ops)
        assert isinstance(last, YieldOp)
        return inner.value(last.arguments[0])

    def _put(
        self, found: SSAValue, parts: SSAValue, row: AffineExpr, arrived: BufferPlace | None
    ) -> None:
        """Write what one of the lanes that have a row does with what they have together."""
        scope, sums = self.writer.scope, self.sums
        (part,) = over_lanes(
            scope.b,
            [sums.load(found, [_FIRST])],
            lambda left, right: [self._combined(left[0], right[0])],
            sums.row_lanes,
            1,
        )
        sums.store(part, found, [_FIRST])
        first = self.rank * sums.beside if arrived else _FIRST
        place = [first + sums.number_beside, row]

        def put() -> None:
            if arrived is None:
                sums.store(part, parts, place)
                return
            source, there = sums.place(found, [_FIRST]), sums.place(parts, place)
            for block in range(self.op.blocks):
                rank = scope.b.constant(block, IndexType())
                scope.b.builder.insert(gpu.StAsyncOp(source, there, arrived, rank, 1))

        scope.where_below(sums.lane % sums.row_lanes, 1, put)

    def _finish(self, parts: SSAValue) -> None:
        """Write the totals: each thread those of its rows."""
        scope, sums, threads = self.writer.scope, self.sums, self.team.threads

        def finish(row: AffineExpr) -> None:
            total, *others = (
                sums.load(parts, [AffineExpr.constant(part), row]) for part in range(self._count)
            )
            for other in others:
                total = self._combined(total, other)
            sums.store(total, self.op.totals, [row])

        def finish_own(round: AffineExpr) -> None:
            row = round * threads + self.thread
            scope.where_below(row, self._rows, lambda: finish(row))

        open_loop(scope, -(-self._rows // threads), LoopMap.UNROLL, finish_own)
