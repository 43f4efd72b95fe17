"""Which lane holds which element of a matrix instruction's operands, in which register slot.

Written down once for the lowering, the simulator and the tests. Source: PTX ISA, "Matrix fragments
for mma.m16n8k16 with floating point type", the same of the other shapes, and "ldmatrix". A lane's
*slot* is the position of an element in its fragment, counted in elements, in the order in which the
instruction takes the registers.
"""

from dataclasses import dataclass

WARP_LANES = 32
"""Lanes of a warp; every fragment below is spread over one warp."""

ROW_LANES = 4
"""Neighbouring lanes that have parts of the same row of a panel."""

PANEL_ROWS = WARP_LANES // ROW_LANES


@dataclass(frozen=True)
class Fragment:
    """The layout of a ``rows`` x ``columns`` operand over a warp.

    An 8-row *panel* is one 8x16 (8-bit), 8x8 (16-bit) or 8x4 (32-bit) block: lane ``l`` holds row
    ``l // 4`` and ``pack`` neighbouring columns from ``(l % 4) * pack``. The panels follow each
    other down the rows first. transposed: rows and columns change places (the ``b`` operand, which
    is K x N).
    """

    rows: int
    columns: int
    pack: int
    transposed: bool = False

    @property
    def slots(self) -> int:
        """The elements of one lane."""
        return self.rows * self.columns // WARP_LANES

    @property
    def panels(self) -> tuple[int, int]:
        """How many panels there are down the major axis, and along the other one."""
        minor = self.rows if self.transposed else self.columns
        return self._major // PANEL_ROWS, minor // (ROW_LANES * self.pack)

    def position(self, lane: int, slot: int) -> tuple[int, int]:
        """Return the (row, column) of the element that ``lane`` holds in ``slot``."""
        panel, within = divmod(slot, self.pack)
        tall = self._major // PANEL_ROWS
        major = lane // ROW_LANES + PANEL_ROWS * (panel % tall)
        minor = (lane % ROW_LANES + ROW_LANES * (panel // tall)) * self.pack + within
        return (minor, major) if self.transposed else (major, minor)

    def holder(self, row: int, column: int) -> tuple[int, int]:
        """Return the (lane, slot) of an element; the inverse of ``position``."""
        major, minor = (column, row) if self.transposed else (row, column)
        panel_column, offset = divmod(minor, ROW_LANES * self.pack)
        panel = panel_column * (self._major // PANEL_ROWS) + major // PANEL_ROWS
        lane = major % PANEL_ROWS * ROW_LANES + offset // self.pack
        return lane, panel * self.pack + offset % self.pack

    @property
    def _major(self) -> int:
        return self.columns if self.transposed else self.rows


def ldmatrix_position(lane: int, slot: int, pack: int, transpose: bool) -> tuple[int, int, int]:
    """Return the (matrix, row, column) of the element that ldmatrix puts in a lane's ``slot``.

    pack: elements per 32-bit register (only those of 16 bits transpose).
    """
    matrix, within = divmod(slot, pack)
    major, minor = lane // ROW_LANES, (lane % ROW_LANES) * pack + within
    return (matrix, minor, major) if transpose else (matrix, major, minor)
