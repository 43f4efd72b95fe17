"""The register layouts of the matrix instructions, against the tables of the PTX manual."""

import pytest

from dlc.arch import instructions
from dlc.arch.fragments import WARP_LANES, Fragment, ldmatrix_position
from dlc.arch.instruction import WARPGROUP_COLUMNS

FRAGMENTS = [
    operand.place
    for row in instructions.rows()
    for operand in (row.a, row.b, row.c)
    if operand.place is not None
]


def fragments(name: str) -> tuple[Fragment, Fragment, Fragment]:
    """Return the layouts of the first row of a name."""
    return instructions.named(name)[0].fragments


def of_tf32() -> tuple[Fragment, Fragment, Fragment]:
    """Return those of ``mma.m16n8k8``, which multiplies other types, too."""
    (row,) = (row for row in instructions.named("mma.m16n8k8") if row.element == "tf32")
    return row.fragments


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_every_element_has_one_holder(fragment: Fragment) -> None:
    places = {
        fragment.position(lane, slot)
        for lane in range(WARP_LANES)
        for slot in range(fragment.slots)
    }
    assert places == {(r, c) for r in range(fragment.rows) for c in range(fragment.columns)}


@pytest.mark.parametrize("fragment", FRAGMENTS)
def test_holder_is_the_inverse_of_position(fragment: Fragment) -> None:
    for lane in range(WARP_LANES):
        for slot in range(fragment.slots):
            assert fragment.holder(*fragment.position(lane, slot)) == (lane, slot)


@pytest.mark.parametrize("lane", range(WARP_LANES))
def test_m16n8k16_is_the_manual_s(lane: int) -> None:
    """PTX ISA 9.7.14.5.8: the formulas for row and column, written as there."""
    group, in_group = lane >> 2, lane % 4
    a, b, c = fragments("mma.m16n8k16")
    for i in range(8):
        row = group if 0 <= i < 2 or 4 <= i < 6 else group + 8
        column = in_group * 2 + (i & 1) + (8 if i >= 4 else 0)
        assert a.position(lane, i) == (row, column)
    for i in range(4):
        assert b.position(lane, i) == (in_group * 2 + (i & 1) + (8 if i >= 2 else 0), group)
        assert c.position(lane, i) == (group + (8 if i >= 2 else 0), in_group * 2 + (i & 1))


@pytest.mark.parametrize("lane", range(WARP_LANES))
def test_m16n8k8_of_halves_is_the_manual_s(lane: int) -> None:
    """PTX ISA 9.7.14.5.6, the .f16 and .bf16 tables."""
    group, in_group = lane >> 2, lane % 4
    a, b, c = fragments("mma.m16n8k8")
    for i in range(4):
        row = group if i < 2 else group + 8
        assert a.position(lane, i) == (row, in_group * 2 + (i & 1))
        assert c.position(lane, i) == (row, in_group * 2 + (i & 1))
    for i in range(2):
        assert b.position(lane, i) == (in_group * 2 + i, group)


@pytest.mark.parametrize("lane", range(WARP_LANES))
def test_m16n8k8_is_the_manual_s(lane: int) -> None:
    """PTX ISA 9.7.14.5.6, the .tf32 tables."""
    group, in_group = lane >> 2, lane % 4
    a, b, _ = of_tf32()
    for i in range(4):
        row = group if i in (0, 2) else group + 8
        assert a.position(lane, i) == (row, in_group if i < 2 else in_group + 4)
    for i in range(2):
        assert b.position(lane, i) == (in_group + 4 * i, group)


@pytest.mark.parametrize("columns", WARPGROUP_COLUMNS)
def test_sums_of_a_warpgroup_are_the_manual_s(columns: int) -> None:
    """PTX ISA 9.7.15.5.1.1, ``wgmma.mma_async.m64nNk16``: the rows of one warp."""
    (place,) = {row.c.place for row in instructions.named(f"wgmma.m64n{columns}k16")}
    assert place is not None
    for lane in range(WARP_LANES):
        for i in range(columns // 2):
            row = (lane >> 2) + (8 if i % 4 >= 2 else 0)
            assert place.position(lane, i) == (row, i // 4 * 8 + lane % 4 * 2 + (i & 1))


@pytest.mark.parametrize("depth", ["k16", "k8", "k32"])
def test_a_in_the_registers_of_a_warpgroup_lies_as_in_those_of_a_warp(depth: str) -> None:
    for columns in WARPGROUP_COLUMNS:
        (row, *_) = instructions.named(f"wgmma.m64n{columns}{depth}")
        as_warps = of_tf32() if depth == "k8" else fragments(f"mma.m16n8{depth}")
        assert row.a.place == as_warps[0]


@pytest.mark.parametrize(
    ("fragment", "pack"), [(fragments("mma.m16n8k16")[0], 2), (of_tf32()[0], 1)]
)
def test_four_matrices_make_an_a_fragment(fragment: Fragment, pack: int) -> None:
    """The matrices must be given as: top left, bottom left, top right, bottom right."""
    for lane in range(WARP_LANES):
        for slot in range(fragment.slots):
            matrix, row, column = ldmatrix_position(lane, slot, pack, transpose=False)
            place = (row + 8 * (matrix % 2), column + 4 * pack * (matrix // 2))
            assert fragment.position(lane, slot) == place


def test_transposed_matrices_make_a_b_fragment() -> None:
    fragment = fragments("mma.m16n8k16")[1]
    for lane in range(WARP_LANES):
        for slot in range(fragment.slots):
            matrix, row, column = ldmatrix_position(lane, slot, 2, transpose=True)
            assert fragment.position(lane, slot) == (row + 8 * matrix, column)
