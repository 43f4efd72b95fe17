"""A warp's part of a tile by matrix instructions: fragments from shared memory, then mma."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import MatrixInstruction
from dlc.dialects import gpu
from dlc.dialects.loop._attributes import LoopMap
from dlc.dialects.loop._memory import buffer_element
from dlc.lowering._accumulator import Accumulator, Columns, Operand
from dlc.lowering._tile_scope import open_loop

MATRIX_BYTES = 16
"""The bytes of a row of one of the 8-row matrices that ldmatrix loads."""
MATRIX_ROWS = 8


@dataclass
class MatrixTile(Accumulator):
    """``down`` x ``across`` fragments of the accumulator (``dlc/arch/fragments.py``)."""

    instruction: MatrixInstruction

    @property
    def sizes(self) -> Sequence[int]:
        return self.down, self.across, self.instruction.c.slots

    @property
    def _pairs(self) -> int:
        """How many pairs of neighbouring fragments the columns are; 0 when they are not."""
        last = self.map.factors[-1]
        return self.across // 2 if last.kind == "repeat" and last.shape[1] % 2 == 0 else 0

    def multiply(self, lhs: Operand, rhs: Operand) -> None:
        it = self.instruction
        down, across, pairs = self.down, self.across, self._pairs
        a = self.registers(lhs.element, [down, it.a.slots])
        b = self.registers(rhs.element, [pairs, 2 * it.b.slots] if pairs else [across, it.b.slots])

        def write(step: AffineExpr) -> None:
            k = step * it.k
            self._unrolled(down, lambda i: self._load_lhs(lhs, i, k, a))
            if pairs:
                self._unrolled(pairs, lambda i: self._load_rhs(rhs, i, k, b, 2))
            else:
                self._unrolled(across, lambda i: self._load_rhs(rhs, i, k, b, 1))
            self.nest([down, across], lambda at: self._multiply(a, b, at, bool(pairs)))

        self._unrolled(lhs.depth // it.k, write)

    def _unrolled(self, count: int, write: Callable[[AffineExpr], None]) -> None:
        open_loop(self.scope, count, LoopMap.UNROLL, write)

    def _load_lhs(self, lhs: Operand, i: AffineExpr, k: AffineExpr, a: SSAValue) -> None:
        """Load a 16-row fragment: its four matrices lie two down, then two along k."""
        self._load(lhs, self.row(i), k, a, i, down=2, across=2, down_first=True)

    def _load_rhs(
        self, rhs: Operand, i: AffineExpr, k: AffineExpr, b: SSAValue, fragments: int
    ) -> None:
        """Load one or two 8-column fragments: two matrices along k for each."""
        self._load(
            rhs, self.column(i * fragments), k, b, i, down=fragments, across=2, down_first=False
        )

    def _load(
        self,
        staged: Operand,
        row: AffineExpr,
        k: AffineExpr,
        fragment: SSAValue,
        number: AffineExpr,
        down: int,
        across: int,
        down_first: bool,
    ) -> None:
        """Load ``down`` x ``across`` matrices of 8 rows; where the tile does not lie along k, they
        are transposed on the way.
        """
        width = MATRIX_BYTES // staged.element_bytes
        matrix, line = self.lane // MATRIX_ROWS, self.lane % MATRIX_ROWS
        if down_first:
            at_row, at_k = matrix % down, matrix // down % across
        else:
            at_row, at_k = matrix // across % down, matrix % across
        zero = AffineExpr.constant(0)
        if staged.along_k:
            at = staged.index(row + at_row * MATRIX_ROWS + line, k + at_k * width)
            self._insert_load(staged, at, fragment, [number, zero], down * across, False)
        elif staged.element_bytes == 2:
            at = staged.index(row + at_row * MATRIX_ROWS, k + at_k * width + line)
            self._insert_load(staged, at, fragment, [number, zero], down * across, True)
        else:
            self._load_singly(staged, row, k, fragment, number, down, across, down_first)
        if buffer_element(fragment) == f32:
            # Left alone, the instruction cuts the mantissa off: a bias that grows with depth.
            place = self.place(fragment, [number, zero])
            self.scope.b.builder.insert(gpu.RoundTf32Op(place, down * across))

    def _insert_load(
        self,
        staged: Operand,
        at: Sequence[AffineExpr],
        fragment: SSAValue,
        target: Sequence[AffineExpr],
        matrices: int,
        transpose: bool,
    ) -> None:
        source = self.place(staged.buffer, at)
        load = gpu.LdmatrixOp(source, self.place(fragment, target), matrices, transpose)
        self.scope.b.builder.insert(load)

    def _load_singly(
        self,
        staged: Operand,
        row: AffineExpr,
        k: AffineExpr,
        fragment: SSAValue,
        number: AffineExpr,
        down: int,
        across: int,
        down_first: bool,
    ) -> None:
        """Load 32-bit elements one by one, which ldmatrix cannot transpose."""
        width = MATRIX_BYTES // staged.element_bytes
        for matrix in range(down * across):
            i, j = (matrix % down, matrix // down) if down_first else divmod(matrix, across)
            at = staged.index(
                row + i * MATRIX_ROWS + self.lane // width,
                k + j * width + self.lane % width,
            )
            value = self.load(staged.buffer, at)
            self.store(value, fragment, [number, AffineExpr.constant(matrix)])

    def _multiply(self, a: SSAValue, b: SSAValue, at: Sequence[AffineExpr], paired: bool) -> None:
        i, j = at
        zero = AffineExpr.constant(0)
        b_at = [j // 2, (j % 2) * self.instruction.b.slots] if paired else [j, zero]
        c = self.place(self.buffer, [i, j, zero])
        factors = self.place(a, [i, zero]), self.place(b, b_at)
        self.scope.b.builder.insert(gpu.MmaOp(*factors, c, self.instruction.name))

    def each_row(self, write: Callable[[AffineExpr, Columns], None]) -> None:
        it = self.instruction

        def write_half(at: Sequence[AffineExpr]) -> None:
            i, half = at
            row = self.row(i) + half * MATRIX_ROWS + self.lane // 4

            def columns(finish: Callable[..., None]) -> None:
                def write_fragment(j: AffineExpr) -> None:
                    column = self.column(j) + (self.lane % 4) * it.c.pack
                    finish(column, it.c.pack, lambda v: [i, j, half * it.c.pack + v])

                self._unrolled(self.across, write_fragment)

            write(row, columns)

        self.nest([self.down, it.m // MATRIX_ROWS], write_half)
