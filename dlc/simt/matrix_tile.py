"""A warp's part of a tile by matrix instructions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import PANEL_ROWS, ROW_LANES, Fragment
from dlc.arch.instruction import Instruction
from dlc.dialects.loop import ForOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import buffer_shape
from dlc.ir.tensor import compute_type
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator, Columns, Held, Operand, Place
from dlc.simt.matrix_product import MatrixProduct, load_held
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
    def row_lanes(self) -> int:
        return ROW_LANES

    @property
    def beside(self) -> int:
        return self.spread.beside

    @property
    def number_beside(self) -> AffineExpr:
        return self.worker % self.beside

    @property
    def sizes(self) -> Sequence[int]:
        return self.down, self.across, self._fragment.slots

    @property
    def _fragment(self) -> Fragment:
        place = self.spread.row.c.place
        assert place is not None
        return place

    def multiply(
        self, instruction: Instruction, lhs: Operand | Held, rhs: Operand, loop: ForOp | None
    ) -> None:
        write_steps(self.scope, lambda: MatrixProduct(self, instruction, lhs, rhs), loop)

    def hold(self, lhs: Operand) -> Held:
        """Write the loads of a staged lhs to registers."""
        held = self._new_held(self.compute)
        load_held(self, held, self.spread.row, lhs)
        return held

    def rounded(self, element: Attribute) -> Held:
        """Write the sums, rounded to a type, as the lhs of a product: a lane holds the same
        elements of both (``dlc/arch/fragments.py``), those of a fragment in the same order.
        """
        held = self._new_held(element)
        self.round(held)
        return held

    def make_held(self) -> Held:
        """Write the registers of a lhs, all zeros."""
        held = self._new_held(self.compute)
        zero = self.scope.b.constant(0, compute_type(self.compute))
        self.nest(buffer_shape(held.buffer), lambda at: self.store(zero, held.buffer, at))
        return held

    def round(self, held: Held) -> None:
        """Write the sums, rounded, to the registers of a lhs."""
        each = self.sizes[-1]

        def put(at: Place) -> None:
            i, step, slot = at
            number = step * buffer_shape(held.buffer)[-1] + slot
            value = self.load(self.buffer, [i, number // each, number % each])
            self.store(value, held.buffer, at)

        self.nest(buffer_shape(held.buffer), put)

    def _new_held(self, element: Attribute) -> Held:
        place = self.spread.row.a.place
        assert place is not None
        steps = self.across * self.sizes[-1] // place.slots
        buffer = self.registers(element, [self.down, steps, place.slots])
        depth = self.spread.columns // self.spread.beside
        number = self.worker % self.spread.beside
        return Held(buffer, depth, first=number * depth)

    @property
    def rows(self) -> Sequence[int]:
        """The sizes of a buffer with a place for each row that a thread has elements of."""
        return self.down, self._fragment.panels[0]

    def each_row(self, write: Callable[[AffineExpr, Columns], None]) -> None:
        self.nest(self.rows, lambda at: write(self.row_of(at), self.columns_of(at)))

    def row_of(self, at: Place) -> AffineExpr:
        """Return the row of the tile whose place in a buffer of ``rows`` is ``at``."""
        i, half = at
        return self.row(i) + half * PANEL_ROWS + self.lane // ROW_LANES

    def columns_of(self, at: Place) -> Columns:
        """Return what writes something for each run of neighbours of a row. at: its place in a
        buffer of ``rows``.
        """
        (i, half), together, run = at, self.spread.interleave, self.spread.run
        pack, (halves, beside) = self._fragment.pack, self._fragment.panels

        def columns(finish: Callable[..., None]) -> None:
            def write_run(group: AffineExpr) -> None:
                first = group * together

                def place(number: AffineExpr) -> list[AffineExpr]:
                    panel = first + number // pack
                    slot = (panel % beside * halves + half) * pack + number % pack
                    return [i, panel // beside, slot]

                finish(self._panel(first) + (self.lane % ROW_LANES) * run, run, place)

            groups = self.across * beside // together
            open_loop(self.scope, groups, LoopMap.UNROLL, write_run)

        return columns

    def _panel(self, number: AffineExpr) -> AffineExpr:
        """Return the first column of panel ``number`` of those of a row."""
        beside = self.spread.row.panels
        width = self.spread.row.n // beside
        return self.column(number // beside) + number % beside * width
