"""What a core does for a block of units in a step: sums of products, then new states."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import Interval
from dlc.dialects.graph.computed import ContractionOp, Index
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import AllocOp
from dlc.dialects.loop.prefetch import PrefetchOp
from dlc.dialects.loop.vector import LoadVectorOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_bytes, element_type
from dlc.lowering.tile_scope import open_loop
from dlc.strategies.contract.cpu_tile import LINE_BYTES
from dlc.strategies.contract.register_tile import Reduction, RegisterTile
from dlc.strategies.recurrent.cell import SEQUENCE, UNIT, Part, Phase
from dlc.strategies.recurrent.cpu_kernel import Exprs, Kernel, Weights

Output = tuple[int, SSAValue]
"""The number of a result of the loop, and its buffer."""


@dataclass
class UnitBlock:
    """``units`` units of all sequences in a phase of a step.

    odd: whether the step is. number: of the block. loop: counts the blocks, where there are some.
    sums: ``[sequence, part * columns + unit]``.
    """

    kernel: Kernel
    phase: Phase
    tile: RegisterTile
    odd: int
    number: AffineExpr
    units: int
    loop: SSAValue | None
    sums: SSAValue = field(init=False)

    def __post_init__(self) -> None:
        self.scope, self.cell = self.kernel.scope, self.kernel.cell
        self.compute = compute_type(self.cell.exchanged_type)

    def write(self, place: AffineExpr, stacked: Sequence[Output]) -> None:
        """Write the phase of the block, whose parts of sliced operands and of results stand at
        ``place``.
        """
        columns = len(self.phase.parts) * self.tile.columns
        type = MemRefType(
            self.compute, [self.cell.sequences, columns], memory_space=SpaceAttr(Space.REGISTER)
        )
        self.sums = self.scope.b.insert(AllocOp(type))
        for weights, number in self.parts():
            self._sum_up(weights, number, place)
        with self.scope.branch_level():
            open_loop(
                self.scope,
                self.cell.sequences,
                LoopMap.SERIAL,
                lambda row: self._finish_row(row, place, stacked),
            )

    # Sums ---------------------------------------------------------------------------------------

    def parts(self) -> Iterator[tuple[Weights, int]]:
        """Yield the parts of units in the order in which they are summed up."""
        own = [each for each in self.kernel.weights if each.parts[0] in self.phase.parts]
        for weights in own:
            for number in range(len(weights.parts)):
                yield weights, number

    def _sum_up(self, weights: Weights, number: int, place: AffineExpr) -> None:
        """Write the sums of a part, for all sequences."""
        tiles, rest = divmod(self.cell.sequences, self.tile.rows)
        count = tiles + (rest > 0)
        part = _Sums(self, weights, number, count, place)
        open_loop(self.scope, tiles, LoopMap.SERIAL, lambda tile: part.write(tile, self.tile.rows))
        if rest:
            part.write(AffineExpr.constant(tiles), rest)

    def column(self, part: Part) -> int:
        """Return the first column of a part in the sums."""
        return self.phase.parts.index(part) * self.tile.columns

    # Cells --------------------------------------------------------------------------------------

    def _finish_row(self, row: AffineExpr, place: AffineExpr, stacked: Sequence[Output]) -> None:
        sequence = self._dim(row, self.cell.sequences)

        def finish(column: AffineExpr) -> None:
            unit = self.number * self.kernel.tile.columns + column
            self._finish([sequence, self._dim(unit, self.cell.units)], row, column, place, stacked)

        map = LoopMap.VECTOR if self.units > 1 else LoopMap.SERIAL
        open_loop(self.scope, self.units, map, finish)

    def _dim(self, expr: AffineExpr, size: int) -> AffineExpr:
        """Return an index as a dim of its own, by which it is found in indices."""
        return self.scope.dim(self.scope.index_value(expr), Interval(0, size - 1))

    def _finish(
        self,
        at: Exprs,
        row: AffineExpr,
        column: AffineExpr,
        place: AffineExpr,
        stacked: Sequence[Output],
    ) -> None:
        """Write what the phase gives of a cell: factors of the next one, or the new states and what
        the step gives.
        """
        kernel, scope = self.kernel, self.scope
        scope.elements = lambda value, index: self._element(value, index, at, row, column, place)
        values = [scope.read(value, at) for value in self.phase.given]
        scope.elements = None
        for part in self.cell.kept(self.phase):
            kernel.store(self._sum(part, row, column), kernel.kept[part], at)
        if self.phase is not self.cell.phases[-1]:
            for value, factor in zip(values, self.phase.given, strict=True):
                kernel.store(value, kernel.given[factor], [AffineExpr.constant(0), *at])
            return
        for state, (value, buffer) in enumerate(zip(values, kernel.states, strict=False)):
            kernel.store(value, buffer, [kernel.turn(state, 1 - self.odd), *at])
        for number, buffer in stacked:
            kernel.store(values[number], buffer, [place, *self.cell.place(number, at)])

    def _element(
        self,
        value: SSAValue,
        index: Index,
        at: Exprs,
        row: AffineExpr,
        column: AffineExpr,
        place: AffineExpr,
    ) -> SSAValue | None:
        """Write the load of what a cell reads; ``None`` for what is computed."""
        kernel, scope, cell = self.kernel, self.scope, self.cell
        inner = dict[SSAValue, SSAValue](zip(cell.sliced, cell.loop.sliced, strict=True))
        shared = dict[SSAValue, SSAValue](zip(cell.shared, cell.loop.shared, strict=True))
        if value in list[SSAValue](cell.states):
            buffer, turn = kernel.factor(value, self.odd)
            return kernel.load(buffer, [turn, *at])
        if isinstance(value.owner, ContractionOp):
            part = cell.part(value.owner, _named(index, at))
            assert part is not None
            is_own = part in self.phase.parts
            return self._sum(part, row, column) if is_own else kernel.load(kernel.kept[part], at)
        if value in inner:
            return scope.read(inner[value], [place, *index])
        return scope.read(shared[value], index) if value in shared else None

    def _sum(self, part: Part, row: AffineExpr, column: AffineExpr) -> SSAValue:
        """Write the load of a sum of the block."""
        return self.kernel.load(self.sums, [row, column + self.column(part)])


def _named(index: Index, at: Exprs) -> list[AffineExpr]:
    """Return an index of a cell with the names of its sequence and its unit."""
    names = dict(zip(at, (SEQUENCE, UNIT), strict=True))
    count = 1 + max((dim for expr in (*index, *at) for dim in expr.used_dims()), default=0)
    dims = [names.get(d, d) for d in map(AffineExpr.dimension, range(count))]
    return [expr.replace_dims_and_symbols(dims, ()) for expr in index]


@dataclass
class _Sums:
    """The sums of a part, a tile of sequences after the other, of ``tiles``. place: of the step in
    sliced operands.
    """

    block: UnitBlock
    weights: Weights
    number: int
    tiles: int
    place: AffineExpr

    def write(self, tile: AffineExpr, rows: int) -> None:
        """Write the sums of a tile."""
        open_loop(
            self.block.scope,
            rows,
            LoopMap.UNROLL,
            lambda row: self._ask_for_reads(tile * self.block.tile.rows + row),
        )
        block, part = self.block, self.weights.parts[self.number]
        scope, first = block.scope, tile * block.tile.rows
        factor, turn = block.kernel.factor(part.factor, block.odd)

        def lhs(row: int, at: Exprs) -> SSAValue:
            return block.kernel.load(factor, [turn, first + row, *at])

        def rhs(number: int, at: Exprs) -> SSAValue:
            column = AffineExpr.constant(number * block.tile.lanes)
            flat, values = scope.resolve([*self._panel, *at, column])
            return scope.b.insert(LoadVectorOp(self.weights.buffer, flat, values, block.tile.lanes))

        reduction = Reduction([block.cell.units], lhs, rhs, ask=lambda at: self._ask(tile, at))
        totals = block.tile.sum_up(scope, rows, block.compute, reduction)
        column = AffineExpr.constant(block.column(part))
        block.tile.store(scope, totals, block.sums, first, column)

    @property
    def _panel(self) -> list[AffineExpr]:
        return [self.block.number, AffineExpr.constant(self.number)]

    def _ask(self, tile: AffineExpr, at: Exprs) -> None:
        """Ask for the tile's lines of a row of the next part, or of the next block's first."""
        block = self.block
        if not block.kernel.schedule.ahead or self.tiles == 1:
            return
        parts = list(block.parts())
        after = parts.index((self.weights, self.number)) + 1
        if after < len(parts):
            (weights, number), loop = parts[after], None
        elif block.loop is not None:
            (weights, number), loop = parts[0], block.loop
        else:
            return
        element = element_bytes(block.cell.exchanged_type)
        lines = -(-block.tile.columns * element // LINE_BYTES)
        for count in range(-(-lines // self.tiles)):
            line = (tile + count * self.tiles) % lines * (LINE_BYTES // element)
            place = [block.number, AffineExpr.constant(number), *at, line]
            flat, values = block.scope.resolve(place)
            block.scope.b.builder.insert(PrefetchOp(weights.buffer, flat, values, loop))

    def _ask_for_reads(self, row: AffineExpr) -> None:
        """Ask for what cells of a row read of the step: each part of the sums for some of it. It
        lies in pieces, which no hardware sees coming.
        """
        cell, scope = self.block.cell, self.block.scope
        outer = dict[SSAValue, SSAValue](zip(cell.sliced, cell.loop.sliced, strict=True))
        own = list(self.block.parts()).index((self.weights, self.number))
        reads = [read for read in cell.read if read.value in outer]
        for read in reads[own :: len(self.block.phase.parts)]:
            buffer = scope.buffers.get(outer[read.value])
            step = max(1, LINE_BYTES // element_bytes(element_type(read.value)))
            for unit in range(0, self.block.units if buffer is not None else 0, step):
                at = [row, self.block.number * self.block.kernel.tile.columns + unit]
                index = [expr.replace_dims_and_symbols(at, ()) for expr in read.index]
                flat, values = scope.resolve([self.place, *index])
                assert buffer is not None
                scope.b.builder.insert(PrefetchOp(buffer, flat, values))
