"""Running sums along an axis that is not the last one, on a GPU: a thread for some columns."""

from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from dlc.dialects.loop.attributes import LoopMap
from dlc.strategies.scan.columns import Columns


@dataclass
class ScanAcross(Columns):
    """threads: those of a block."""

    threads: int = 1

    def write(self) -> None:
        scope = self.scope
        self.job.threads = self.threads

        def write_thread(block: AffineExpr, thread: AffineExpr) -> None:
            unit = block * self.threads + thread
            scope.where_below(unit, self.units, lambda: self.write_unit(unit))

        def write_block(block: AffineExpr) -> None:
            own = lambda thread: write_thread(block, thread)
            scope.parallel_loop(self.threads, LoopMap.THREAD, own)

        scope.parallel_loop(-(-self.units // self.threads), LoopMap.GRID, write_block)
