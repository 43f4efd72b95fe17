"""Masks that are drawn look like those that models get."""

from itertools import product

import numpy as np
import pytest

from dlc.dialects.graph.structure import Array
from dlc.verification.mask_inputs import marks

SIZES = [(40, 16), (5, 1, 1, 16), (2, 3, 16, 16), (2, 8, 16), (2, 16, 8)]


def drawn(sizes: tuple[int, ...], empty: bool = False, seeds: int = 20) -> Array:
    """Return the rows of several masks, and beside them which row each one is."""
    return np.stack([marks(np.random.default_rng(seed), sizes, empty) for seed in range(seeds)])


@pytest.mark.parametrize("sizes", SIZES)
def test_rows(sizes: tuple[int, ...]) -> None:
    masks = drawn(sizes)
    rows = masks.reshape(-1, sizes[-1])
    assert set(np.unique(rows)) == {0, 1}
    assert rows.any(-1).all()  # each row sees something
    is_padding = (np.diff(rows, axis=-1) <= 0).all(-1)
    assert 0.3 < is_padding.mean() < 0.95
    assert len({row.sum() for row in rows[is_padding]}) > sizes[-1] // 2


@pytest.mark.parametrize("sizes", SIZES)
def test_rows_that_see_the_last_places_alone(sizes: tuple[int, ...]) -> None:
    rows = drawn(sizes).reshape(-1, sizes[-1])
    is_late = (np.diff(rows, axis=-1) >= 0).all(-1) & (rows[:, 0] == 0)
    assert 0.1 < is_late.mean() < 0.5
    assert (rows[is_late].sum(-1) < sizes[-1] // 2).any()


@pytest.mark.parametrize(("rows", "columns"), [(16, 16), (8, 16), (16, 8)])
def test_a_row_sees_up_to_its_place(rows: int, columns: int) -> None:
    masks = drawn((rows, columns), seeds=240)
    causal = np.tri(rows, columns, max(columns - rows, 0), dtype=np.int64)
    share = (masks == causal).all(-1).mean(0)
    assert (share > 0.15).all()


def test_rows_that_see_nothing_are_asked_for() -> None:
    nothing = ~drawn((40, 16), empty=True).any(-1)
    assert 0.15 < nothing.mean() < 0.35


@pytest.mark.parametrize(("sizes", "empty"), [*product([(), (7,), (0, 4), (4, 0)], [False, True])])
def test_other_sizes(sizes: tuple[int, ...], empty: bool) -> None:
    assert marks(np.random.default_rng(0), sizes, empty).shape == sizes
