"""A warpgroup's part of a tile by asynchronous matrix instructions on shared memory."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir.affine import AffineExpr

from dlc.arch.instruction import Instruction
from dlc.dialects import gpu
from dlc.dialects.loop import ForOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Columns, Held, Operand
from dlc.simt.matrix_tile import MatrixTile


@dataclass
class WarpgroupTile(MatrixTile):
    """``down`` x ``across`` parts of a warpgroup; of each a warp holds its rows, as a fragment.

    Both factors are read where they lie in shared memory (PTX ISA, "wgmma.mma_async").
    """

    @property
    def worker(self) -> AffineExpr:
        return self.warp // self.spread.row.warps

    @property
    def strips(self) -> int:
        return self.down if self.spread.below == 1 else 1

    def each_row_of(self, strip: AffineExpr, write: Callable[[AffineExpr, Columns], None]) -> None:
        if self.strips == 1:
            self.each_row(write)
        else:
            self.nest(self.rows[1:], lambda at: write(self.row_of(at), self.columns_of(at)), strip)

    def row(self, i: AffineExpr) -> AffineExpr:
        return super().row(i) + self.warp % self.spread.row.warps * self._fragment.rows

    def multiply(
        self, instruction: Instruction, lhs: Operand | Held, rhs: Operand, loop: ForOp | None
    ) -> None:
        insert = self.scope.b.builder.insert
        insert(gpu.WgmmaFenceOp())
        across, steps = self.across // lhs.groups, lhs.depth // instruction.k

        def write_step(step: AffineExpr) -> None:
            self.nest(
                [self.down, across], lambda at: self._multiply(instruction, lhs, rhs, step, at)
            )

        open_loop(self.scope, steps, LoopMap.UNROLL, write_step)
        insert(gpu.WgmmaCommitOp())

    def _multiply(
        self,
        instruction: Instruction,
        lhs: Operand | Held,
        rhs: Operand,
        step: AffineExpr,
        at: Sequence[AffineExpr],
    ) -> None:
        i, j = at
        k = step * instruction.k
        if lhs.groups > 1:
            j = j + k // rhs.depth * (self.across // lhs.groups)
        if isinstance(lhs, Held):
            a = self.place(lhs.buffer, lhs.fragment(i, step))
        else:
            a = self.place(lhs.buffer, lhs.index(super().row(i), k))
        b = self.place(rhs.buffer, rhs.index(self.column(j), k % rhs.depth))
        c = self.place(self.buffer, [i, j, AffineExpr.constant(0)])
        turned = isinstance(lhs, Operand) and not lhs.along_k
        product = gpu.WgmmaOp(a, b, c, instruction.shape, turned, not rhs.along_k)
        self.scope.b.builder.insert(product)
