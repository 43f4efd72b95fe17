"""What a core makes of the sums of a block of units: factors of the next phase, or new states."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import Interval
from dlc.dialects.graph.computed import ContractionOp, Index
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.tile_scope import open_loop
from dlc.strategies.recurrent.cell import SEQUENCE, UNIT
from dlc.strategies.recurrent.cpu_block import UnitBlock
from dlc.strategies.recurrent.cpu_kernel import Exprs

Output = tuple[int, SSAValue]
"""The number of a result of the loop, and its buffer."""


@dataclass
class BlockCells:
    """The cells of a block. place: of the step in sliced operands and results. stacked: results
    that have a part for each step.
    """

    block: UnitBlock
    place: AffineExpr
    stacked: Sequence[Output]

    def __post_init__(self) -> None:
        self.kernel, self.phase = self.block.kernel, self.block.phase
        self.scope, self.cell = self.block.scope, self.block.cell

    def write(self) -> None:
        """Write what the phase gives of all cells."""
        with self.scope.branch_level():
            open_loop(self.scope, self.cell.sequences, LoopMap.SERIAL, self._finish_row)

    def _finish_row(self, row: AffineExpr) -> None:
        block, sequence = self.block, self._dim(row, self.cell.sequences)

        def finish(column: AffineExpr) -> None:
            unit = block.number * self.kernel.tile.columns + column
            self._finish([sequence, self._dim(unit, self.cell.units)], row, column)

        map = LoopMap.VECTOR if block.units > 1 else LoopMap.SERIAL
        open_loop(self.scope, block.units, map, finish)

    def _dim(self, expr: AffineExpr, size: int) -> AffineExpr:
        """Return an index as a dim of its own, by which it is found in indices."""
        return self.scope.dim(self.scope.index_value(expr), Interval(0, size - 1))

    def _finish(self, at: Exprs, row: AffineExpr, column: AffineExpr) -> None:
        """Write what the phase gives of a cell: factors of the next one, or the new states and what
        the step gives.
        """
        kernel, scope, place = self.kernel, self.scope, self.place
        scope.elements = lambda value, index: self._element(value, index, at, row, column)
        values = [scope.read(value, at) for value in self.phase.given]
        scope.elements = None
        if self.phase is not self.cell.phases[-1]:
            for value, factor in zip(values, self.phase.given, strict=True):
                kernel.store(value, kernel.given[factor], [AffineExpr.constant(0), *at])
            return
        for state, (value, buffer) in enumerate(zip(values, kernel.states, strict=False)):
            kernel.store(value, buffer, [kernel.turn(state, 1 - self.block.odd), *at])
        for number, buffer in self.stacked:
            kernel.store(values[number], buffer, [place, *self.cell.place(number, at)])

    def _element(
        self,
        value: SSAValue,
        index: Index,
        at: Exprs,
        row: AffineExpr,
        column: AffineExpr,
    ) -> SSAValue | None:
        """Write the load of what a cell reads; ``None`` for what is computed."""
        kernel, scope, cell = self.kernel, self.scope, self.cell
        inner = dict[SSAValue, SSAValue](zip(cell.sliced, cell.loop.sliced, strict=True))
        shared = dict[SSAValue, SSAValue](zip(cell.shared, cell.loop.shared, strict=True))
        if value in list[SSAValue](cell.states):
            buffer, turn = kernel.factor(value, self.block.odd)
            return kernel.load(buffer, [turn, *at])
        if isinstance(value.owner, ContractionOp):
            part = cell.part(value.owner, _named(index, at))
            assert part is not None
            if part in kernel.kept:
                return kernel.load(kernel.kept[part], at)
            sums, first = self.block.sums_of(part)
            return kernel.load(sums, [row, first + column])
        if value in inner:
            return scope.read(inner[value], [self.place, *index])
        return scope.read(shared[value], index) if value in shared else None


def _named(index: Index, at: Exprs) -> list[AffineExpr]:
    """Return an index of a cell with the names of its sequence and its unit."""
    names = dict(zip(at, (SEQUENCE, UNIT), strict=True))
    count = 1 + max((dim for expr in (*index, *at) for dim in expr.used_dims()), default=0)
    dims = [names.get(d, d) for d in map(AffineExpr.dimension, range(count))]
    return [expr.replace_dims_and_symbols(dims, ()) for expr in index]
