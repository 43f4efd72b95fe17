"""What a core sums up for a block of units: the products of a phase."""

from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.prefetch import PrefetchOp
from dlc.dialects.loop.vector import LoadVectorOp
from dlc.ir.tensor import element_bytes, element_type
from dlc.lowering.tile_scope import open_loop
from dlc.strategies.contract.cpu_tile import LINE_BYTES
from dlc.strategies.contract.register_tile import Reduction
from dlc.strategies.recurrent.cpu_block import UnitBlock
from dlc.strategies.recurrent.cpu_kernel import Exprs, Weights


def sum_up(block: UnitBlock, place: AffineExpr) -> None:
    """Write the sums of all parts, for all sequences. place: of the step in sliced operands."""
    tiles, rest = divmod(block.cell.sequences, block.tile.rows)
    for weights, number in block.parts():
        part = _Part(block, weights, number, tiles + (rest > 0), place)
        open_loop(
            block.scope,
            tiles,
            LoopMap.SERIAL,
            lambda tile, part=part: part.write(tile, block.tile.rows),
        )
        if rest:
            part.write(AffineExpr.constant(tiles), rest)


@dataclass
class _Part:
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
        buffer, column = block.sums_of(part)
        block.tile.store(scope, totals, buffer, first, column)

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
