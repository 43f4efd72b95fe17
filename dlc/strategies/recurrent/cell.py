"""What one step computes for one unit of one sequence, read off the body of a loop."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, BlockArgument, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineSymExpr
from xdsl.rewriter import InsertPoint

from dlc.analysis.contraction import gemm
from dlc.analysis.dataflow import origin
from dlc.analysis.epilogue import NotFusibleError
from dlc.analysis.step_dependence import of_steps
from dlc.core.affine import Interval, Ranges, simplify
from dlc.dialects.graph.computed import ContractionOp, Index, ReductionOp
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.graph.step_part import laid_out
from dlc.errors import CompileError
from dlc.ir.tensor import compute_type, element_count, element_type, shape
from dlc.lowering.scope import LoopScope

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


def cell_of(loop: StepLoopOp) -> Cell:
    """Return what a step does for a unit; raises NotFusibleError where it is not the same for each
    unit of each sequence, or needs more of other units than products of what these give.
    """
    sizes = {shape(value) for value in loop.initial}
    if len(sizes) != 1 or len(own := sizes.pop()) != 2 or not all(own):
        raise NotFusibleError("states that are not all of one shape, sequences by units")
    if any(shape(laid_out(value)) != own for value in loop.yielded):
        raise NotFusibleError("a step gives a part of another shape than its states")
    products = [op for op in loop.body.block.ops if isinstance(op, ReductionOp)]
    if not products:
        raise NotFusibleError("no product of a state")
    cell = Cell(loop, _phases(loop, products, own))
    _Recorder(cell).record()
    return cell


def _phases(loop: StepLoopOp, products: Sequence[ReductionOp], own: tuple[int, ...]) -> list[Phase]:
    """Return the phases of a step: a product of a state is in the first one, that of what depends
    on products in the phase behind theirs.
    """
    states = list[SSAValue](loop.body.block.args[: len(loop.initial)])
    changing, behind = of_steps(loop), _phases_before(loop)
    found: dict[int, list[SSAValue]] = {}
    for op in products:
        if not isinstance(op, ContractionOp):
            raise NotFusibleError(f"{op.name} in a step")
        lhs, product = origin(op.operands[0]), gemm(op)
        if lhs not in states and not behind[lhs]:
            raise NotFusibleError("a product of neither a state nor what other products give")
        sizes = product.batch_size, product.m_size, product.k_size
        if shape(lhs) != own or sizes != (1, *own) or op.lhs_guard:
            raise NotFusibleError("a product that is not of rows of a state")
        if len(shape(op.results[0])) != 2:
            raise NotFusibleError("a product that is not of rows of a state")
        if op.operands[1] in changing:
            raise NotFusibleError("a product with a factor that changes from step to step")
        factors = found.setdefault(behind[lhs], [])
        if lhs not in factors:
            factors.append(lhs)
    if len({element_type(factor) for factors in found.values() for factor in factors}) > 1:
        raise NotFusibleError("products of values of several types")
    in_order = [tuple(found[number]) for number in range(len(found))]
    given = [*in_order[1:], [laid_out(value) for value in loop.yielded]]
    return [Phase(factors, values) for factors, values in zip(in_order, given, strict=True)]


def _phases_before(loop: StepLoopOp) -> dict[SSAValue, int]:
    """Return how many phases each value of the body needs."""
    body = loop.body.block
    found = dict.fromkeys(list[SSAValue](body.args), 0)
    for op in body.ops:
        own = max((found[x] for x in op.operands), default=0) + isinstance(op, ContractionOp)
        found.update(dict.fromkeys(op.results, own))
    return found


Elements = Callable[[SSAValue, Index], SSAValue | None]
"""Writes the element of a value at an index, or gives ``None`` to have it computed."""


class CellScope(LoopScope):
    """A scope that asks ``elements`` first."""

    elements: Elements | None = None

    def read(
        self, operand: SSAValue, index: Index, guard: Sequence[int] = (), fill: float = 0.0
    ) -> SSAValue:
        at = [simplify(expr, self.ranges) for expr in index]
        found = self.elements(operand, at) if self.elements and not guard else None
        return super().read(operand, index, guard, fill) if found is None else found


class _Recorder:
    """Writes a cell into a block that nobody needs, and notes what it reads."""

    def __init__(self, cell: Cell):
        self.cell, self.phase = cell, cell.phases[0]
        self.block = Block(arg_types=[IndexType(), IndexType()])

    def record(self) -> None:
        try:
            for phase in self.cell.phases:
                self.phase = phase
                self._record_phase()
        except CompileError as error:
            raise NotFusibleError(
                f"a step cannot be computed unit by unit: {error.message}"
            ) from None

    def _record_phase(self) -> None:
        """Write what the phase gives, and anew what earlier ones have computed for it."""
        scope = CellScope(Builder(InsertPoint.at_end(Block())), {})
        scope.elements = self._element
        with scope.region(self.block, [self.cell.sequences, self.cell.units]) as at:
            for value in self.phase.given:
                scope.read(value, at)

    def _element(self, value: SSAValue, index: Index) -> SSAValue | None:
        cell, owner = self.cell, value.owner
        is_leaf = isinstance(value, BlockArgument)
        if not is_leaf and not isinstance(owner, ContractionOp):
            return None
        used = {dim for expr in index for dim in expr.used_dims()}
        if not used <= {0, 1} or any(isinstance(x, AffineSymExpr) for e in index for x in e.dfs()):
            raise NotFusibleError("a step reads elements at places that it computes")
        if isinstance(owner, ContractionOp):
            part = cell.part(owner, index)
            if part is None:
                raise NotFusibleError("a product is read at another place than the unit's own")
            if part not in (parts := cell.phase_of(part.factor).parts):
                parts.append(part)
            if part not in self.phase.read:
                self.phase.read.append(part)
        elif value in cell.states:
            if not cell.is_own(index):
                raise NotFusibleError("a state is read at another place than the unit's own")
        elif (read := Read(value, cell.index(index))) not in cell.read:
            cell.read.append(read)
        type = compute_type(element_type(value))
        return self.block.insert_arg(type, len(self.block.args))
