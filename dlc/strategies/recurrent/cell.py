"""What one step computes for one unit of one sequence, read off the body of a loop."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, BlockArgument, Operation, SSAValue
from xdsl.ir.affine import AffineConstantExpr, AffineExpr, AffineSymExpr
from xdsl.rewriter import InsertPoint

from dlc.analysis.contraction import gemm
from dlc.analysis.dataflow import origin
from dlc.analysis.epilogue import NotFusibleError
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
    """The column ``first + unit`` of a product of a state, one for each unit."""

    state: int
    product: ContractionOp
    first: int


@dataclass
class Cell:
    """What a step does for a unit of a sequence.

    exchanged: the numbers of the states that products read, which all blocks have to see. parts:
    the columns of products that a unit adds up. read: what else it reads beside its own states:
    parts of the sliced operands in each step, elements of the shared ones once.
    """

    loop: StepLoopOp
    exchanged: tuple[int, ...]
    parts: list[Part] = field(default_factory=list[Part])
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
        return element_type(self.loop.initial[self.exchanged[0]])

    def parts_of(self, state: int) -> list[Part]:
        """Return the parts of products of a state."""
        return [part for part in self.parts if part.state == state]

    def ranges(self) -> Ranges:
        """Return the ranges of ``SEQUENCE`` and ``UNIT``."""
        return Ranges([Interval(0, self.sequences - 1), Interval(0, self.units - 1)])

    @property
    def given(self) -> Sequence[SSAValue]:
        """What a step yields, in the shape of states."""
        return [laid_out(value) for value in self.loop.yielded]

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
        return Part(self._factor(product), product, first.value)

    def _factor(self, product: ContractionOp) -> int:
        """Return the number of the state that a product reads."""
        return list[SSAValue](self.states).index(origin(product.operands[0]))


def cell_of(loop: StepLoopOp) -> Cell:
    """Return what a step does for a unit; raises NotFusibleError where it is not the same for each
    unit of each sequence, or needs more of other units than products of one state.
    """
    sizes = {shape(value) for value in loop.initial}
    if len(sizes) != 1 or len(own := sizes.pop()) != 2 or not all(own):
        raise NotFusibleError("states that are not all of one shape, sequences by units")
    if any(shape(laid_out(value)) != own for value in loop.yielded):
        raise NotFusibleError("a step gives a part of another shape than its states")
    products = [op for op in loop.body.block.ops if isinstance(op, ReductionOp)]
    if not products:
        raise NotFusibleError("no product of a state")
    cell = Cell(loop, _exchanged(loop, products))
    _Recorder(cell).record()
    return cell


def _exchanged(loop: StepLoopOp, products: Sequence[ReductionOp]) -> tuple[int, ...]:
    """Return the numbers of the states that products read."""
    found: set[int] = set()
    states = list[SSAValue](loop.body.block.args[: len(loop.initial)])
    for op in products:
        if not isinstance(op, ContractionOp):
            raise NotFusibleError(f"{op.name} in a step")
        lhs, rhs, product = origin(op.operands[0]), op.operands[1], gemm(op)
        if lhs not in states or element_count(lhs) != element_count(op.operands[0]):
            raise NotFusibleError("a product of something else than a state of the step before")
        sizes = product.batch_size, product.m_size, product.k_size
        if sizes != (1, *shape(lhs)) or len(shape(op.results[0])) != 2 or op.lhs_guard:
            raise NotFusibleError("a product that is not of rows of a state")
        if _depends_on_step(loop, rhs):
            raise NotFusibleError("a product with a factor that changes from step to step")
        found.add(states.index(lhs))
    if len({element_type(loop.initial[number]) for number in found}) > 1:
        raise NotFusibleError("products of states of several types")
    return tuple(sorted(found))


def _depends_on_step(loop: StepLoopOp, value: SSAValue) -> bool:
    """Whether a value of the body is not the same in all steps."""
    if isinstance(value, BlockArgument):
        return value.index < len(loop.initial) + len(loop.sliced)
    owner = value.owner
    return isinstance(owner, Operation) and any(_depends_on_step(loop, x) for x in owner.operands)


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
        self.cell = cell
        self.block = Block(arg_types=[IndexType(), IndexType()])
        self.scope = CellScope(Builder(InsertPoint.at_end(Block())), {})
        self.scope.elements = self._element

    def record(self) -> None:
        cell, scope = self.cell, self.scope
        try:
            with scope.region(self.block, [cell.sequences, cell.units]) as at:
                for value in cell.given:
                    scope.read(value, at)
        except CompileError as error:
            raise NotFusibleError(
                f"a step cannot be computed unit by unit: {error.message}"
            ) from None

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
            if part not in cell.parts:
                cell.parts.append(part)
        elif value in cell.states:
            if not cell.is_own(index):
                raise NotFusibleError("a state is read at another place than the unit's own")
        elif (read := Read(value, cell.index(index))) not in cell.read:
            cell.read.append(read)
        type = compute_type(element_type(value))
        return self.block.insert_arg(type, len(self.block.args))
