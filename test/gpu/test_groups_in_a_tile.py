"""Products that share a tile: groups of a convolution, products of a batch, against float64."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from lowered import lowered
from numpy.typing import NDArray
from simulated import Runner
from test_rows_and_elements import group
from test_warpgroup_contractions import TYPES, check
from test_windows import taps

Array = NDArray[Any]

SCHEDULES = {
    "two slots": (16, 'tile = [32, 32, 32], instruction = "mma.m16n8k16", stages = 2, groups = 2'),
    "interleaved": (
        16,
        'tile = [64, 64, 64], warps = [4, 1], instruction = "mma.m16n8k16", stages = 4, '
        "interleave = 2, groups = 4",
    ),
    "parts": (
        16,
        'tile = [32, 64, 64], instruction = "mma.m16n8k16", stages = 3, split = 2, groups = 4',
    ),
    "exchanged": (
        16,
        'tile = [64, 64, 64], instruction = "mma.m16n8k16", stages = 3, exchange = true, '
        "groups = 4",
    ),
    "producers": (
        16,
        'tile = [64, 64, 64], instruction = "mma.m16n8k16", stages = 3, producers = 2, groups = 4',
    ),
    "narrow": (
        8,
        'tile = [64, 64, 64], instruction = "mma.m16n8k8", stages = 3, groups = 8',
    ),
    "some of a group": (
        32,
        'tile = [64, 64, 32], instruction = "mma.m16n8k16", stages = 3, interleave = 4, groups = 2',
    ),
    "warpgroup": (
        16,
        'tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n16k16", stages = 3, '
        "interleave = 2, groups = 4",
    ),
    "two warpgroups": (
        32,
        'tile = [128, 64, 64], warps = [8, 1], instruction = "wgmma.m64n32k16", stages = 4, '
        "groups = 2",
    ),
}
"""Channels of a group, and a schedule."""


def schedule(name: str) -> str:
    """Return a schedule as text."""
    text = SCHEDULES[name][1]
    warps = "" if "warps" in text else "warps = [2, 1], "
    return f'strategy = "contract", target = "gpu", {warps}{text}'


def convolution(channels: int, each: int, made: int, stride: int, element: str, name: str) -> str:
    """Return the group of a padded convolution of 2 images of 9 x 9, and relu."""
    x, w = f"tensor<2x9x9x{channels}x{element}>", f"tensor<{channels}x3x3x{each}x{element}>"
    y = f"tensor<2x{made}x{made}x{channels}x{element}>"
    body = (
        f"%c = graph.conv %g0, %g1 strides [{stride}, {stride}] padding [1, 1, 1, 1] dilations "
        f"[1, 1] groups {channels // each} layout channels_last weight_layout ohwi : "
        f"({x}, {w}) -> {y}\n%r = graph.relu %c : {y} -> {y}"
    )
    return group(f"{x}, {w}", y, schedule(name), body)


def run(runner: Runner, text: str, *inputs: Array) -> Array:
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), *inputs)
    return y


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("stride", [1, 2])
def test_groups_of_a_convolution(runner: Runner, name: str, stride: int) -> None:
    each, element = SCHEDULES[name][0], "f16" if stride == 1 else "bf16"
    channels, made = 128, 8 // stride + 1
    rng = np.random.default_rng(each)
    x = rng.standard_normal((2, 9, 9, channels)).astype(TYPES[element])
    w = rng.standard_normal((channels, 3, 3, each)).astype(TYPES[element])
    y = run(runner, convolution(channels, each, made, stride, element, name), x, w)
    wide = w.astype(np.float64).reshape(-1, each, 3, 3, each)
    exact, sizes = np.zeros(y.shape), np.zeros(y.shape)
    for i, j, part in taps(x.astype(np.float64), 3, stride, made, 0.0):
        parted = part.reshape(*part.shape[:-1], -1, each)
        for total, left, right in ((exact, parted, wide), (sizes, abs(parted), abs(wide))):
            total += np.einsum("bhwgk,gnk->bhwgn", left, right[:, :, i, j]).reshape(y.shape)
    check(element, y, np.maximum(exact, 0), sizes, 9 * each)


@pytest.mark.parametrize("name", ["two slots", "narrow", "warpgroup"])
def test_what_is_no_number_stays_in_its_group(runner: Runner, name: str) -> None:
    """Groups are multiplied apart, not with zeros of each other's weights."""
    each = SCHEDULES[name][0]
    x = np.ones((2, 9, 9, 128), np.float16)
    x[..., 0], x[..., each] = np.nan, np.inf
    w = np.ones((128, 3, 3, each), np.float16)
    y = run(runner, convolution(128, each, 9, 1, "f16", name), x, w)
    assert np.isnan(y[..., :each]).all()
    assert np.isposinf(y[..., each : 2 * each]).all()
    assert np.isfinite(y[..., 2 * each :]).all()


@pytest.mark.parametrize("name", ["two slots", "interleaved", "narrow", "warpgroup"])
@pytest.mark.parametrize("along_k", [False, True])
def test_products_of_a_batch(runner: Runner, name: str, along_k: bool) -> None:
    """They lie apart in memory, and their sizes are no multiples of the tile's."""
    n = SCHEDULES[name][0]
    m, k, batch = 37, 53, 16
    sizes = (batch, n, k) if along_k else (batch, k, n)
    x_type, y_type = f"tensor<{batch}x{m}x{k}xbf16>", f"tensor<{batch}x{m}x{n}xbf16>"
    w_type = f"tensor<{'x'.join(map(str, sizes))}xbf16>"
    op = "graph.matmul %g0, %g1" + (" transpose_rhs" if along_k else "")
    body = f"%r = {op} : ({x_type}, {w_type}) -> {y_type}"
    rng = np.random.default_rng(n)
    x = rng.standard_normal((batch, m, k)).astype(ml_dtypes.bfloat16)
    w = rng.standard_normal(sizes).astype(ml_dtypes.bfloat16)
    y = run(runner, group(f"{x_type}, {w_type}", y_type, schedule(name), body), x, w)
    left, right = x.astype(np.float64), w.astype(np.float64)
    right = right.swapaxes(1, 2) if along_k else right
    check("bf16", y, left @ right, abs(left) @ abs(right), k)
