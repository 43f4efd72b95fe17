"""Neighbouring results of a thread whose windows are read together, against float64."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from lowered import lowered
from numpy.typing import NDArray
from simulated import Runner
from test_rows_and_elements import HALF_EPS, group

Array = NDArray[Any]
F32_EPS = 2.0**-24
SMALLEST = float(np.finfo(np.float16).smallest_subnormal)


def schedule(threads: int, vector: int, columns: int) -> str:
    """Return the schedule of such threads."""
    numbers = f"threads = {threads}, vector = {vector}, columns = {columns}"
    return f'strategy = "map", target = "gpu", {numbers}'


def taps(x: Array, k: int, stride: int, made: int, fill: float, dilation: int = 1) -> Iterator[Any]:
    """Yield what each tap of windows with padding ``k // 2 * dilation`` reads of an image."""
    pad = k // 2 * dilation
    padded = np.pad(x, ((0, 0), (pad, pad), (pad, pad), (0, 0)), constant_values=fill)
    end = (made - 1) * stride + 1
    for i in range(k):
        for j in range(k):
            at = i * dilation, j * dilation
            yield i, j, padded[:, at[0] : at[0] + end : stride, at[1] : at[1] + end : stride]


@pytest.mark.parametrize(
    ("size", "k", "stride", "dilation", "channels", "vector", "columns"),
    [
        (13, 3, 1, 1, 24, 8, 13),
        (14, 3, 1, 1, 20, 4, 7),
        (14, 3, 2, 1, 8, 8, 7),
        (15, 3, 2, 1, 7, 1, 4),
        (12, 5, 1, 1, 16, 8, 4),
        (16, 5, 2, 1, 16, 2, 2),
        (12, 7, 1, 1, 8, 4, 3),
        (14, 3, 1, 2, 8, 8, 7),  # step of a tap that is no divisor of two
        (14, 3, 2, 2, 8, 8, 7),
        (12, 1, 1, 1, 8, 8, 4),  # nothing is shared
        (10, 3, 1, 1, 8, 8, 4),  # columns that do not divide
    ],
)
def test_depthwise_convolution(
    runner: Runner,
    size: int,
    k: int,
    stride: int,
    dilation: int,
    channels: int,
    vector: int,
    columns: int,
) -> None:
    made, pad = (size - 1) // stride + 1, k // 2 * dilation
    x_type, w_type = f"tensor<2x{size}x{size}x{channels}xf16>", f"tensor<{k}x{k}x1x{channels}xf16>"
    y_type = f"tensor<2x{made}x{made}x{channels}xf16>"
    body = (
        f"%c = graph.conv %g0, %g1 strides [{stride}, {stride}] padding {[pad] * 4} "
        f"dilations [{dilation}, {dilation}] groups {channels} layout channels_last "
        f"weight_layout hwio : ({x_type}, {w_type}) -> {y_type}\n"
        f"%r = graph.relu %c : {y_type} -> {y_type}"
    )
    text = group(f"{x_type}, {w_type}", y_type, schedule(96, vector, columns), body)
    rng = np.random.default_rng(channels)
    x = rng.standard_normal((2, size, size, channels)).astype(np.float16)
    w = rng.standard_normal((k, k, 1, channels)).astype(np.float16)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x, w)
    wide = w.astype(np.float64)
    parts = [
        part * wide[i, j, 0]
        for i, j, part in taps(x.astype(np.float64), k, stride, made, 0.0, dilation)
    ]
    exact, sizes = sum(parts), sum(map(np.abs, parts))
    bound = HALF_EPS * np.abs(exact) + k * k * F32_EPS * sizes + SMALLEST
    assert (np.abs(y - np.maximum(exact, 0)) <= bound).all()


@pytest.mark.parametrize("columns", [2, 4])
def test_largest_of_a_window(runner: Runner, columns: int) -> None:
    x_type, y_type = "tensor<2x15x15x12xf16>", "tensor<2x8x8x12xf16>"
    body = (
        "%r = graph.max_pool %g0 window [3, 3] strides [2, 2] padding [1, 1, 1, 1] "
        f"dilations [1, 1] layout channels_last : {x_type} -> {y_type}"
    )
    text = group(x_type, y_type, schedule(64, 4, columns), body)
    x = np.random.default_rng(1).standard_normal((2, 15, 15, 12)).astype(np.float16)
    x[0, 3, 3, 3] = np.nan
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    exact = np.maximum.reduce([part for _, _, part in taps(x, 3, 2, 8, -np.inf)])
    np.testing.assert_array_equal(y, exact)


