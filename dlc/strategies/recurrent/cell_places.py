"""Which cells a thread has, and where they stand."""

from collections.abc import Callable
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.strategies.recurrent.thread import Thread


@dataclass
class CellPlaces:
    """The cells of a thread, by their number in the block: units first."""

    thread: Thread

    def __post_init__(self) -> None:
        self.scope, self.schedule = self.thread.scope, self.thread.layout.schedule
        self._count = self.schedule.units * self.schedule.sequences

    def number(self, q: AffineExpr) -> AffineExpr:
        """Return the number in the block of a thread's cell ``q``."""
        return q * self.schedule.threads + self.thread.number

    def each(self, write: Callable[[AffineExpr, AffineExpr], None]) -> None:
        """Write code for each cell of the thread and its number in the block."""

        def one(q: AffineExpr) -> None:
            number = self.number(q)
            self.scope.where_below(number, self._count, lambda: write(q, number))

        self.thread.each([self.thread.layout.cells], one)

    def is_own(self, number: AffineExpr) -> SSAValue:
        """Return whether the block has a cell of a number."""
        b = self.scope.b
        if self._count % self.schedule.threads == 0:
            return b.constant(True, i1)
        return b.compare("lt", self.scope.index_value(number), b.constant(self._count, IndexType()))

    def unit(self, number: AffineExpr) -> AffineExpr:
        """Return the unit of a cell, which may be behind the last one."""
        return self.thread.unit + number % self.schedule.units

    def index(self, number: AffineExpr) -> list[AffineExpr]:
        """Return the sequence and the unit of a cell; those behind the last unit are as that."""
        sequence = self.thread.sequence_index(number // self.schedule.units)
        return [sequence, self.thread.unit_index(self.unit(number))]

    def where_unit(self, number: AffineExpr, write: Callable[[], None]) -> None:
        """Write code for a cell where its unit is not behind the last one."""
        self.scope.where_below(self.unit(number), self.thread.cell.units, write)
