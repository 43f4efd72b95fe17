"""The products of a block: weights in registers, times states in shared memory.

A warp has some tiles of rows, and a slice of the reduction. In each step it multiplies its weights
by its slice of the states of all sequences, and leaves a partial sum for each row and sequence in
shared memory.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field

from xdsl.dialects.builtin import IndexType, f32
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import gemm
from dlc.arch.fragments import PANEL_ROWS, WARP_LANES
from dlc.core.affine import Interval
from dlc.dialects import gpu
from dlc.dialects.graph.computed import ContractionOp, apply_map
from dlc.ir.space import Space, space_of
from dlc.strategies.recurrent.cell import Part, Phase
from dlc.strategies.recurrent.product_rows import ProductRows
from dlc.strategies.recurrent.thread import Thread

_ZERO = AffineExpr.constant(0)

Fragment = tuple[SSAValue, list[AffineExpr | int]]
"""A buffer, and the index of a lane's neighbours there, without the place among them."""

Chunk = Callable[[int, AffineExpr | int], Fragment]
"""Gives a fragment of the weights of a chunk: of a tile of the warp, by its number."""


@dataclass
class BlockProduct(ABC):
    """The products of a phase. element: of the factors. is_rounded: whether they are rounded to
    tf32 first. states: the factors in shared memory, ``[line, element]``. sums: ``[slice, panel,
    side, place]``.
    """

    thread: Thread
    phase: Phase
    element: Attribute
    is_rounded: bool
    states: SSAValue
    sums: SSAValue = field(init=False)

    def __post_init__(self) -> None:
        self.rows = ProductRows(self.thread, self.phase)
        self.sums = self.thread.shared(f32, self.thread.layout.sum_sizes, "sums")

    def hold(self) -> None:
        """Write the loads of the weights, once: to registers, ``[tile, chunk, fragment, place]``,
        and to shared memory, where each lane has places of its own.
        """
        layout = self.thread.layout
        self.lines = self._first_lines()
        sizes = [layout.down, layout.held_chunks, layout.fragments, layout.run]
        if layout.held_chunks:
            self._held = self.thread.registers(self.element, sizes, "weights")
        if layout.shared_chunks:
            shared = layout.shared_weight_sizes
            self._shared = self.thread.shared(self.element, shared, "shared_weights")
        self.hold_tiles()

    @abstractmethod
    def hold_tiles(self) -> None:
        """Write the loads of the weights of each tile."""

    @abstractmethod
    def multiply(self) -> None:
        """Write the products of a step, and the partial sums."""

    def total(self, part: Part, unit: AffineExpr, sequence: AffineExpr) -> SSAValue:
        """Write the sum of what all slices have left for a unit and a sequence of the block."""
        thread, layout = self.thread, self.thread.layout
        row = unit + self.rows.first_row(part)
        place = layout.sum_place(row % PANEL_ROWS, sequence)
        total: SSAValue | None = None
        for slice in range(layout.schedule.warps[1]):
            sum = thread.load(self.sums, [slice, row // PANEL_ROWS, *place])
            total = sum if total is None else thread.scope.b.add(total, sum)
        assert total is not None
        return total

    def rounded(self, value: SSAValue) -> SSAValue:
        """Write a factor as the instruction takes it."""
        return self.thread.scope.b.insert(gpu.CvtTf32Op(value)) if self.is_rounded else value

    # Tiles --------------------------------------------------------------------------------------

    def tile(self, number: int) -> AffineExpr:
        """Return which of all tiles is number ``number`` of the warp."""
        return self.thread.warp_row * self.thread.layout.down + number

    def _first_lines(self) -> list[AffineExpr]:
        """Return, for each tile of the warp, the first line of the state that its rows are
        multiplied by.
        """
        layout = self.thread.layout
        if all(tiles % layout.down == 0 for tiles in layout.tiles):
            return [self._first_line(self.tile(0))] * layout.down
        return [self._first_line(self.tile(number)) for number in range(layout.down)]

    def _first_line(self, tile: AffineExpr) -> AffineExpr:
        """Return the first line of the state that the rows of a tile are multiplied by."""
        scope, layout = self.thread.scope, self.thread.layout
        if len(layout.tiles) == 1:
            return _ZERO
        lines, first = scope.b.constant(0, IndexType()), 0
        for number, tiles in enumerate(layout.tiles[:-1]):
            first += tiles
            later = scope.b.compare(
                "ge", scope.index_value(tile), scope.b.constant(first, IndexType())
            )
            own = scope.b.constant((number + 1) * layout.schedule.sequences, IndexType())
            lines = scope.b.select(later, own, lines)
        return scope.dim(lines, Interval(0, layout.lines - layout.schedule.sequences))

    # Weights ------------------------------------------------------------------------------------

    def each_chunk(self, write: Callable[[AffineExpr, "Chunk"], None]) -> None:
        """Write code for each chunk of the warp, and for its weights."""
        layout = self.thread.layout
        for first, count, where in (
            (0, layout.held_chunks, self._in_registers),
            (layout.held_chunks, layout.shared_chunks, self._in_shared),
        ):
            if count:
                self.thread.each([count], lambda n, f=first, w=where: write(n + f, w(n)))

    def _in_registers(self, chunk: AffineExpr) -> "Chunk":
        return lambda tile, fragment: (self._held, [tile, chunk, fragment])

    def _in_shared(self, chunk: AffineExpr) -> "Chunk":
        warp = self.thread.number // WARP_LANES
        return lambda tile, fragment: (
            self._shared,
            [warp, tile, chunk, fragment, self.thread.lane],
        )

    def brought(self, weights: "Fragment") -> "Fragment":
        """Return a fragment of weights in registers, which it is brought to if it is elsewhere."""
        buffer, index = weights
        if space_of(buffer) is Space.REGISTER:
            return weights
        thread, run = self.thread, self.thread.layout.run
        own = thread.registers(self.element, [run], "fragment")
        copy = gpu.CopyOp(thread.at(buffer, [*index, 0]), thread.at(own, [0]), run)
        thread.scope.b.builder.insert(copy)
        return own, []

    @property
    def first(self) -> AffineExpr:
        """The first element of the reduction that the warp has."""
        return self.thread.warp_slice * self.thread.layout.slice

    def weight(self, product: ContractionOp, column: AffineExpr, k: AffineExpr) -> SSAValue:
        """Write the load of a weight; behind the last unit of the state it is zero."""
        thread = self.thread
        _, rhs_map, _ = product.indexing_maps()
        index, first = (
            apply_map(rhs_map, gemm(product).dims(_ZERO, _ZERO, column, each))
            for each in (k, _ZERO)
        )
        is_padded = thread.layout.schedule.warps[1] * thread.layout.slice > thread.cell.units
        guard = [n for n in range(len(index)) if is_padded and index[n] != first[n]]
        return self.rounded(thread.scope.read(product.operands[1], index, guard, 0.0))
