"""A warp's part of a tile by matrix instructions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import Fragment
from dlc.arch.instruction import Instruction
from dlc.dialects.loop import ForOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator, Columns, Operand
from dlc.simt.matrix_product import MATRIX_ROWS, MatrixProduct
from dlc.simt.steps import write_steps


@dataclass
class MatrixTile(Accumulator):
    """``down`` x ``across`` fragments of the accumulator (``dlc/arch/fragments.py``), each of
    panels side by side.
    """

    @property
    def worker(self) -> AffineExpr:
        return self.warp

    @property
    def sizes(self) -> Sequence[int]:
        return self.down, self.across, self._fragment.slots

    @property
    def _fragment(self) -> Fragment:
        place = self.spread.row.c.place
        assert place is not None
        return place

    def multiply(
        self, instruction: Instruction, lhs: Operand, rhs: Operand, loop: ForOp | None
    ) -> None:
        write_steps(self.scope, lambda: MatrixProduct(self, instruction, lhs, rhs), loop)

    def each_row(self, write: Callable[[AffineExpr, Columns], None]) -> None:
        fragment, together, run = self._fragment, self.spread.interleave, self.spread.run
        pack, (halves, beside) = fragment.pack, fragment.panels

        def write_half(at: Sequence[AffineExpr]) -> None:
            i, half = at
            row = self.row(i) + half * MATRIX_ROWS + self.lane // 4

            def columns(finish: Callable[..., None]) -> None:
                def write_run(group: AffineExpr) -> None:
                    first = group * together

                    def place(number: AffineExpr) -> list[AffineExpr]:
                        panel = first + number // pack
                        slot = (panel % beside * halves + half) * pack + number % pack
                        return [i, panel // beside, slot]

                    finish(self._panel(first) + (self.lane % 4) * run, run, place)

                groups = self.across * beside // together
                open_loop(self.scope, groups, LoopMap.UNROLL, write_run)

            write(row, columns)

        self.nest([self.down, halves], write_half)

    def _panel(self, number: AffineExpr) -> AffineExpr:
        """Return the first column of panel ``number`` of those of a row."""
        beside = self.spread.row.panels
        width = self.spread.row.n // beside
        return self.column(number // beside) + number % beside * width
