"""What a thread does for its cells in each step: from sums to new states."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.graph.computed import ContractionOp, Index
from dlc.ir.tensor import compute_type, element_type
from dlc.strategies.recurrent.block_phase import BlockPhase
from dlc.strategies.recurrent.cell import SEQUENCE, UNIT, Read
from dlc.strategies.recurrent.cell_places import CellPlaces
from dlc.strategies.recurrent.results_of_steps import Output, ResultsOfSteps
from dlc.strategies.recurrent.thread import Thread


@dataclass
class Cells:
    """The cells of a thread: their states are in registers from step to step, and so is what they
    read beside them.
    """

    thread: Thread
    phases: Sequence[BlockPhase]
    outputs: Sequence[Output]
    states: list[SSAValue] = field(default_factory=list[SSAValue])
    read: dict[Read, SSAValue] = field(default_factory=dict[Read, SSAValue])

    def __post_init__(self) -> None:
        self.scope, self.cell = self.thread.scope, self.thread.cell
        self.layout, self.schedule = self.thread.layout, self.thread.layout.schedule
        self.states = [self._held(value, "state") for value in self.cell.states]
        self.read = {read: self._held(read.value, "read") for read in self.cell.read}
        count = len(self.states)
        self.places = CellPlaces(self.thread)
        self._last = [each for each in self.outputs if each[0] < count]
        stacked = [each for each in self.outputs if each[0] >= count]
        self.results = ResultsOfSteps(self.places, stacked)

    def _held(self, value: SSAValue, name: str) -> SSAValue:
        """Return registers for an element of each cell of the thread."""
        return self.thread.registers(_computed(value), [self.layout.cells], name)

    # What is read -------------------------------------------------------------------------------

    def begin(self) -> None:
        """Write the loads of the first states, and of what is the same in all steps."""
        self.places.each(self._begin)

    def _begin(self, q: AffineExpr, number: AffineExpr) -> None:
        at = self.places.index(number)
        for initial, buffer in zip(self.cell.loop.initial, self.states, strict=True):
            self.thread.store(self.scope.read(initial, at), buffer, [q])
        self._load(self.cell.shared, self.cell.loop.shared, q, at)

    def bring(self, place: AffineExpr) -> None:
        """Write the loads of what is the step's alone, which stands at ``place`` of the slices."""
        self.places.each(
            lambda q, number: self._load(
                self.cell.sliced, self.cell.loop.sliced, q, self.places.index(number), place
            )
        )

    def _load(
        self,
        inner: Sequence[SSAValue],
        outer: Sequence[SSAValue],
        q: AffineExpr,
        at: Index,
        *first: AffineExpr,
    ) -> None:
        """Write the loads of a cell's elements of values. inner: as the body names them, outer: as
        the loop takes them, where they have the index ``first`` more.
        """
        outside = dict(zip(inner, outer, strict=True))
        for read, buffer in self.read.items():
            if read.value in outside:
                index = [expr.replace_dims_and_symbols(at, ()) for expr in read.index]
                value = self.scope.read(outside[read.value], [*first, *index])
                self.thread.store(value, buffer, [q])

    # A step -------------------------------------------------------------------------------------

    def give(self, phase: BlockPhase, step: AffineExpr) -> None:
        """Write the factors of a phase, and let others see them."""
        self.thread.each([self.layout.cells], lambda q: self._give(phase, q, step))

    def _give(self, phase: BlockPhase, q: AffineExpr, step: AffineExpr) -> None:
        number, factors = self.places.number(q), phase.phase.factors
        own = self.places.is_own(number)
        values = self._where_own(own, factors, lambda: self._compute(q, number, factors))
        phase.publish(self.places, step, number, values, own)

    def finish(self, step: AffineExpr, place: AffineExpr) -> None:
        """Write what a step gives, which stands at ``place`` of results, and let others see it."""
        self.thread.each([self.layout.cells], lambda q: self._finish(q, step, place))

    def _finish(self, q: AffineExpr, step: AffineExpr, place: AffineExpr) -> None:
        scope, number = self.scope, self.places.number(q)
        yielded, exchanged = self.cell.loop.yielded, self.cell.exchanged
        given = [*exchanged, *(each for each, _ in self.results.outputs)]
        own = self.places.is_own(number)
        values = self._where_own(
            own, [yielded[each] for each in given], lambda: self._new_states(q, number, given)
        )
        published, rest = values[: len(exchanged)], values[len(exchanged) :]
        self.phases[0].publish(self.places, step, number, published, own)
        if rest:
            scope.where(own, lambda: self.results.store(number, place, rest))

    def _where_own(
        self, own: SSAValue, given: Sequence[SSAValue], write: Callable[[], list[SSAValue]]
    ) -> Sequence[SSAValue]:
        """Return what ``write`` gives for values where the block has the cell, else zeros."""
        b = self.scope.b
        zeros = [b.constant(0.0, _computed(value)) for value in given]
        return b.branch(own, write, lambda: zeros)

    def _new_states(
        self, q: AffineExpr, number: AffineExpr, given: Sequence[int]
    ) -> list[SSAValue]:
        """Write the new states of a cell; return those yielded values that are asked for."""
        values = self._compute(q, number, self.cell.phases[-1].given)
        for value, buffer in zip(values, self.states, strict=False):
            self.thread.store(value, buffer, [q])
        return [values[each] for each in given]

    def _compute(
        self, q: AffineExpr, number: AffineExpr, wanted: Sequence[SSAValue]
    ) -> list[SSAValue]:
        """Write the elements of a cell of values."""
        scope, at = self.scope, self.places.index(number)
        scope.elements = lambda value, index: self._element(q, number, at, value, index)
        values = [scope.read(value, at) for value in wanted]
        scope.elements = None
        return values

    def end(self) -> None:
        """Write the states after the last step, where they are results."""
        if self._last:
            self.places.each(self._end)

    def _end(self, q: AffineExpr, number: AffineExpr) -> None:
        def write() -> None:
            at = self.places.index(number)
            for state, buffer in self._last:
                self.thread.store(self.thread.load(self.states[state], [q]), buffer, at)

        self.places.where_unit(number, write)

    def _element(
        self, q: AffineExpr, number: AffineExpr, at: Index, value: SSAValue, index: Index
    ) -> SSAValue | None:
        """Write the load of what a step reads of a cell; ``None`` for what is computed."""
        if value in (states := list[SSAValue](self.cell.states)):
            return self.thread.load(self.states[states.index(value)], [q])
        own = _replaced(index, dict(zip(at, (SEQUENCE, UNIT), strict=True)))
        if isinstance(value.owner, ContractionOp):
            part = self.cell.part(value.owner, own)
            assert part is not None
            units, products = self.schedule.units, self.phases
            of = next(each for each in products if part.factor in each.phase.factors)
            return of.product.total(part, number % units, number // units)
        buffer = self.read.get(Read(value, self.cell.index(own)))
        return None if buffer is None else self.thread.load(buffer, [q])


def _computed(value: SSAValue) -> Attribute:
    return compute_type(element_type(value))


def _replaced(index: Index, names: dict[AffineExpr, AffineExpr]) -> list[AffineExpr]:
    """Return an index with other names for dims."""
    count = 1 + max((dim for expr in (*index, *names) for dim in expr.used_dims()), default=0)
    dims = [AffineExpr.dimension(number) for number in range(count)]
    return [e.replace_dims_and_symbols([names.get(d, d) for d in dims], ()) for e in index]
