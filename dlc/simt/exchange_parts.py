"""The end of an accumulator of which each block of a cluster has a part of the sums: the parts meet
in the shared memory of all these blocks.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects.gpu.cluster import REMOTE_BYTES
from dlc.ir.space import Space
from dlc.ir.tensor import element_bytes
from dlc.model.contraction import EXCHANGE_MARGIN
from dlc.simt.accumulator import Columns, Place
from dlc.simt.exchange import Exchange


@dataclass(frozen=True)
class PartExchange(Exchange):
    """What becomes of a drain of ``parts``: each block gets its share of the rows from all blocks,
    adds the parts in the order of the blocks, so that every run gives the same bits, and finishes
    these rows. part: the number of this block's, known in front of all loops.
    """

    part: AffineExpr

    @property
    def _rows(self) -> int:
        return -(-self._tile_rows // self.op.blocks)

    @property
    def _first_row(self) -> AffineExpr:
        return self.part * self._rows

    def _new_tile(self) -> SSAValue:
        sizes = [self.op.blocks, self._rows, self._columns + EXCHANGE_MARGIN]
        return self._new_buffer(sizes, Space.SHARED)

    def _meet(self) -> None:
        self.writer.scope.b.builder.insert(gpu.ClusterBarrierOp())

    def _put(self, tile: SSAValue, row: AffineExpr, columns: Columns) -> None:
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
                scope.b.builder.insert(gpu.ClusterStoreOp(source, destination, block, piece))

        columns(put_run)

    def _sum(self, tile: SSAValue, row: AffineExpr, column: AffineExpr) -> SSAValue:
        total, *others = (
            self.accumulator.load(tile, [AffineExpr.constant(part), row, column])
            for part in range(self.op.blocks)
        )
        for other in others:
            total = self.writer.scope.b.add(total, other)
        return total
