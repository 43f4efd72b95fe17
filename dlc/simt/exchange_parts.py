"""The end of an accumulator of which each block of a cluster has a part of the sums: the parts meet
in the shared memory of all these blocks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from math import gcd

from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place as BufferPlace
from dlc.dialects.gpu.cluster import REMOTE_BYTES
from dlc.dialects.loop.combination import ArrivalsOp, MeetOp
from dlc.ir.space import Space
from dlc.ir.tensor import element_bytes
from dlc.model.contraction import EXCHANGE_MARGIN
from dlc.simt.accumulator import Columns, Place
from dlc.simt.exchange import Exchange

_FIRST = AffineExpr.constant(0)


@dataclass(frozen=True)
class PartExchange(Exchange):
    """What becomes of a drain of ``parts``: each block gets its share of the rows from all blocks,
    adds the parts in the order of the blocks, so that every run gives the same bits, and finishes
    these rows. part: the number of this block's, known in front of all loops.

    Blocks send without waiting, and each waits for what arrives at its own: a barrier of the
    cluster would also wait for all else that its threads have under way, twice.
    """

    part: AffineExpr

    @property
    def _rows(self) -> int:
        return -(-self._tile_rows // self.op.blocks)

    def write(self) -> None:
        """Write what sends the sums, the wait for those of all blocks, and the loop over what a
        thread takes.
        """
        scope, tile = self.writer.scope, self._new_tile()
        b = scope.b
        b.builder.insert(MeetOp())
        arrived = self.accumulator.place(b.insert(ArrivalsOp()), [_FIRST])
        scope.where_below(self.thread, 1, lambda: self._expect(arrived))
        self.accumulator.each_row(lambda row, columns: self._send(tile, arrived, row, columns))
        b.builder.insert(gpu.MbarrierWaitOp(arrived, b.constant(0, IndexType())))
        self._take_all(tile, self.part * self._rows)

    def _expect(self, arrived: BufferPlace) -> None:
        """Write how many bytes arrive at a block: its rows of the sums of all. The last blocks may
        have fewer rows, or none.
        """
        scope = self.writer.scope
        row_bytes = self.op.blocks * self._columns * element_bytes(self.accumulator.compute)
        whole, rest = divmod(self._tile_rows, self._rows)
        counts = [self._rows] * whole + [rest] + [0] * self.op.blocks

        def write(rows: int) -> None:
            bytes = rows * row_bytes if rows else None
            scope.b.builder.insert(gpu.MbarrierArriveOp(arrived, bytes))

        for rows, some in groupby(range(self.op.blocks), counts.__getitem__):
            blocks = list(some)
            scope.where_below(
                AffineExpr.constant(blocks[0]) - self.part,
                1,
                partial(scope.where_below, self.part, blocks[-1] + 1, partial(write, rows)),
            )

    def _new_tile(self) -> SSAValue:
        sizes = [self.op.blocks, self._rows, self._columns + EXCHANGE_MARGIN]
        return self._new_buffer(sizes, Space.SHARED)

    def _send(
        self, tile: SSAValue, arrived: BufferPlace, row: AffineExpr, columns: Columns
    ) -> None:
        """Write the sums that this thread has in a row to the block that finishes the row."""
        scope = self.writer.scope
        block = scope.index_value(row // self._rows)
        most = REMOTE_BYTES[-1] // element_bytes(self.accumulator.compute)

        def put_run(column: AffineExpr, count: int, place: Callable[[AffineExpr], Place]) -> None:
            piece = gcd(count, most)
            for first in range(0, count, piece):
                sums = self._new_buffer([piece], Space.REGISTER)
                for number in range(piece):
                    at = place(AffineExpr.constant(first + number))
                    value = self.accumulator.load(self.accumulator.buffer, at)
                    self.accumulator.store(value, sums, [AffineExpr.constant(number)])
                source = self.accumulator.place(sums, [AffineExpr.constant(0)])
                there = [self.part, row % self._rows, column + first]
                destination = self.accumulator.place(tile, there)
                scope.b.builder.insert(gpu.StAsyncOp(source, destination, arrived, block, piece))

        columns(put_run)

    def _sum(self, tile: SSAValue, row: AffineExpr, column: AffineExpr) -> SSAValue:
        total, *others = (
            self.accumulator.load(tile, [AffineExpr.constant(part), row, column])
            for part in range(self.op.blocks)
        )
        for other in others:
            total = self.writer.scope.b.add(total, other)
        return total
