"""Where products of a warpgroup find elements: against CUTLASS's canonical layouts of 16-byte
pieces, written as shapes and strides.
"""

import numpy as np
import pytest

from dlc.arch.matrix_descriptor import ROW_BYTES, MatrixDescriptor
from dlc.dialects.gpu import SwizzleAttr

LEADING, STRIDE = 1 << 14, 1 << 12


def permuted(offset: int, row_bytes: int) -> int:
    """Swizzle<bits, 4, 3> of a byte offset, bit by bit."""
    for bit in range({32: 1, 64: 2, 128: 3}[row_bytes]):
        offset ^= (offset >> (7 + bit) & 1) << (4 + bit)
    return offset


@pytest.mark.parametrize("row_bytes", ROW_BYTES)
def test_rows_along_the_depth(row_bytes: int) -> None:
    """Pieces ((8, m), 2) have the strides ((row, SBO), 1)."""
    layout = MatrixDescriptor(row_bytes, STRIDE)
    for row in range(64):
        for piece in range(2):
            place = row % 8 * row_bytes + row // 8 * STRIDE + piece * 16
            assert layout.address(0, row, piece * 8, 2) == permuted(place, row_bytes)


@pytest.mark.parametrize("row_bytes", ROW_BYTES)
def test_transposed_rows(row_bytes: int) -> None:
    """Pieces ((w, m), (8, k)) have the strides ((1, LBO), (w, SBO)), w to a row."""
    layout = MatrixDescriptor(row_bytes, STRIDE, LEADING, transposed=True)
    width = row_bytes // 16
    for piece in range(16):
        for depth in range(16):
            across = piece % width * 16 + piece // width * LEADING
            place = across + depth % 8 * width * 16 + depth // 8 * STRIDE
            assert layout.address(0, piece * 8, depth, 2) == permuted(place, row_bytes)


def test_a_start_within_a_row_moves_the_pieces_before_the_swizzle() -> None:
    layout = MatrixDescriptor(128, 1024)
    assert layout.address(32, 3, 0, 2) == layout.address(0, 3, 16, 2)


def test_arrays_are_taken_element_by_element() -> None:
    layout = MatrixDescriptor(64, 512)
    rows = np.arange(64)
    addresses = layout.address(1024, rows, 5, 4)
    assert addresses.tolist() == [layout.address(1024, int(row), 5, 4) for row in rows]


def test_bits_are_where_the_manual_has_them() -> None:
    bits = MatrixDescriptor(64, 512, 2048, transposed=True).bits
    fields = {"address": (0, 14), "leading": (16, 14), "stride": (32, 14), "swizzle": (62, 2)}
    values = {name: bits >> at & (1 << size) - 1 for name, (at, size) in fields.items()}
    assert values == {"address": 0, "leading": 128, "stride": 32, "swizzle": 2}


@pytest.mark.parametrize("row_bytes", ROW_BYTES)
def test_the_swizzle_is_that_of_buffers(row_bytes: int) -> None:
    layout = MatrixDescriptor(row_bytes, 8 * row_bytes)
    swizzle = SwizzleAttr(layout.swizzle)
    assert swizzle.period_bytes == 8 * row_bytes
    for row in range(24):
        for depth in range(row_bytes // 2):
            assert layout.address(0, row, depth, 2) == swizzle.apply(row * row_bytes + depth * 2)
