"""Where what each step gives is written: the results of all steps."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.ir.tensor import compute_type, element_type
from dlc.strategies.recurrent.cell_places import CellPlaces

Output = tuple[int, SSAValue]
"""The number of a result of the loop, and its buffer."""


@dataclass
class ResultsOfSteps:
    """The results that have a part for each step."""

    places: CellPlaces
    outputs: Sequence[Output]

    def __post_init__(self) -> None:
        self.thread = self.places.thread

    def store(self, number: AffineExpr, place: AffineExpr, values: Sequence[SSAValue]) -> None:
        """Write a cell's elements of the parts at ``place``."""

        def write() -> None:
            at = self.places.index(number)
            for (each, buffer), value in zip(self.outputs, values, strict=True):
                self.thread.store(value, buffer, [place, *self.thread.cell.place(each, at)])

        self.places.where_unit(number, write)

    def fill(self, place: AffineExpr) -> None:
        """Write the zeros behind the units of parts at ``place``: by the first threads of all."""
        for each, buffer in self.outputs:
            self._fill(each, buffer, place)

    def _fill(self, each: int, buffer: SSAValue, place: AffineExpr) -> None:
        thread, number, room = self.thread, self.thread.number_of_all, self.thread.cell.room(each)

        def write() -> None:
            type = compute_type(element_type(thread.cell.loop.yielded[each]))
            zero = thread.scope.b.constant(0.0, type)
            thread.store(zero, buffer, [place, number + room.start])

        if room:
            thread.scope.where_below(number, len(room), write)
