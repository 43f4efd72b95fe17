"""A warp's part of a tile by fused multiply-adds: each lane a grid of elements, 8 x 4 apart."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects._tensor import element_type
from dlc.dialects.loop._attributes import LoopMap
from dlc.lowering._accumulator import Accumulator, Columns
from dlc.lowering._staged_operand import Staged
from dlc.lowering._tile_scope import open_loop

LANE_ROWS, LANE_COLUMNS = 8, 4
"""The lanes of a warp as a grid."""
WIDEST_BYTES = 16
"""What a thread reads from shared memory at once."""


@dataclass
class FmaTile(Accumulator):
    """Lane ``l`` has the rows ``l / 4 + 8 i`` and the columns ``l % 4 + 4 j``: neighbouring lanes
    read neighbouring lines of shared memory, which are in different banks.
    """

    @property
    def sizes(self) -> Sequence[int]:
        return self.rows // LANE_ROWS, self.columns // LANE_COLUMNS

    def multiply(self, lhs: Staged, rhs: Staged, stage: AffineExpr) -> None:
        width = min(_width(lhs), _width(rhs), lhs.depth)
        down, across = self.sizes
        a = self.registers(element_type(lhs.factor.value), [down, width])
        b = self.registers(element_type(rhs.factor.value), [across, width])

        def write(step: AffineExpr) -> None:
            k = step * width
            rows = self.row + self.lane // LANE_COLUMNS
            columns = self.column + self.lane % LANE_COLUMNS
            self.nest([down], lambda i: self._load(lhs, stage, rows + i[0] * LANE_ROWS, k, a, i[0]))
            self.nest(
                [across],
                lambda j: self._load(rhs, stage, columns + j[0] * LANE_COLUMNS, k, b, j[0]),
            )
            self.nest([width, down, across], lambda at: self._multiply(a, b, at))

        open_loop(self.scope, lhs.depth // width, LoopMap.UNROLL, write)

    def _load(
        self,
        staged: Staged,
        stage: AffineExpr,
        row: AffineExpr,
        k: AffineExpr,
        registers: SSAValue,
        number: AffineExpr,
    ) -> None:
        """Load neighbouring elements along k with one instruction."""
        assert isinstance(registers.type, MemRefType)
        width = registers.type.get_shape()[1]
        zero = AffineExpr.constant(0)
        source = self.place(staged.buffer, staged.index(stage, row, k))
        self.scope.b.builder.insert(
            gpu.CopyOp(source, self.place(registers, [number, zero]), width)
        )

    def _multiply(self, a: SSAValue, b: SSAValue, at: Sequence[AffineExpr]) -> None:
        step, i, j = at
        x, y = self.load(a, [i, step]), self.load(b, [j, step])
        total = self.load(self.buffer, [i, j])
        self.store(self.scope.b.fma(x, y, total), self.buffer, [i, j])

    def each_row(self, write: Callable[[AffineExpr, Columns], None]) -> None:
        down, across = self.sizes

        def write_row(at: Sequence[AffineExpr]) -> None:
            (i,) = at
            row = self.row + i * LANE_ROWS + self.lane // LANE_COLUMNS

            def columns(finish: Callable[..., None]) -> None:
                def write_column(at: Sequence[AffineExpr]) -> None:
                    (j,) = at
                    column = self.column + j * LANE_COLUMNS + self.lane % LANE_COLUMNS
                    finish(column, 1, lambda v: [i, j])

                self.nest([across], write_column)

            write(row, columns)

        self.nest([down], write_row)


def _width(staged: Staged) -> int:
    """Return how many elements along k stand together."""
    return WIDEST_BYTES // staged.element_bytes if staged.along_k else 1
