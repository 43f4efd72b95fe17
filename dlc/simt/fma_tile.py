"""A thread's part of a tile by fused multiply-adds, one for each element."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import Instruction
from dlc.dialects import gpu
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator, Columns, Operand

WIDEST_BYTES = 16
"""What a thread reads from shared memory at once."""


@dataclass
class FmaTile(Accumulator):
    """``down`` x ``across`` elements, wherever the task mapping puts them."""

    @property
    def worker(self) -> AffineExpr:
        return self.warp * WARP_LANES + self.lane

    @property
    def sizes(self) -> Sequence[int]:
        return self.down, self.across

    def multiply(self, instruction: Instruction, lhs: Operand, rhs: Operand) -> None:
        width = min(_width(lhs), _width(rhs), lhs.depth)
        a = self.registers(lhs.element, [self.down, width])
        b = self.registers(rhs.element, [self.across, width])

        def write(step: AffineExpr) -> None:
            k = step * width
            self.nest([self.down], lambda i: self._load(lhs, self.row(i[0]), k, a, i[0]))
            self.nest([self.across], lambda j: self._load(rhs, self.column(j[0]), k, b, j[0]))
            self.nest([width, *self.sizes], lambda at: self._multiply(a, b, at))

        open_loop(self.scope, lhs.depth // width, LoopMap.UNROLL, write)

    def _load(
        self,
        staged: Operand,
        row: AffineExpr,
        k: AffineExpr,
        registers: SSAValue,
        number: AffineExpr,
    ) -> None:
        """Load neighbouring elements along k with one instruction."""
        assert isinstance(registers.type, MemRefType)
        width = registers.type.get_shape()[1]
        zero = AffineExpr.constant(0)
        source = self.place(staged.buffer, staged.index(row, k))
        self.scope.b.builder.insert(
            gpu.CopyOp(source, self.place(registers, [number, zero]), width)
        )

    def _multiply(self, a: SSAValue, b: SSAValue, at: Sequence[AffineExpr]) -> None:
        step, i, j = at
        x, y = self.load(a, [i, step]), self.load(b, [j, step])
        total = self.load(self.buffer, [i, j])
        self.store(self.scope.b.fma(x, y, total), self.buffer, [i, j])

    def each_row(self, write: Callable[[AffineExpr, Columns], None]) -> None:
        run = self.spread.run

        def write_row(i: Sequence[AffineExpr]) -> None:
            def columns(finish: Callable[..., None]) -> None:
                def write_run(group: AffineExpr) -> None:
                    first = group * run
                    start = self.spread.column(self.column(first))
                    finish(start, run, lambda number: [*i, first + number])

                open_loop(self.scope, self.across // run, LoopMap.UNROLL, write_run)

            write(self.row(i[0]), columns)

        self.nest([self.down], write_row)


def _width(staged: Operand) -> int:
    """Return how many elements along k stand together."""
    return WIDEST_BYTES // staged.element_bytes if staged.along_k else 1
