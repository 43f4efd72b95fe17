"""The product of two tiles in shared memory by a matrix instruction: fragments, then mma."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import PANEL_ROWS, ROW_LANES
from dlc.arch.instruction import Instruction
from dlc.arch.memory import PIECE_BYTES
from dlc.dialects import gpu
from dlc.dialects.gpu.matrix_move import MOVED_MATRICES
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import buffer_shape
from dlc.ir.tensor import compute_type
from dlc.lowering.tile_scope import open_loop
from dlc.simt.accumulator import Accumulator, Held, Operand
from dlc.simt.steps import Steps

_FIRST = AffineExpr.constant(0)


@dataclass
class MatrixProduct(Steps):
    """Adds ``lhs`` times ``rhs`` to a warp's part of ``sums``."""

    sums: Accumulator
    instruction: Instruction
    lhs: Operand | Held
    rhs: Operand

    def __post_init__(self) -> None:
        (left, right, _), sums = self.instruction.fragments, self.sums
        if isinstance(self.lhs, Operand):
            self._a = sums.registers(self.lhs.element, [self.sets, sums.down, left.slots])
        sizes = self._across // self._beside, self._beside * right.slots
        self._b = sums.registers(self.rhs.element, [self.sets, *sizes])

    @property
    def count(self) -> int:
        return self.lhs.depth // self.instruction.k

    @property
    def _across(self) -> int:
        """The parts beside each other that a step adds to: the columns of one product."""
        return self.sums.across // self.lhs.groups

    @property
    def _beside(self) -> int:
        """The fragments of the rhs that are loaded together: neighbouring columns."""
        last = self.sums.spread.map.factors[-1]
        return 2 if last.kind == "repeat" and last.shape[1] % (2 * self.lhs.groups) == 0 else 1

    def _of_product(self, step: int) -> tuple[int, int]:
        """Return which of the products beside each other a step belongs to, and which step of it it
        is.
        """
        return divmod(step, self.count // self.lhs.groups)

    def load(self, step: int) -> None:
        k = AffineExpr.constant(step * self.instruction.k)
        product, own = self._of_product(step)
        first = product * self._across // self._beside
        along = AffineExpr.constant(own * self.instruction.k)
        if isinstance(self.lhs, Held):
            along = self.lhs.first + along
        if isinstance(self.lhs, Operand):
            lhs = self.lhs
            self._unrolled(self.sums.down, lambda i: self._load_lhs(lhs, i, k, step))
        self._unrolled(
            self._across // self._beside, lambda j: self._load_rhs(j, first, along, step)
        )

    def multiply(self, step: int) -> None:
        first = self._of_product(step)[0] * self._across
        sizes = [self.sums.down, self._across]
        self.sums.nest(sizes, lambda at: self._multiply(step, first, *at))

    def clear(self) -> None:
        zero = self.sums.scope.b.constant(0, compute_type(self.rhs.element))
        last = self._set(self.count - 1)

        def clear(buffer: SSAValue) -> None:
            sizes = buffer_shape(buffer)[1:]
            self.sums.nest(sizes, lambda at: self.sums.store(zero, buffer, [last, *at]))

        if isinstance(self.lhs, Operand):
            clear(self._a)
        clear(self._b)

    def _set(self, step: int) -> AffineExpr:
        return AffineExpr.constant(step % self.sets)

    def _unrolled(self, count: int, write: Callable[[AffineExpr], None]) -> None:
        open_loop(self.sums.scope, count, LoopMap.UNROLL, write)

    def _load_lhs(self, lhs: Operand, i: AffineExpr, k: AffineExpr, step: int) -> None:
        matrices = _of_lhs(lhs, self.instruction, self.sums.row(i), k)
        _load(self.sums, self.instruction, matrices, self._a, [self._set(step), i, _FIRST])

    def _load_rhs(self, j: AffineExpr, first: int, k: AffineExpr, step: int) -> None:
        """Load the fragments that are loaded together: the matrices of each lie along k.

        first: of those beside each other, in which the product's columns begin.
        """
        column = self.sums.column((j + first) * self._beside)
        fragment = self.instruction.fragments[1]
        down, along = fragment.panels
        down *= self._beside
        matrices = _Matrices(self.rhs, column, k, down, along, False, fragment.pack)
        _load(self.sums, self.instruction, matrices, self._b, [self._set(step), j, _FIRST])

    def _multiply(self, step: int, across: int, i: AffineExpr, j: AffineExpr) -> None:
        sums, zero, set = self.sums, AffineExpr.constant(0), self._set(step)
        first = j % self._beside * self.instruction.fragments[1].slots
        if isinstance(self.lhs, Held):
            a = sums.place(self.lhs.buffer, self.lhs.fragment(i, AffineExpr.constant(step)))
        else:
            a = sums.place(self._a, [set, i, zero])
        b = sums.place(self._b, [set, j // self._beside, first])
        c = sums.place(sums.buffer, [i, j + across, zero])
        sums.scope.b.builder.insert(gpu.MmaOp(a, b, c, self.instruction.shape))


def load_held(tile: Accumulator, held: Held, instruction: Instruction, lhs: Operand) -> None:
    """Write the loads of all fragments of a staged lhs."""

    def load(at: Sequence[AffineExpr]) -> None:
        i, step = at
        matrices = _of_lhs(lhs, instruction, tile.row(i), step * instruction.k)
        _load(tile, instruction, matrices, held.buffer, held.fragment(i, step))

    tile.nest([tile.down, lhs.depth // instruction.k], load)


def _of_lhs(lhs: Operand, instruction: Instruction, row: AffineExpr, k: AffineExpr) -> "_Matrices":
    """Return the matrices of a fragment: they lie below each other, then along k."""
    fragment = instruction.a.place
    assert fragment is not None
    return _Matrices(lhs, row, k, *fragment.panels, True, fragment.pack)


def _load(
    sums: Accumulator,
    instruction: Instruction,
    matrices: "_Matrices",
    fragment: SSAValue,
    at: Sequence[AffineExpr],
) -> None:
    """Load matrices to the fragment that begins at a place of a buffer."""
    tile, insert = matrices.tile, sums.scope.b.builder.insert
    target = sums.place(fragment, at)
    if matrices.fit_ldmatrix:
        source = sums.place(tile.buffer, matrices.line(sums.lane))
        insert(gpu.LdmatrixOp(source, target, matrices.count, not tile.along_k))
    else:
        _load_singly(sums, matrices, fragment, at)
    if instruction.ignored_bits:
        # Left alone, the instruction cuts the mantissa off: a bias that grows with depth.
        _round(sums, fragment, at, matrices.count * matrices.pack)


def _load_singly(
    sums: Accumulator, matrices: "_Matrices", fragment: SSAValue, at: Sequence[AffineExpr]
) -> None:
    """Load elements one by one, which ldmatrix cannot transpose."""
    for slot in range(matrices.count * matrices.pack):
        value = sums.load(matrices.tile.buffer, matrices.element(slot, sums.lane))
        sums.store(value, fragment, [*at[:-1], at[-1] + slot])


def _round(sums: Accumulator, fragment: SSAValue, at: Sequence[AffineExpr], slots: int) -> None:
    """Round the elements of a fragment."""
    for slot in range(slots):
        place = [*at[:-1], at[-1] + slot]
        value = sums.load(fragment, place)
        sums.store(sums.scope.b.insert(gpu.CvtTf32Op(value)), fragment, place)


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
        return ROW_LANES * self.pack

    @property
    def fit_ldmatrix(self) -> bool:
        """Whether one instruction loads them: 1, 2 or 4 of rows of 16 bytes, which it transposes by
        elements of 16 bits only.
        """
        bytes = self.tile.element_bytes
        fit = self.count in MOVED_MATRICES and self.width * bytes == PIECE_BYTES
        return fit and (self.tile.along_k or bytes == 2)

    def line(self, lane: AffineExpr) -> list[AffineExpr]:
        """Return the place whose row in shared memory ``lane`` names; where the tile does not lie
        along k, the row is one of the transposed matrix.
        """
        row, k = self._first(lane // PANEL_ROWS)
        line = lane % PANEL_ROWS
        return (
            self.tile.index(row + line, k) if self.tile.along_k else self.tile.index(row, k + line)
        )

    def element(self, slot: int, lane: AffineExpr) -> list[AffineExpr]:
        """Return the place of the element that a lane has in a slot of the fragment."""
        matrix, within = divmod(slot, self.pack)
        row, k = self._first(AffineExpr.constant(matrix))
        return self.tile.index(row + lane // ROW_LANES, k + lane % ROW_LANES * self.pack + within)

    def _first(self, matrix: AffineExpr) -> tuple[AffineExpr, AffineExpr]:
        """Return the row and the k of a matrix's first element."""
        if self.down_first:
            at_row, at_k = matrix % self.down, matrix // self.down % self.along
        else:
            at_row, at_k = matrix // self.along % self.down, matrix % self.along
        return self.row + at_row * PANEL_ROWS, self.k + at_k * self.width
