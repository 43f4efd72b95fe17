"""Kernels of the strategy ``scan`` on the GPU, against numpy."""

import numpy as np
import pytest
from lowered import lowered
from simulated import Runner
from test_rows_and_elements import HALF_EPS, group

SCHEDULES = [
    "threads = 32, rows = 4, vector = 8",
    "threads = 32, rows = 2, vector = 1",
    "threads = 64, rows = 2, vector = 4",
    "threads = 96, vector = 2",
    "threads = 256, vector = 4",
]
HOW = ["", "exclusive", "reverse", "exclusive reverse"]


def scanned(x: np.ndarray, how: str, op: str = "cumsum") -> np.ndarray:
    """Return what numpy says of a running sum or product along the last axis."""
    y = np.flip(x, -1) if "reverse" in how else x
    if "exclusive" in how:
        neutral = 0 if op == "cumsum" else 1
        y = np.concatenate([np.full_like(y[..., :1], neutral), y[..., :-1]], -1)
    y = getattr(np, op)(y, -1, dtype=x.dtype)
    return np.flip(y, -1) if "reverse" in how else y


def _run(runner: Runner, types: str, result: str, keys: str, body: str, *inputs: np.ndarray):
    text = group(types, result, f'strategy = "scan", target = "gpu", {keys}', body)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), *inputs)
    return y


@pytest.mark.parametrize("length", [2, 31, 197, 256, 523])
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("schedule", SCHEDULES)
def test_running_sum(runner: Runner, length: int, how: str, schedule: str) -> None:
    full = f"tensor<5x{length}xf32>"
    body = f"%r = graph.cum_sum %g0 axis 1 {how} : {full} -> {full}"
    x = np.random.default_rng(length).integers(-99, 99, (5, length)).astype(np.float32)
    np.testing.assert_array_equal(_run(runner, full, full, schedule, body, x), scanned(x, how))


@pytest.mark.parametrize(
    ("sizes", "axis", "vector"),
    [((7, 64), 0, 4), ((1, 6), 0, 1), ((3, 9, 5), 1, 1), ((2, 33, 2, 4), 1, 8)],
)
@pytest.mark.parametrize("how", HOW)
def test_sums_across(
    runner: Runner, sizes: tuple[int, ...], axis: int, vector: int, how: str
) -> None:
    full = f"tensor<{'x'.join(map(str, sizes))}xf32>"
    body = f"""
      %a = graph.add %g0, %g0 : ({full}, {full}) -> {full}
      %s = graph.cum_sum %a axis {axis} {how} : {full} -> {full}
      %r = graph.sub %s, %g0 : ({full}, {full}) -> {full}"""
    x = np.random.default_rng(3).integers(-99, 99, sizes).astype(np.float32)
    y = _run(runner, full, full, f"threads = 64, vector = {vector}", body, x)
    moved = scanned(2 * np.moveaxis(x, axis, -1), how)
    np.testing.assert_array_equal(y, np.moveaxis(moved, -1, axis) - x)


@pytest.mark.parametrize(
    ("sizes", "axis", "vector"), [((133, 1), 0, 4), ((5, 31, 1, 1), 1, 2), ((1, 1), 0, 1)]
)
@pytest.mark.parametrize("how", HOW)
def test_axes_of_one_element_belong_to_the_row(
    runner: Runner, sizes: tuple[int, ...], axis: int, vector: int, how: str
) -> None:
    full = f"tensor<{'x'.join(map(str, sizes))}xf32>"
    body = f"""
      %s = graph.cum_sum %g0 axis {axis} {how} : {full} -> {full}
      %r = graph.sub %s, %g0 : ({full}, {full}) -> {full}"""
    x = np.random.default_rng(4).integers(-99, 99, sizes).astype(np.float32)
    y = _run(runner, full, full, f"threads = 64, vector = {vector}", body, x)
    moved = scanned(np.moveaxis(x, axis, -1), how)
    np.testing.assert_array_equal(y, np.moveaxis(moved, -1, axis) - x)


@pytest.mark.parametrize("length", [4096, 4099])
@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("schedule", ["threads = 32, vector = 4", "threads = 64, vector = 8"])
def test_rows_in_chunks(runner: Runner, length: int, how: str, schedule: str) -> None:
    full = f"tensor<2x{length}xi32>"
    body = f"%r = graph.cum_sum %g0 axis 1 {how} : {full} -> {full}"
    x = np.random.default_rng(length).integers(-99, 99, (2, length)).astype(np.int32)
    np.testing.assert_array_equal(_run(runner, full, full, schedule, body, x), scanned(x, how))


@pytest.mark.parametrize("schedule", SCHEDULES)
def test_running_sum_with_what_surrounds_it(runner: Runner, schedule: str) -> None:
    full, last = "tensor<2x3x133xf16>", "tensor<133xf16>"
    body = f"""
      %a = graph.mul %g0, %g1 : ({full}, {last}) -> {full}
      %s = graph.cum_sum %a axis 2 : {full} -> {full}
      %b = graph.add %s, %g2 : ({full}, {full}) -> {full}
      %r = graph.relu %b : {full} -> {full}"""
    rng = np.random.default_rng(1)
    given = [rng.standard_normal(n).astype(np.float16) for n in ((2, 3, 133), 133, (2, 3, 133))]
    y = _run(runner, f"{full}, {last}, {full}", full, schedule, body, *given)
    x, w, z = (v.astype(np.float64) for v in given)
    right, sizes = np.cumsum(x * w, -1) + z, np.cumsum(np.abs(x * w), -1) + np.abs(z)
    assert (np.abs(y - np.maximum(right, 0)) <= HALF_EPS * np.abs(right) + 2**-20 * sizes).all()


@pytest.mark.parametrize("how", HOW)
def test_running_product_of_integers_wraps_around(runner: Runner, how: str) -> None:
    full = "tensor<3x77xi64>"
    body = f"%r = graph.cum_prod %g0 axis 1 {how} : {full} -> {full}"
    x = np.random.default_rng(2).integers(-9, 9, (3, 77)) | 1
    y = _run(runner, full, full, "threads = 64, vector = 2", body, x)
    np.testing.assert_array_equal(y, scanned(x, how, "cumprod"))


def test_sign_of_zero_and_what_is_no_number(runner: Runner) -> None:
    full = "tensor<1x40xf32>"
    body = f"%r = graph.cum_sum %g0 axis 1 : {full} -> {full}"
    x = np.full((1, 40), -0.0, np.float32)
    x[0, 35:] = np.inf, 1, -np.inf, 2, np.nan
    y = _run(runner, full, full, "threads = 32, rows = 4, vector = 1", body, x)
    assert np.signbit(y[0, :35]).all()
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(y, np.cumsum(x, 1))
