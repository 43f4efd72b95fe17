"""The end of sums of weights of which several blocks have parts, which meet in scratch.

A part is relative to its own largest score. The block that arrives last finishes: neighbouring
threads take neighbours of a row, and bring the parts of these to one level.
"""

from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.drain_parts import DrainPartsOp
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Place
from dlc.simt.last_block import LastBlock
from dlc.simt.weighed_run import WeighedRun
from dlc.simt.weighed_sums import WeighedSums


@dataclass(frozen=True)
class WeighedParts:
    """What becomes of a ``loop.drain_parts``. sums: those of this block."""

    op: DrainPartsOp
    sums: WeighedSums

    def write(self) -> None:
        """Write this block's part, and what the last block does with all of them."""
        sums, scope = self.sums, self.sums.scope
        tile, part = map(sums.writer.expr, (self.op.tile, self.op.part))
        self._write_part([tile, part])
        arrivals = LastBlock(scope, self.op.counters, tile, sums.team, sums.thread)
        arrivals.meet(
            self.op.parts,
            lambda: sums.each_run(lambda row, run: self._finish(tile, row, run)),
        )

    def _write_part(self, number: Place) -> None:
        """Write the part of this block to scratch. number: that of the tile, and of the part."""
        sums, teams = self.sums, self.sums.tile.spread.teams
        if teams == 1:
            sums.put(self.op.scratch, number)
            return
        shared = sums.meet()

        def put_run(row: AffineExpr, run: AffineExpr) -> None:
            column = run * sums.width
            whole = sums.run(shared, lambda part: [part, row], teams, column)

            def put(n: AffineExpr) -> None:
                sums.tile.store(whole.sum(n), self.op.scratch, [*number, row, column + n])

            open_loop(sums.scope, sums.width, LoopMap.VECTOR, put)
            sums.where_first(
                run, lambda: sums.put_state(self.op.scratch, [*number, row], whole.state())
            )

        sums.each_run(put_run)

    def _finish(self, tile: AffineExpr, row: AffineExpr, run: AffineExpr) -> None:
        """Write what becomes of a run when all parts are there."""
        sums, column = self.sums, run * self.sums.width

        def sum_up() -> WeighedRun:
            scratch = self.op.scratch
            return sums.run(scratch, lambda part: [tile, part, row], self.op.parts, column)

        sums.finish(row, run, sum_up)
