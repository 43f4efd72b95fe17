"""How the products of a warpgroup find the elements of a tile in shared memory.

Source: PTX ISA, "Asynchronous warpgroup level matrix shared memory layout", with "Strides" and
"Matrix descriptor". The canonical layouts are written there in pieces of 16 bytes.
"""

from dataclasses import dataclass
from typing import Any

from dlc.arch.memory import LINE_BYTES, PIECE_BYTES

PATTERN_ROWS = 8
"""Rows after which the swizzle repeats; a tile starts at a multiple of them."""
_MODES = {128: 1, 64: 2, 32: 3}
"""By the bytes of a row: the number of its swizzle in a descriptor."""
ROW_BYTES = tuple(_MODES)
ADDRESS_MASK = 0x3FFFF
"""The bits of an address in shared memory that a descriptor has, in pieces, at its low end."""
TRANSPOSED_BYTES = 2
"""Of the only elements of which tiles can be transposed (PTX ISA, "wgmma.mma_async")."""


def fits_lines(length_bytes: int) -> bool:
    """Return whether a line of so many bytes is one row of a tile, or several whole ones of 128."""
    return length_bytes in ROW_BYTES or length_bytes % max(ROW_BYTES) == 0


@dataclass(frozen=True)
class MatrixDescriptor:
    """A tile of rows x depth that lies in rows of ``row_bytes`` bytes (32, 64 or 128).

    A row of bytes runs along the depth of one row of the tile; where the tile is transposed, along
    rows of the tile at one depth. stride_bytes: from 8 rows of bytes to the next 8. leading_bytes:
    from a row of bytes to that with the next rows of the tile at the same depth, where the tile is
    transposed; without use elsewhere.
    """

    row_bytes: int
    stride_bytes: int
    leading_bytes: int = PIECE_BYTES
    transposed: bool = False

    @property
    def bits(self) -> int:
        """The 64 bits of the descriptor of a tile at address 0."""
        leading, stride = self.leading_bytes // PIECE_BYTES, self.stride_bytes // PIECE_BYTES
        return leading << 16 | stride << 32 | _MODES[self.row_bytes] << 62

    @property
    def swizzle(self) -> tuple[int, int, int]:
        """The same permutation of bytes as ``#gpu.swizzle`` has it: bits, base, shift."""
        return swizzle_of_lines(self.row_bytes)

    def address(self, start: Any, row: Any, depth: Any, element_bytes: int) -> Any:
        """Return where an element of a tile is that starts at byte ``start``; arrays work too.

        The swizzle takes the number of a line of 128 bytes from an address.
        """
        line, within = (depth, row) if self.transposed else (row, depth)
        beside, within = divmod(within * element_bytes, self.row_bytes)
        below = line // PATTERN_ROWS * self.stride_bytes + line % PATTERN_ROWS * self.row_bytes
        address = start + below + beside * self.leading_bytes + within
        pieces = self.row_bytes // PIECE_BYTES
        return address ^ address // LINE_BYTES % pieces * PIECE_BYTES


def swizzle_of_lines(line_bytes: int) -> tuple[int, int, int]:
    """Return the hardware's permutation of lines of 32, 64 or 128 bytes: bits, base and shift, as
    ``#gpu.swizzle`` has them.
    """
    piece_bits = PIECE_BYTES.bit_length() - 1
    return line_bytes.bit_length() - 1 - piece_bits, piece_bits, 3
