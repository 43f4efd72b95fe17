"""Rows whose elements each thread keeps, line by line: each is read once."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import linear_index
from dlc.dialects.graph.computed import ElementwiseOp, Index, ReductionOp
from dlc.dialects.loop.attributes import LoopKind
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import element_count, element_type, shape
from dlc.lowering.scope import LoopScope, Place
from dlc.strategies.row.held import feeding, is_given, makings
from dlc.strategies.row.lines import Lines
from dlc.strategies.row.lowering import ZERO
from dlc.strategies.row.shifted import Shifted, shift_weights
from dlc.strategies.row.teams import Values


@dataclass
class Kept(Lines):
    """Rows that are loaded before anything is computed. held: whether lines are kept in shared
    memory, and not in registers; each thread touches its own alone. copies: the lines of a thread,
    in registers by round. shifted: weights that have a copy for each place of a line where a row
    may start.
    """

    held: bool = False
    copies: dict[SSAValue, list[SSAValue]] = field(default_factory=dict[SSAValue, list[SSAValue]])
    shifted: list[SSAValue] = field(default_factory=list[SSAValue])

    def __post_init__(self) -> None:
        super().__post_init__()
        self.form = Shifted.of(self.length, self.vector, self.width)
        if self.form.copies > 1 and not self.backwards:
            self.shifted = shift_weights(self.job, self.inner, self.space.shape, self.form)
        self.scope = LoopScope(self.job.builder, self.job.buffers, self.reduce, self.nearer)

    def bring(self) -> None:
        ops = [op for op in self.job.group.body.block.ops if isinstance(op, ReductionOp)]
        self.reads_memory = not all(map(self._is_near, makings(ops)))
        for value in feeding(ops, self.space.shape):
            self.copies[value] = self._allocated(value)
            self.bring_value(value)

    def _allocated(self, value: SSAValue) -> list[SSAValue]:
        """Return new buffers for the lines of a value: one for each round, or one for all."""
        space = SpaceAttr(Space.SHARED if self.held else Space.REGISTER)
        all_lines = [self.rounds, self.teams * self.threads * self.vector]
        sizes = all_lines if self.held else [self.vector]
        type = MemRefType(element_type(value), sizes, memory_space=space)
        return [self.scope.b.insert(AllocOp(type)) for _ in range(1 if self.held else self.rounds)]

    def _kept(self, value: SSAValue) -> Place:
        """Return where the element that is being written is kept."""
        copies = self.copies[value]
        if not self.held:
            return copies[self.round], [self.lane]
        line = self.team * self.threads + self.thread
        return copies[0], [AffineExpr.constant(self.round), line * self.vector + self.lane]

    def _is_near(self, value: SSAValue) -> bool:
        """Whether a value is kept, made of what is kept element by element, or one for each row."""
        if element_count(value) == 1:
            return True
        if is_given(value):
            each = (self.space.shape, self.space.reduced, self.space.squeezed)
            return value in self.shifted or shape(value) in each
        return isinstance(value.owner, ElementwiseOp | ReductionOp)

    def bring_value(self, value: SSAValue) -> None:
        """Write what brings the lines of a tensor to where threads keep them."""

        def load(place: AffineExpr, guard: Sequence[int] = ()) -> None:
            at, dims = self.scope.resolve(self.element(self.first, place))
            element = self.scope.b.insert(LoadOp(self.scope.buffers[value], at, dims, guard))
            self.keep(value, element)

        outside = self.axes[:1]  # the first of the row's axes, beyond its ends
        self.each_line(lambda at: self.whole_or_parts(at, load, lambda p: load(p, outside)))

    def keep(self, value: SSAValue, element: SSAValue) -> None:
        """Write the store of the element that is being written to where it is kept."""
        copy, place = self._kept(value)
        to, dims = self.scope.resolve(place)
        self.scope.b.builder.insert(StoreOp(element, copy, to, dims))

    def nearer(self, operand: SSAValue, index: Index) -> Place | None:
        """Return where the element stands that is being written; ``None`` for another one."""
        if operand in self.shifted:
            start = self.first * self.length % self.vector
            return self.scope.buffers[operand], [start // self.form.step, self.place + start]
        return self._kept(operand) if operand in self.copies and self.is_own(index) else None

    def is_own(self, index: Index) -> bool:
        """Whether an index is that of the element that is being written."""
        place = linear_index([index[a] for a in self.axes], self.inner)
        rows = len(self.outer)
        own = [*self.element(self.first, ZERO)[:rows], self.place]
        gaps = [x - y for x, y in zip([*index[:rows], place], own, strict=True)]
        return all(self.scope.interval(gap).within(0, 0) for gap in gaps)

    def write_elements(self, store: Callable[[AffineExpr, AffineExpr], None]) -> None:
        def write(place: AffineExpr) -> None:
            store(self.first, place)

        def write_inside(place: AffineExpr) -> None:
            self.scope.where(self.in_row(place), lambda: write(place))

        self.each_line(lambda start: self.whole_or_parts(start, write, write_inside))

    def prepare(self, op: ReductionOp) -> None:
        value = op.results[0]
        self.scope.read(value, self.reduced(self.first, shape(value)))

    def reduce(self, scope: LoopScope, op: ReductionOp, index: Index) -> Values:
        first = op.identity(scope.b)
        loop = ForOp(0, self.threads, kind=LoopKind.REDUCTION, map=self.map, iter_args=first)
        with scope.loop(loop) as self.thread:
            totals: list[Values] = [loop.carried_arguments]
            start = lambda: self.start(self.thread)
            self.each_round(lambda: totals.append(self.reduce_line(op, index, start(), totals[-1])))
            scope.b.builder.insert(YieldOp(*totals[-1]))
        return self.combined(op, loop.results)
