"""What one step computes for one unit of one sequence."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from xdsl.ir import Attribute, BlockArgument, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr

from dlc.analysis.dataflow import origin
from dlc.core.affine import Interval, Ranges, simplify
from dlc.dialects.graph.computed import ContractionOp, Index
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.ir.tensor import element_count, element_type, shape

SEQUENCE, UNIT = AffineExpr.dimension(0), AffineExpr.dimension(1)
"""The dims of the indices of what a cell reads."""


@dataclass(frozen=True)
class Read:
    """An element of a value of the body, at an index of ``SEQUENCE`` and ``UNIT``."""

    value: SSAValue
    index: tuple[AffineExpr, ...]


@dataclass(frozen=True)
class Part:
    """The column ``first + unit`` of the product of a factor and weights, one for each unit."""

    factor: SSAValue
    product: ContractionOp
    first: int


@dataclass
class Phase:
    """What a step does between two exchanges: products of what all units have exchanged, and then
    what each unit makes of them.

    factors: what is exchanged before it: states, or what the phase before gives. given: what it
    gives, element by element: the factors of the next phase, or what the step yields. parts: the
    columns of its products that a unit adds up. read: those, and parts of earlier phases, that
    ``given`` is computed of.
    """

    factors: tuple[SSAValue, ...]
    given: Sequence[SSAValue]
    parts: list[Part] = field(default_factory=list[Part])
    read: list[Part] = field(default_factory=list[Part])

    def parts_of(self, factor: SSAValue) -> list[Part]:
        """Return the parts of products of a factor."""
        return [part for part in self.parts if part.factor is factor]

    @property
    def counts(self) -> tuple[int, ...]:
        """The parts of each factor."""
        return tuple(len(self.parts_of(factor)) for factor in self.factors)


@dataclass
class Cell:
    """What a step does for a unit of a sequence.

    phases: one after the other. read: what it reads beside its own states and products: parts of
    the sliced operands in each step, elements of the shared ones once.
    """

    loop: StepLoopOp
    phases: Sequence[Phase]
    read: list[Read] = field(default_factory=list[Read])

    @property
    def sequences(self) -> int:
        """How many sequences there are."""
        return shape(self.loop.initial[0])[0]

    @property
    def units(self) -> int:
        """How many elements a state of one sequence has."""
        return shape(self.loop.initial[0])[1]

    @property
    def states(self) -> Sequence[BlockArgument]:
        """The states before a step, inside the body."""
        return self.loop.body.block.args[: len(self.loop.initial)]

    @property
    def sliced(self) -> Sequence[BlockArgument]:
        """The step's parts of the sliced operands, inside the body."""
        first = len(self.loop.initial)
        return self.loop.body.block.args[first : first + len(self.loop.sliced)]

    @property
    def shared(self) -> Sequence[BlockArgument]:
        """What all steps read, inside the body."""
        return self.loop.body.block.args[len(self.loop.initial) + len(self.loop.sliced) :]

    @property
    def exchanged_type(self) -> Attribute:
        """The type of the elements that blocks exchange, which is that of the factors."""
        return element_type(self.phases[0].factors[0])

    @property
    def exchanged(self) -> tuple[int, ...]:
        """The numbers of the states that products read, which all blocks have to see."""
        states = list[SSAValue](self.states)
        return tuple(states.index(factor) for factor in self.phases[0].factors)

    @property
    def parts(self) -> list[Part]:
        """The columns of all products that a unit adds up."""
        return [part for phase in self.phases for part in phase.parts]

    def phase_of(self, factor: SSAValue) -> Phase:
        """Return the phase whose products read a factor."""
        return next(phase for phase in self.phases if factor in phase.factors)

    def kept(self, phase: Phase) -> list[Part]:
        """Return the parts of a phase that later ones read."""
        later = self.phases[list(self.phases).index(phase) + 1 :]
        return [part for part in phase.parts if any(part in each.read for each in later)]

    def ranges(self) -> Ranges:
        """Return the ranges of ``SEQUENCE`` and ``UNIT``."""
        return Ranges([Interval(0, self.sequences - 1), Interval(0, self.units - 1)])

    def place(self, number: int, at: Index) -> Index:
        """Return where yielded value ``number`` has the element of a sequence and a unit."""
        sequence, unit = at
        is_flat = len(shape(self.loop.yielded[number])) == 1
        return [sequence * self.units + unit] if is_flat else at

    def room(self, number: int) -> range:
        """Return the places of yielded value ``number`` behind those of all units."""
        count = self.sequences * self.units
        return range(count, element_count(self.loop.yielded[number]))

    def index(self, exprs: Index) -> tuple[AffineExpr, ...]:
        """Return an index in the form in which reads are compared."""
        return tuple(simplify(expr, self.ranges()) for expr in exprs)

    def is_own(self, index: Index) -> bool:
        """Whether an index of ``SEQUENCE`` and ``UNIT`` is the cell's own place."""
        return self.index(index) == self.index([SEQUENCE, UNIT])

    def part(self, product: ContractionOp, index: Index) -> Part | None:
        """Return the part that a cell reads at an index of a product's result, if it is one."""
        row, column = index
        (first,) = self.index([column - UNIT])
        if self.index([row]) != self.index([SEQUENCE]) or not isinstance(first, AffineConstantExpr):
            return None
        return Part(origin(product.operands[0]), product, first.value)
