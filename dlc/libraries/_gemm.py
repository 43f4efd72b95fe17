"""A product of matrices as the functions of BLAS take it."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from dlc.analysis.matrices import Matrices, Matrix
from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.ir.record import Value

PIECE = 4
"""Rows or columns of an iteration that threads share."""


@dataclass(frozen=True)
class Side:
    """A factor or the result: ``rows x columns`` elements from ``start`` on, products ``step``
    apart; neighbouring rows are ``pitch`` apart, or where it is ``turned`` neighbouring columns.
    """

    rows: int
    columns: int
    start: int
    step: int
    pitch: int
    turned: bool

    @staticmethod
    def of(matrix: Matrix, rows: int, columns: int) -> "Side | None":
        """Return a matrix as BLAS takes it; ``None`` where neither its rows nor its columns are
        consecutive elements, or they overlap.
        """
        turned = columns > 1 and matrix.column != 1
        found = matrix.turned if turned else matrix
        lines, each = (columns, rows) if turned else (rows, columns)
        pitch = found.row if lines > 1 else each
        if (each > 1 and found.column != 1) or pitch < each:
            return None
        return Side(rows, columns, matrix.start, matrix.product, pitch, turned)

    def end(self, products: int) -> int:
        """Return where the last element of the last product ends."""
        lines, each = (self.columns, self.rows) if self.turned else (self.rows, self.columns)
        return self.start + (products - 1) * self.step + (lines - 1) * self.pitch + each

    def offset(self, of_rows: bool, first: str) -> str:
        """Return the C text of the offset of row, or column, ``first``."""
        return first if of_rows == self.turned else f"{first} * {self.pitch}"


@dataclass(frozen=True)
class Gemm:
    """Products whose result has consecutive rows. is_swapped: whether it is what the transposed
    factors give, in the other order.
    """

    products: int
    lhs: Side
    rhs: Side
    result: Side
    is_swapped: bool = False

    @staticmethod
    def of(given: Matrices) -> "Gemm | None":
        """Return products as BLAS takes them; ``None`` where it does not."""
        for is_swapped, each in ((False, given), (True, given.turned)):
            lhs = Side.of(each.lhs, each.m, each.k)
            rhs = Side.of(each.rhs, each.k, each.n)
            result = Side.of(each.result, each.m, each.n)
            if lhs and rhs and result and not result.turned:
                return Gemm(each.products, lhs, rhs, result, is_swapped)
        return None

    @staticmethod
    def read(call: CallAttr) -> "Gemm":
        """Return the products that the keys of a call say; raises CompileError for wrong ones."""
        products, m, n, k = _integers(call, "sizes", 4)
        turned = [each for each in _items(call, "turned") if isinstance(each, bool)]
        if len(turned) != 3:
            raise CompileError("turned of a call of BLAS is three of true and false")
        sizes = ((m, k), (k, n), (m, n))
        starts, steps, pitches = (
            _integers(call, name, 3) for name in ("starts", "steps", "pitches")
        )
        lhs, rhs, result = (
            Side(*size, start, step, pitch, each)
            for size, start, step, pitch, each in zip(
                sizes, starts, steps, pitches, turned, strict=True
            )
        )
        found = Gemm(products, lhs, rhs, result)
        found.check()
        return found

    def check(self) -> None:
        """Raise CompileError for sizes that no product has, or BLAS does not take."""
        for side in self.sides:
            each = side.rows if side.turned else side.columns
            if min(self.products, side.rows, side.columns) < 1 or not each <= side.pitch < 2**31:
                raise CompileError(f"BLAS takes no matrix with {side}")
        if self.result.turned:
            raise CompileError("the rows of a result of BLAS are consecutive elements")

    def keys(self) -> dict[str, Value]:
        """Return the keys of a call."""
        return {
            "sizes": (self.products, self.result.rows, self.result.columns, self.lhs.columns),
            "starts": tuple(side.start for side in self.sides),
            "steps": tuple(side.step for side in self.sides),
            "pitches": tuple(side.pitch for side in self.sides),
            "turned": tuple(side.turned for side in self.sides),
        }

    @property
    def sides(self) -> Sequence[Side]:
        """Factors and result."""
        return self.lhs, self.rhs, self.result

    @property
    def is_cut_in_rows(self) -> bool:
        """Whether threads share the rows of a product, else its columns: the more of both."""
        return self.result.rows >= self.result.columns

    @property
    def count(self) -> int:
        """The iterations that threads share: products, where there are several, else pieces."""
        if self.products > 1:
            return self.products
        return ceil(max(self.result.rows, self.result.columns) / PIECE)

    def code(self, function: str, element: str) -> str:
        """Return C statements that do the iterations from ``first`` to before ``end``."""
        rows, columns = map(str, (self.result.rows, self.result.columns))
        if self.products > 1:
            offsets = [f"i * {side.step}" for side in self.sides]
            call = self._call(function, element, offsets, rows, columns)
            return f"for (int64_t i = first; i < end; ++i) {call}"
        cut = rows if self.is_cut_in_rows else columns
        end = f"{PIECE} * end < {cut} ? {PIECE} * end : {cut}"
        offset = self.result.offset(self.is_cut_in_rows, "from")
        if self.is_cut_in_rows:
            offsets, rows = [self.lhs.offset(True, "from"), "0", offset], "to - from"
        else:
            offsets, columns = ["0", self.rhs.offset(False, "from"), offset], "to - from"
        call = self._call(function, element, offsets, rows, columns)
        return f"const int64_t from = {PIECE} * first, to = {end};\n{call}"

    def _call(
        self, function: str, element: str, offsets: Sequence[str], rows: str, columns: str
    ) -> str:
        lhs, rhs, result = (
            f"({element} *)b[{number}] + {side.start} + {offset}, {side.pitch}"
            for number, (side, offset) in enumerate(zip(self.sides, offsets, strict=True))
        )
        turned = ", ".join("112" if side.turned else "111" for side in (self.lhs, self.rhs))
        sizes = f"{rows}, {columns}, {self.lhs.columns}"
        return f"{function}(101, {turned}, {sizes}, 1, {lhs}, {rhs}, 0, {result});"


def _integers(call: CallAttr, name: str, count: int) -> list[int]:
    found = [each for each in _items(call, name) if type(each) is int and each >= 0]
    if len(found) != count:
        raise CompileError(f"{name} of a call of BLAS are {count} integers")
    return found


def _items(call: CallAttr, name: str) -> tuple[Value, ...]:
    nothing: tuple[Value, ...] = ()
    return call.get(name, nothing)
