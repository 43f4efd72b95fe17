"""A warp's part of a tile by matrix instructions: fragments from shared memory, then mma."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import MatrixInstruction
from dlc.dialects import gpu
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import buffer_element
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator, Columns, Operand

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
        self._load(_Matrices(lhs, self.row(i), k, down=2, down_first=True), a, i)

    def _load_rhs(
        self, rhs: Operand, i: AffineExpr, k: AffineExpr, b: SSAValue, fragments: int
    ) -> None:
        """Load one or two 8-column fragments: two matrices along k for each."""
        column = self.column(i * fragments)
        self._load(_Matrices(rhs, column, k, down=fragments, down_first=False), b, i)

    def _load(self, matrices: "_Matrices", fragment: SSAValue, number: AffineExpr) -> None:
        """Load matrices to fragment ``number`` of a buffer."""
        tile, insert = matrices.tile, self.scope.b.builder.insert
        target = self.place(fragment, [number, AffineExpr.constant(0)])
        if tile.along_k or tile.element_bytes == 2:
            source = self.place(tile.buffer, matrices.line(self.lane))
            insert(gpu.LdmatrixOp(source, target, matrices.count, not tile.along_k))
        else:
            self._load_singly(matrices, fragment, number)
        if buffer_element(fragment) == f32:
            # Left alone, the instruction cuts the mantissa off: a bias that grows with depth.
            insert(gpu.RoundTf32Op(target, matrices.count))

    def _load_singly(self, matrices: "_Matrices", fragment: SSAValue, number: AffineExpr) -> None:
        """Load 32-bit elements one by one, which ldmatrix cannot transpose."""
        for matrix in range(matrices.count):
            value = self.load(matrices.tile.buffer, matrices.element(matrix, self.lane))
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


@dataclass(frozen=True)
class _Matrices:
    """``down`` x 2 neighbouring matrices of a tile, from a row and a k on, each of 8 rows of 16
    bytes along k. The second one is the next one down or along k.
    """

    tile: Operand
    row: AffineExpr
    k: AffineExpr
    down: int
    down_first: bool

    @property
    def count(self) -> int:
        return self.down * 2

    @property
    def width(self) -> int:
        """The elements of a row of a matrix."""
        return MATRIX_BYTES // self.tile.element_bytes

    def line(self, lane: AffineExpr) -> list[AffineExpr]:
        """Return the place whose row in shared memory ``lane`` names; where the tile does not lie
        along k, the row is one of the transposed matrix.
        """
        row, k = self._first(lane // MATRIX_ROWS)
        line = lane % MATRIX_ROWS
        return (
            self.tile.index(row + line, k) if self.tile.along_k else self.tile.index(row, k + line)
        )

    def element(self, matrix: int, lane: AffineExpr) -> list[AffineExpr]:
        """Return the place of the 32-bit element that a lane has of a matrix."""
        row, k = self._first(AffineExpr.constant(matrix))
        return self.tile.index(row + lane // self.width, k + lane % self.width)

    def _first(self, matrix: AffineExpr) -> tuple[AffineExpr, AffineExpr]:
        """Return the row and the k of a matrix's first element."""
        if self.down_first:
            at_row, at_k = matrix % self.down, matrix // self.down % 2
        else:
            at_row, at_k = matrix // 2 % self.down, matrix % 2
        return self.row + at_row * MATRIX_ROWS, self.k + at_k * self.width
