"""What a thread does for its cells in each step: from sums to new states."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IndexType, i1
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects.graph.computed import ContractionOp, Index
from dlc.ir.tensor import compute_type, element_type
from dlc.strategies.recurrent.cell import SEQUENCE, UNIT, Phase, Read
from dlc.strategies.recurrent.exchange import Exchange
from dlc.strategies.recurrent.product import BlockProduct
from dlc.strategies.recurrent.thread import Thread

Output = tuple[int, SSAValue]
"""The number of a result of the loop, and its buffer."""


@dataclass
class BlockPhase:
    """A phase of a step in a block. exchange: of its factors. product: of these."""

    phase: Phase
    exchange: Exchange
    product: BlockProduct


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
        self._last = [each for each in self.outputs if each[0] < count]
        self._stacked = [each for each in self.outputs if each[0] >= count]

    def _held(self, value: SSAValue, name: str) -> SSAValue:
        """Return registers for an element of each cell of the thread."""
        return self.thread.registers(_computed(value), [self.layout.cells], name)

    # What is read -------------------------------------------------------------------------------

    def begin(self) -> None:
        """Write the loads of the first states, and of what is the same in all steps."""
        self._each(self._begin)

    def _begin(self, q: AffineExpr, number: AffineExpr) -> None:
        at = self._index(number)
        for initial, buffer in zip(self.cell.loop.initial, self.states, strict=True):
            self.thread.store(self.scope.read(initial, at), buffer, [q])
        self._load(self.cell.shared, self.cell.loop.shared, q, at)

    def bring(self, place: AffineExpr) -> None:
        """Write the loads of what is the step's alone, which stands at ``place`` of the slices."""
        self._each(
            lambda q, number: self._load(
                self.cell.sliced, self.cell.loop.sliced, q, self._index(number), place
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
        number, factors = self._number(q), phase.phase.factors
        own = self._is_own(number)
        values = self._where_own(own, factors, lambda: self._compute(q, number, factors))
        self._publish(phase.exchange, step, number, values, own)

    def finish(self, step: AffineExpr, place: AffineExpr) -> None:
        """Write what a step gives, which stands at ``place`` of results, and let others see it."""
        self.thread.each([self.layout.cells], lambda q: self._finish(q, step, place))

    def _finish(self, q: AffineExpr, step: AffineExpr, place: AffineExpr) -> None:
        scope, number = self.scope, self._number(q)
        yielded, exchanged = self.cell.loop.yielded, self.cell.exchanged
        given = [*exchanged, *(each for each, _ in self._stacked)]
        own = self._is_own(number)
        values = self._where_own(
            own, [yielded[each] for each in given], lambda: self._new_states(q, number, given)
        )
        published, rest = values[: len(exchanged)], values[len(exchanged) :]
        self._publish(self.phases[0].exchange, step, number, published, own)
        if rest:
            scope.where(own, lambda: self._store_parts(number, place, rest))

    def _where_own(
        self, own: SSAValue, given: Sequence[SSAValue], write: Callable[[], list[SSAValue]]
    ) -> Sequence[SSAValue]:
        """Return what ``write`` gives for values where the block has the cell, else zeros."""
        b = self.scope.b
        zeros = [b.constant(0.0, _computed(value)) for value in given]
        return b.branch(own, write, lambda: zeros)

    def _is_own(self, number: AffineExpr) -> SSAValue:
        """Return whether the block has a cell of a number."""
        b, count = self.scope.b, self.schedule.units * self.schedule.sequences
        if count % self.schedule.threads == 0:
            return b.constant(True, i1)
        return b.compare("lt", self.scope.index_value(number), b.constant(count, IndexType()))

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
        scope, at = self.scope, self._index(number)
        scope.elements = lambda value, index: self._element(q, number, at, value, index)
        values = [scope.read(value, at) for value in wanted]
        scope.elements = None
        return values

    def _publish(
        self,
        exchange: Exchange,
        step: AffineExpr,
        number: AffineExpr,
        values: Sequence[SSAValue],
        own: SSAValue,
    ) -> None:
        """Write that others may see values of a cell. All lanes of a warp come here, and those
        with ``own`` have a cell. Neighbours have neighbouring units: one publishes for all that
        share a word. Units behind the last one are zeros, which nothing is multiplied by.
        """
        b, words = self.scope.b, exchange.words
        found = [[self._padded(self.phases[0].product.rounded(value), number)] for value in values]
        if words > 1:
            for each in found:
                each.append(b.insert(gpu.ShuffleOp(gpu.ShuffleMode.XOR, each[0], 1)))
            first = b.compare(
                "eq", self.scope.index_value(number % words), b.constant(0, IndexType())
            )
            own = b.logical("and", own, first)

        def write() -> None:
            for state, each in enumerate(found):
                exchange.publish(state, step, number, each)

        self.scope.where(own, write)

    def _padded(self, value: SSAValue, number: AffineExpr) -> SSAValue:
        """Return the value of a cell, zero behind the last unit."""
        b, unit = self.scope.b, self._unit(number)
        high = self.scope.interval(unit).high
        if high is not None and high < self.cell.units:
            return value
        last = b.constant(self.cell.units, IndexType())
        inside = b.compare("lt", self.scope.index_value(unit), last)
        return b.select(inside, value, b.constant(0.0, value.type))

    def _store_parts(
        self, number: AffineExpr, place: AffineExpr, values: Sequence[SSAValue]
    ) -> None:
        """Write a cell's part of the results of all steps."""

        def write() -> None:
            at = self._index(number)
            for (each, buffer), value in zip(self._stacked, values, strict=True):
                self.thread.store(value, buffer, [place, *self.cell.place(each, at)])

        self.scope.where_below(self._unit(number), self.cell.units, write)

    def fill(self, place: AffineExpr) -> None:
        """Write the zeros behind the units of parts at ``place``: by the first threads of all."""
        for each, buffer in self._stacked:
            self._fill(each, buffer, place)

    def _fill(self, each: int, buffer: SSAValue, place: AffineExpr) -> None:
        thread, number, room = self.thread, self.thread.number_of_all, self.cell.room(each)

        def write() -> None:
            zero = self.scope.b.constant(0.0, _computed(self.cell.loop.yielded[each]))
            thread.store(zero, buffer, [place, number + room.start])

        if room:
            self.scope.where_below(number, len(room), write)

    def end(self) -> None:
        """Write the states after the last step, where they are results."""
        if self._last:
            self._each(self._end)

    def _end(self, q: AffineExpr, number: AffineExpr) -> None:
        def write() -> None:
            at = self._index(number)
            for state, buffer in self._last:
                self.thread.store(self.thread.load(self.states[state], [q]), buffer, at)

        self.scope.where_below(self._unit(number), self.cell.units, write)

    # Places -------------------------------------------------------------------------------------

    def _number(self, q: AffineExpr) -> AffineExpr:
        """Return the number of a thread's cell in the block: units first."""
        return q * self.schedule.threads + self.thread.number

    def _each(self, write: Callable[[AffineExpr, AffineExpr], None]) -> None:
        """Write code for each cell of the thread and its number in the block."""
        count = self.schedule.units * self.schedule.sequences

        def one(q: AffineExpr) -> None:
            number = self._number(q)
            self.scope.where_below(number, count, lambda: write(q, number))

        self.thread.each([self.layout.cells], one)

    def _unit(self, number: AffineExpr) -> AffineExpr:
        return self.thread.unit + number % self.schedule.units

    def _index(self, number: AffineExpr) -> list[AffineExpr]:
        """Return the sequence and the unit of a cell; those behind the last unit are as that."""
        sequence = self.thread.sequence_index(number // self.schedule.units)
        return [sequence, self.thread.unit_index(self._unit(number))]

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
