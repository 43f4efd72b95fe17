"""The product of two tiles in shared memory by a matrix instruction: fragments, then mma."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.instruction import Instruction
from dlc.dialects import gpu
from dlc.dialects.gpu.mma import LOADED_MATRICES, MATRIX_ROW_BYTES
from dlc.dialects.loop.attributes import LoopMap
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator, Operand

MATRIX_ROWS = 8
"""Of what ldmatrix loads (PTX ISA, "ldmatrix", ``.m8n8``)."""


@dataclass(frozen=True)
class MatrixProduct:
    """Adds ``lhs`` times ``rhs`` to a warp's part of ``sums``."""

    sums: Accumulator
    instruction: Instruction
    lhs: Operand
    rhs: Operand

    @property
    def _pairs(self) -> int:
        """How many pairs of neighbouring fragments the columns are; 0 when they are not."""
        last = self.sums.spread.map.factors[-1]
        return self.sums.across // 2 if last.kind == "repeat" and last.shape[1] % 2 == 0 else 0

    def write(self) -> None:
        """Write loads and products, step by step of the reduction."""
        depth, (left, right, _) = self.instruction.k, self.instruction.fragments
        down, across, pairs = self.sums.down, self.sums.across, self._pairs
        shape = [pairs, 2 * right.slots] if pairs else [across, right.slots]
        a = self.sums.registers(self.lhs.element, [down, left.slots])
        b = self.sums.registers(self.rhs.element, shape)

        def write_step(step: AffineExpr) -> None:
            k = step * depth
            self._unrolled(down, lambda i: self._load_lhs(i, k, a))
            if pairs:
                self._unrolled(pairs, lambda i: self._load_rhs(i, k, b, 2))
            else:
                self._unrolled(across, lambda i: self._load_rhs(i, k, b, 1))
            self.sums.nest([down, across], lambda at: self._multiply(a, b, at, bool(pairs)))

        self._unrolled(self.lhs.depth // depth, write_step)

    def _unrolled(self, count: int, write: Callable[[AffineExpr], None]) -> None:
        open_loop(self.sums.scope, count, LoopMap.UNROLL, write)

    def _load_lhs(self, i: AffineExpr, k: AffineExpr, a: SSAValue) -> None:
        """Load a fragment: its matrices lie below each other, then along k."""
        fragment = self.instruction.fragments[0]
        row = self.sums.row(i)
        self._load(_Matrices(self.lhs, row, k, *fragment.panels, True, fragment.pack), a, i)

    def _load_rhs(self, i: AffineExpr, k: AffineExpr, b: SSAValue, fragments: int) -> None:
        """Load one or two fragments: the matrices of each lie along k."""
        column, fragment = self.sums.column(i * fragments), self.instruction.fragments[1]
        down, along = fragment.panels
        matrices = _Matrices(self.rhs, column, k, down * fragments, along, False, fragment.pack)
        self._load(matrices, b, i)

    def _load(self, matrices: "_Matrices", fragment: SSAValue, number: AffineExpr) -> None:
        """Load matrices to fragment ``number`` of a buffer."""
        tile, insert = matrices.tile, self.sums.scope.b.builder.insert
        target = self.sums.place(fragment, [number, AffineExpr.constant(0)])
        if matrices.fit_ldmatrix:
            source = self.sums.place(tile.buffer, matrices.line(self.sums.lane))
            insert(gpu.LdmatrixOp(source, target, matrices.count, not tile.along_k))
        else:
            self._load_singly(matrices, fragment, number)
        if self.instruction.ignored_bits:
            # Left alone, the instruction cuts the mantissa off: a bias that grows with depth.
            insert(gpu.RoundTf32Op(target, matrices.count * matrices.pack))

    def _load_singly(self, matrices: "_Matrices", fragment: SSAValue, number: AffineExpr) -> None:
        """Load elements one by one, which ldmatrix cannot transpose."""
        sums = self.sums
        for slot in range(matrices.count * matrices.pack):
            value = sums.load(matrices.tile.buffer, matrices.element(slot, sums.lane))
            sums.store(value, fragment, [number, AffineExpr.constant(slot)])

    def _multiply(self, a: SSAValue, b: SSAValue, at: Sequence[AffineExpr], paired: bool) -> None:
        i, j = at
        sums, zero = self.sums, AffineExpr.constant(0)
        slots = self.instruction.fragments[1].slots
        b_at = [j // 2, (j % 2) * slots] if paired else [j, zero]
        c = sums.place(sums.buffer, [i, j, zero])
        factors = sums.place(a, [i, zero]), sums.place(b, b_at)
        sums.scope.b.builder.insert(gpu.MmaOp(*factors, c, self.instruction.shape))


@dataclass(frozen=True)
class _Matrices:
    """``down`` x ``along`` neighbouring matrices of a tile, from a row and a k on, each of 8 rows
    along k. The second one is the next one down or along k. pack: neighbouring elements of a row
    that a lane gets, of 4 lanes.
    """

    tile: Operand
    row: AffineExpr
    k: AffineExpr
    down: int
    along: int
    down_first: bool
    pack: int

    @property
    def count(self) -> int:
        return self.down * self.along

    @property
    def width(self) -> int:
        """The elements of a row of a matrix."""
        return 4 * self.pack

    @property
    def fit_ldmatrix(self) -> bool:
        """Whether one instruction loads them: 1, 2 or 4 of rows of 16 bytes, which it transposes by
        elements of 16 bits only.
        """
        bytes = self.tile.element_bytes
        fit = self.count in LOADED_MATRICES and self.width * bytes == MATRIX_ROW_BYTES
        return fit and (self.tile.along_k or bytes == 2)

    def line(self, lane: AffineExpr) -> list[AffineExpr]:
        """Return the place whose row in shared memory ``lane`` names; where the tile does not lie
        along k, the row is one of the transposed matrix.
        """
        row, k = self._first(lane // MATRIX_ROWS)
        line = lane % MATRIX_ROWS
        return (
            self.tile.index(row + line, k) if self.tile.along_k else self.tile.index(row, k + line)
        )

    def element(self, slot: int, lane: AffineExpr) -> list[AffineExpr]:
        """Return the place of the element that a lane has in a slot of the fragment."""
        matrix, within = divmod(slot, self.pack)
        row, k = self._first(AffineExpr.constant(matrix))
        return self.tile.index(row + lane // 4, k + lane % 4 * self.pack + within)

    def _first(self, matrix: AffineExpr) -> tuple[AffineExpr, AffineExpr]:
        """Return the row and the k of a matrix's first element."""
        if self.down_first:
            at_row, at_k = matrix % self.down, matrix // self.down % self.along
        else:
            at_row, at_k = matrix // self.along % self.down, matrix % self.along
        return self.row + at_row * MATRIX_ROWS, self.k + at_k * self.width
