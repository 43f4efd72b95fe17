"""The loops of ``map`` over tiles: inputs that lie turned go through shared memory.

A block brings the part of each such input that its tile needs, neighbours in the input by
neighbouring threads, and computes the tile, neighbours in the result by neighbouring threads.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod

from xdsl.dialects.builtin import IndexType, MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.turned_reads import Turn, TurnedInput, turn_of
from dlc.arch.memory import SECTOR_BYTES
from dlc.core.affine import extent, linear_index, unflatten
from dlc.dialects.graph.computed import Index
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp, LoadOp, StoreOp, buffer_shape
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import element_bytes, element_type
from dlc.lowering.axes import MergedAxes, store_elements
from dlc.lowering.job import Job
from dlc.lowering.scope import LoopScope, Place
from dlc.lowering.straight import mark_straight
from dlc.strategies.map.lines import Lines
from dlc.strategies.map.sides import Sides
from dlc.strategies.map.skew import Skew, SkewedLines, clamped

Write = Callable[[AffineExpr, AffineExpr], None]
"""Writes what is done at two places."""


def lower_in_tiles(job: Job, threads: int, vector: int, tile: Sequence[int]) -> None:
    """Write the loops over tiles, for a GPU; raises CompileError where no input lies turned.

    tile: positions along the axis of the inputs' neighbours, and along the last. vector:
    neighbouring results of a thread.
    """
    flow = Dataflow(job.group.body.block)
    turn = turn_of(Cluster(flow, tuple(flow.ops)))
    if turn is None:
        raise CompileError("schedule key tile: no input lies turned, so nothing needs a tile")
    down, across = tile
    _Tiles(job, turn, threads, vector, down, across).write()


@dataclass
class _Tiles:
    job: Job
    turn: Turn
    threads: int
    vector: int
    down: int
    across: int
    copies: dict[SSAValue, SSAValue] = field(default_factory=dict[SSAValue, SSAValue])
    skewed: dict[SSAValue, SkewedLines] = field(default_factory=dict[SSAValue, SkewedLines])
    is_whole: bool = True
    at: tuple[AffineExpr, AffineExpr] = (AffineExpr.constant(0), AffineExpr.constant(0))

    def __post_init__(self) -> None:
        bytes = max(element_bytes(element_type(value)) for value, _ in self.job.outputs)
        self.sides = Sides.of(self.turn, self.down, self.across, bytes)
        self.down, self.across = self.sides.down, self.sides.across
        if not self.sides.fits(self.vector):
            raise CompileError(
                f"vector = {self.vector} does not divide the lines of a tile of {self.down} x "
                f"{self.across}"
            )
        self.before, self.sector = self.sides.before(self.vector), SECTOR_BYTES // bytes
        self.axes = MergedAxes(self.turn.shape, self.turn.groups, (), 1)
        self.scope = LoopScope(self.job.builder, self.job.buffers, nearer=self._copy)

    def write(self) -> None:
        """Write the loop over tiles."""
        self.job.threads = self.threads
        sizes, axis = self.turn.sizes, self.turn.axis
        tiles = self.sides.tiles(self.vector)
        others = [size for number, size in enumerate(sizes[:-1]) if number != axis]

        def write_tile(block: AffineExpr) -> None:
            *outer, down, across = unflatten(block, [*others, *tiles])
            self._tile(outer, down * self.down, across * self.across)

        self.scope.parallel_loop(prod([*others, *tiles]), LoopMap.GRID, write_tile)

    def _tile(self, outer: Index, top: AffineExpr, left: AffineExpr) -> None:
        """Write a tile; one that is not whole has conditions at each element, which keep a thread
        from having several under way.
        """
        for input in self.turn.inputs:
            sizes = self.sides.shared_sizes(input, self.vector)
            space = SpaceAttr(Space.SHARED)
            type = MemRefType(element_type(input.value), sizes, memory_space=space)
            self.copies[input.value] = self.scope.b.insert(AllocOp(type))
            if skew := self.sides.skew(input, self.vector):
                self._bring_skewed(input, skew, outer, top, left)
        rows, columns = self.turn.sizes[self.turn.axis], self.turn.sizes[-1]
        ends = [(top, rows, self.down), (left, columns, self.across)]
        uneven = [(start, size - side) for start, size, side in ends if size % side or self.before]
        if self.before:
            uneven.append((left * -1, -self.before))  # the first tiles have none before them
        self._where_whole(uneven, True, lambda: self._do(outer, top, left))
        if uneven:
            self.is_whole = False
            self._where_whole(uneven, False, lambda: self._do(outer, top, left))

    def _where_whole(
        self, uneven: Sequence[tuple[AffineExpr, int]], whole: bool, write: Callable[[], None]
    ) -> None:
        """Write code for tiles that are whole, or for those that are not: the outermost ones along
        some axes, of which a start is above a limit.
        """
        scope = self.scope
        conditions = [
            scope.b.compare("le", scope.index_value(start), scope.b.constant(last, IndexType()))
            for start, last in uneven
        ]
        if not conditions:
            write()
            return
        condition = conditions[0]
        for other in conditions[1:]:
            condition = scope.b.logical("and", condition, other)
        scope.where(condition if whole else scope.b.invert(condition), write)

    def _do(self, outer: Index, top: AffineExpr, left: AffineExpr) -> None:
        for input in self.turn.inputs:
            if input.value not in self.skewed:
                self._bring(input, outer, top, left)
        self._compute(outer, top, left)

    def _index(self, outer: Index, row: AffineExpr, column: AffineExpr) -> list[AffineExpr]:
        """Return the index of the result at positions along the axis and along the last."""
        dims = list(outer)
        dims.insert(self.turn.axis, row)
        return self.axes.index([*dims, column])

    # Inputs --------------------------------------------------------------------------------------

    def _copy(self, operand: SSAValue, index: Index) -> Place | None:
        for input in self.turn.inputs:
            if input.value is operand:
                return self.copies[operand], self._near(input, *self.at)
        return None

    def _near(self, input: TurnedInput, row: AffineExpr, column: AffineExpr) -> list[AffineExpr]:
        """Return where an element of an input stands in shared memory."""
        if lines := self.skewed.get(input.value):
            return [lines.near(column, row)]
        if len(self.sides.shared_sizes(input, self.vector)) == 2:
            return [column, row]
        column = self.scope.not_negative(column)
        return [column // self.vector, column % self.vector, row]

    def _bring(self, input: TurnedInput, outer: Index, top: AffineExpr, left: AffineExpr) -> None:
        """Write the copy of an input to shared memory, a line for each position of the last axis.

        What the tile does not have is not brought.
        """
        scope, count = self.scope, self.sides.input_vector(input)
        buffer, columns, first = (
            self.copies[input.value],
            self.across + self.before,
            left - self.before,
        )

        def bring(column: AffineExpr, row: AffineExpr) -> None:
            dims = self._index(outer, top + row, first + column)
            place = [e.replace_dims_and_symbols(dims, ()) for e in input.index]
            source = scope.buffers[input.value]
            at, values = scope.resolve(scope.straight(place, buffer_shape(source)))
            element = scope.b.insert(LoadOp(source, at, values))
            near = self._near(input, row, column)
            to, values = scope.resolve(scope.straight(near, buffer_shape(buffer)))
            scope.b.builder.insert(StoreOp(element, buffer, to, values))

        def bring_vector(number: AffineExpr) -> None:
            lines = Lines(scope, [columns, self.down], number * count, count)
            column, row = lines.index(AffineExpr.constant(0))
            self._where_inside(top + row, first + column, lambda: self._vector(lines, bring))

        self._in_rounds(columns * self.down // count, count, bring_vector)

    def _bring_skewed(
        self, input: TurnedInput, skew: Skew, outer: Index, top: AffineExpr, left: AffineExpr
    ) -> None:
        """Write the copy of an input by whole vectors, or by elements where these end behind it."""
        scope, columns = self.scope, self.turn.sizes[-1]
        source, first = scope.buffers[input.value], left - self.before

        def start(column: AffineExpr) -> AffineExpr:
            dims = self._index(outer, top, column)
            place = [e.replace_dims_and_symbols(dims, ()) for e in input.index]
            return linear_index(place, buffer_shape(source))

        # Lines before the first one begin as far from a multiple as those a sector further on.
        behind = scope.index_value(start(first + self.sector) % skew.each)
        of_first, copy = scope.dim(behind, extent(skew.each)), self.copies[input.value]
        lines = SkewedLines(scope, self.threads, skew, source, copy, of_first)
        self.skewed[input.value] = lines
        start_of = lambda line: start(clamped(scope, first + line, columns))
        inside = lines.is_inside(start_of)
        scope.where(inside, lambda: lines.bring(start_of))
        self.is_whole = False
        scope.where(scope.b.invert(inside), lambda: self._bring(input, outer, top, left))
        self.is_whole = True

    # Results -------------------------------------------------------------------------------------

    def _compute(self, outer: Index, top: AffineExpr, left: AffineExpr) -> None:
        def write(row: AffineExpr, column: AffineExpr) -> None:
            self.at = row, column
            index = self._index(outer, top + row, left + column)
            store_elements(self.scope, self.job.outputs, index)

        def write_shifted(row: AffineExpr, column: AffineExpr) -> None:
            start = linear_index(self._index(outer, top + row, left), self.turn.shape)
            back = start % self.sector
            self.at = row, column + self.before - back
            index = self._index(
                outer, top + row, left + column - start + start // self.sector * self.sector
            )
            store = lambda: store_elements(self.scope, self.job.outputs, index)
            self._where_inside(top + row, left + column - back, store)

        def write_vector(number: AffineExpr) -> None:
            sides = [self.down, self.across]
            lines = Lines(self.scope, sides, number * self.vector, self.vector)
            if self.before:
                self._vector(lines, write_shifted)
                return
            row, column = lines.index(AffineExpr.constant(0))
            self._where_inside(top + row, left + column, lambda: self._vector(lines, write))

        vectors = self.down * self.across // self.vector
        self._in_rounds(vectors, self.vector, write_vector)

    # Both ----------------------------------------------------------------------------------------

    def _in_rounds(self, count: int, each: int, write: Callable[[AffineExpr], None]) -> None:
        """Write ``count`` vectors of ``each`` element, those of a thread in straight code while
        they are few: a quotient by the sides of the tile is one for all then.
        """
        loop = self.scope.parallel_loop(count, LoopMap.THREAD, write)
        mark_straight(loop, self.threads, each)

    def _vector(self, lines: Lines, write: Write) -> None:
        """Write all neighbours of a thread."""
        if lines.vector == 1:
            write(*lines.index(AffineExpr.constant(0)))
        else:
            write_lane = lambda lane: write(*lines.index(lane))
            self.scope.parallel_loop(lines.vector, LoopMap.VECTOR, write_lane)

    def _where_inside(self, row: AffineExpr, column: AffineExpr, write: Callable[[], None]) -> None:
        if self.is_whole:
            write()
            return
        rows, columns = self.turn.sizes[self.turn.axis], self.turn.sizes[-1]
        inside = lambda: self.scope.where_below(column, columns, write)
        if self.before:
            inside = lambda: self.scope.where_inside([column], [columns], write)
        self.scope.where_below(row, rows, inside)