def test_mean_of_a_window_of_computed_elements(runner: Runner) -> None:
    """What stands before the window is computed once for each place of the line."""
    x_type = "tensor<2x14x14x16xf16>"
    body = (
        f"%s = graph.abs %g0 : {x_type} -> {x_type}\n"
        "%r = graph.average_pool %s window [3, 3] strides [1, 1] padding [1, 1, 1, 1] "
        f"dilations [1, 1] layout channels_last : {x_type} -> {x_type}"
    )
    text = group(x_type, x_type, schedule(96, 8, 7), body)
    x = np.random.default_rng(2).standard_normal((2, 14, 14, 16)).astype(np.float16)
    module = lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
    (y,) = runner.run(module, x)
    wide = np.abs(x.astype(np.float64))
    total = sum(part for _, _, part in taps(wide, 3, 1, 14, 0.0))
    exact = total / sum(part for _, _, part in taps(np.ones_like(wide), 3, 1, 14, 0.0))
    assert (np.abs(y - exact) <= HALF_EPS * exact + 12 * F32_EPS * exact + SMALLEST).all()


@pytest.mark.parametrize(
    ("channels", "groups", "vector", "columns", "stride"),
    [(16, 4, 8, 7, 1), (16, 4, 4, 2, 2), (16, 2, 8, 7, 1), (24, 6, 8, 7, 2), (12, 4, 12, 2, 1)],
)
def test_groups_of_few_channels(
    runner: Runner, channels: int, groups: int, vector: int, columns: int, stride: int
) -> None:
    """A place of the line holds the channels of all groups of a thread."""
    size, each = 14, channels // groups
    made = (size - 1) // stride + 1
    x_type, w_type = f"tensor<2x14x14x{channels}xf16>", f"tensor<{channels}x3x3x{each}xf16>"
    y_type = f"tensor<2x{made}x{made}x{channels}xf16>"
    body = (
        f"%c = graph.conv %g0, %g1 strides [{stride}, {stride}] padding [1, 1, 1, 1] "
        f"dilations [1, 1] groups {groups} layout channels_last weight_layout ohwi : "
        f"({x_type}, {w_type}) -> {y_type}\n"
        f"%r = graph.relu %c : {y_type} -> {y_type}"
    )
    text = group(f"{x_type}, {w_type}", y_type, schedule(64, vector, columns), body)
    rng = np.random.default_rng(channels)
    x = rng.standard_normal((2, size, size, channels)).astype(np.float16)
    w = rng.standard_normal((channels, 3, 3, each)).astype(np.float16)
    module = lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
    (y,) = runner.run(module, x, w)
    exact, sizes = (
        sum(
            np.einsum(
                "nhwgi,goi->nhwgo",
                part.reshape(2, made, made, groups, each),
                kernel[:, i, j].reshape(groups, each, each),
            ).reshape(y.shape)
            for i, j, part in taps(image, 3, stride, made, 0.0)
        )
        for image, kernel in (
            (x.astype(np.float64), w.astype(np.float64)),
            (np.abs(x.astype(np.float64)), np.abs(w.astype(np.float64))),
        )
    )
    bound = HALF_EPS * np.abs(exact) + 9 * each * F32_EPS * sizes + SMALLEST
    assert (np.abs(y - np.maximum(exact, 0)) <= bound).all()
    x[1, 3, 3, 0] = np.nan  # nothing of it may come to the other groups
    (spoiled,) = runner.run(module, x, w)
    np.testing.assert_array_equal(spoiled[..., each:], y[..., each:])
    assert np.isnan(spoiled[1, 3 // stride, 3 // stride, :each]).all()


@pytest.mark.parametrize(("stride", "columns", "vector"), [(1, 7, 8), (2, 7, 4), (1, 2, 16)])
def test_few_channels_that_all_results_read(
    runner: Runner, stride: int, columns: int, vector: int
) -> None:
    """A first convolution: a thread reads the places of its line once for all its results."""
    made, out = 13 // stride + 1, 16
    x_type, t_type = "tensor<2x3x14x14xf16>", "tensor<2x14x14x3xf16>"
    w_type, y_type = f"tensor<{out}x3x3x3xf16>", f"tensor<2x{made}x{made}x{out}xf16>"
    body = (
        "%t = graph.transpose %g0 {permutation = array<i64: 0, 2, 3, 1>} "
        f": {x_type} -> {t_type}\n"
        f"%r = graph.conv %t, %g1 strides [{stride}, {stride}] padding [1, 1, 1, 1] "
        "dilations [1, 1] groups 1 layout channels_last weight_layout ohwi : "
        f"({t_type}, {w_type}) -> {y_type}"
    )
    text = group(f"{x_type}, {w_type}", y_type, schedule(64, vector, columns), body)
    rng = np.random.default_rng(stride)
    x = rng.standard_normal((2, 3, 14, 14)).astype(np.float16)
    w = rng.standard_normal((out, 3, 3, 3)).astype(np.float16)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x, w)
    image, kernel = x.transpose(0, 2, 3, 1).astype(np.float64), w.astype(np.float64)
    exact, sizes = (
        sum(
            np.einsum("nhwi,oi->nhwo", part, b[:, i, j])
            for i, j, part in taps(a, 3, stride, made, 0.0)
        )
        for a, b in ((image, kernel), (np.abs(image), np.abs(kernel)))
    )
    assert (np.abs(y - exact) <= HALF_EPS * np.abs(exact) + 27 * F32_EPS * sizes + SMALLEST).all()
