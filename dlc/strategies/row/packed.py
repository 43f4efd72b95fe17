"""Rows that follow each other in memory: those of a block come and go as one run of bytes.

A run begins at a multiple of 16 bytes wherever its rows do. All threads bring it to shared memory,
16 bytes at a time; there, teams take what they keep of their rows, and put what they compute.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.memory import ACCESS_BYTES, REGISTER_BYTES
from dlc.core.affine import unflatten
from dlc.dialects.graph.computed import Index
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_bytes, element_type, shape
from dlc.lowering.axes import Output
from dlc.lowering.scope import Place
from dlc.lowering.straight import mark_straight
from dlc.strategies.row.kept import Kept
from dlc.strategies.row.lines import Write
from dlc.strategies.row.lowering import ZERO
from dlc.strategies.row.shifted import weights_of_rows


@dataclass
class Packed(Kept):
    """Rows that come and go in runs. runs: the shared memory of a block for each tensor that has
    all elements of rows. weights: registers of a thread for each round, where its team has turns.
    run: the position in the tensors at which the block's run begins. where_present: writes
    something for a row that is one of all.
    """

    runs: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    weights: dict[SSAValue, list[SSAValue]] = field(default_factory=dict[SSAValue, list[SSAValue]])
    run: AffineExpr = ZERO
    block: AffineExpr = ZERO
    where_present: Callable[[Callable[[], None]], None] = lambda write: write()

    def write_block(self, block: AffineExpr) -> None:
        self.block, self.run = block, block * (self.rows * self.length)
        made = [pair for pair in self.job.outputs if shape(pair[0]) == self.space.shape]
        for value in (*self.given, *(value for value, _ in made)):
            self.runs[value] = self._allocated_run(value)
        for value in self.given:
            self._move(value, self.scope.buffers[value], self.runs[value], block)
        super().write_block(block)
        for value, buffer in made:
            self._move(value, self.runs[value], buffer, block)

    @property
    def given(self) -> list[SSAValue]:
        """The inputs that have all elements of rows."""
        return [v for v in self.job.group.body.block.args if shape(v) == self.space.shape]

    def _allocated_run(self, value: SSAValue) -> SSAValue:
        sizes, space = [self.rows, self.length], SpaceAttr(Space.SHARED)
        type = MemRefType(element_type(value), sizes, memory_space=space)
        return self.scope.b.insert(AllocOp(type))

    def _move(self, value: SSAValue, source: SSAValue, target: SSAValue, block: AffineExpr) -> None:
        """Write the copy of a block's run from or to memory, in whole pieces, then what is left."""
        vector = ACCESS_BYTES // element_bytes(element_type(value))
        pieces, uneven = divmod(self.rows * self.length, vector)
        if uneven:
            raise CompileError(
                f"rows = {self.rows} of {self.length} elements are no multiple of {ACCESS_BYTES} "
                "bytes; take more rows"
            )
        scope, total = self.scope, self.count * self.length
        sizes = [self.rows, self.length]
        near = lambda b, at: unflatten(at, sizes) if b is self.runs[value] else self._far(at)

        def move(at: AffineExpr) -> None:
            place, dims = scope.resolve(near(source, at))
            element = scope.b.insert(LoadOp(source, place, dims))
            place, dims = scope.resolve(near(target, at))
            scope.b.builder.insert(StoreOp(element, target, place, dims))

        def move_piece(number: AffineExpr) -> None:
            first = number * vector

            def move_all() -> None:
                scope.parallel_loop(vector, LoopMap.VECTOR, lambda v: move(first + v))

            scope.where_below(self.run + first + (vector - 1), total, move_all)

        def move_rest() -> None:
            rest = total // vector * vector - (self.blocks - 1) * self.rows * self.length
            scope.parallel_loop(total % vector, LoopMap.THREAD, lambda number: move(number + rest))

        loop = scope.parallel_loop(pieces, LoopMap.THREAD, move_piece)
        mark_straight(loop, self.threads * self.teams, ACCESS_BYTES // REGISTER_BYTES)
        if total % vector:
            scope.where_below(block * -1 + (self.blocks - 1), 1, move_rest)

    def _far(self, at: AffineExpr) -> Index:
        """Return the index in a tensor of a place of the run."""
        return unflatten(self.run + at, self.space.shape)

    @property
    def own(self) -> AffineExpr:
        """The row of the run that a team has."""
        return self.first - self.block * self.rows

    def bring_shared(self) -> None:
        """Keep weights of the rows' elements in registers: a thread has the same places of each."""
        for value in weights_of_rows(self.job.group.body.block.args, self.inner, self.space.shape):
            self.weights[value] = self._registers_of(value)
            self._bring_weight(value)

    def _registers_of(self, value: SSAValue) -> list[SSAValue]:
        """Return a register for each round, as wide as what is computed with."""
        kind = compute_type(element_type(value))
        type = MemRefType(kind, [1], memory_space=SpaceAttr(Space.REGISTER))
        return [self.scope.b.insert(AllocOp(type)) for _ in range(self.rounds)]

    def _bring_weight(self, value: SSAValue) -> None:
        rank = len(shape(value))
        outside = [rank - len(self.inner)]  # the first of the row's axes, beyond its end

        def load(place: AffineExpr, guard: Sequence[int] = ()) -> None:
            index = [ZERO] * (rank - len(self.inner)) + unflatten(place, self.inner)
            at, dims = self.scope.resolve(index)
            element = self.scope.b.insert(LoadOp(self.scope.buffers[value], at, dims, guard))
            to, dims = self.scope.resolve([ZERO])
            self.scope.b.builder.insert(StoreOp(element, self.weights[value][self.round], to, dims))

        self.each_line(lambda at: self.whole_or_parts(at, load, lambda p: load(p, outside)))

    def bring_value(self, value: SSAValue) -> None:
        def load(place: AffineExpr) -> SSAValue:
            at, dims = self.scope.resolve([self.own, place])
            return self.scope.b.insert(LoadOp(self.runs[value], at, dims))

        def load_inside(place: AffineExpr) -> SSAValue:
            zero = self.scope.b.constant(0, compute_type(element_type(value)))
            inside = self.in_row(place)
            return self.scope.b.branch(inside, lambda: [load(place)], lambda: [zero])[0]

        self.each_line(
            lambda start: self.whole_or_parts(
                start,
                lambda place: self.keep(value, load(place)),
                lambda place: self.keep(value, load_inside(place)),
            )
        )

    def nearer(self, operand: SSAValue, index: Index) -> Place | None:
        if operand in self.weights:
            return self.weights[operand][self.round], [ZERO]
        if operand in self.copies or operand not in self.given or not self.is_own(index):
            return super().nearer(operand, index)
        return self.runs[operand], [self.own, self.place]

    def write_present(self, number: AffineExpr, units: int) -> None:
        """In turns, write elements in any case, in place of a row beyond the last that nobody
        moves: what does not depend on a row, like the loads of weights, need not wait for a
        condition.

        A team of one unit has the condition: without it, softmax of 197 halves takes 61 us, not 52
        (docs/performance.md, "GPU: a condition around packed rows").
        """
        if self.turns == 1:
            super().write_present(number, units)
            return
        self.where_present = lambda write: self.scope.where_below(number, units, write)
        self.write_results()

    def write_reduced(self, store: Write) -> None:
        self.where_present(lambda: super(Packed, self).write_reduced(store))

    def store_element(self, output: Output, row: AffineExpr, position: AffineExpr) -> None:
        element = self.scope.read(output[0], self.element(row, position))
        place, dims = self.scope.resolve([self.team * self.turns + self.turn, position])
        self.scope.b.builder.insert(StoreOp(element, self.runs[output[0]], place, dims))
