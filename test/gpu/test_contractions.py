"""Contractions by every instruction on the GPU, against the product in float64."""

import ml_dtypes
import numpy as np
import pytest
from contraction_text import contraction_text
from lowered import lowered
from padded_convolution import PaddedConvolution
from simulated import Runner

from dlc.dialects.graph.structure import Array

TILE = "tile = [64, 32, 32], warps = [2, 2]"
KINDS = {
    "f16": (np.float16, "f16", "", f'{TILE}, instruction = "mma.m16n8k16", stages = 3'),
    "bf16": (ml_dtypes.bfloat16, "bf16", "", f'{TILE}, instruction = "mma.m16n8k16", stages = 1'),
    "tf32": (np.float32, "f32", " precision tf32", f'{TILE}, instruction = "mma.m16n8k8"'),
    "tf32 of warpgroups": (
        np.float32,
        "f32",
        " precision tf32",
        'tile = [64, 32, 32], warps = [4, 1], instruction = "wgmma.m64n32k8", stages = 3',
    ),
    "f32": (np.float32, "f32", "", f'{TILE}, instruction = "fma", stages = 2'),
    "f64": (np.float64, "f64", "", f'{TILE}, instruction = "fma", stages = 2'),
}
UNIT = {
    "f16": 2.0**-11,
    "bf16": 2.0**-8,
    "tf32": 2.0**-24,
    "tf32 of warpgroups": 2.0**-24,
    "f32": 2.0**-24,
    "f64": 2.0**-53,
}
"""Half the distance from 1 to the next number of the result's type."""
_ROUNDED = 2 * 2.0**-11 + 2.0**-22
FACTOR_ERROR = {"tf32": _ROUNDED, "tf32 of warpgroups": _ROUNDED}
"""What rounding both factors changes of a product, relative to it."""
SIZES = ((1, 1, 1), (3, 100, 77), (17, 33, 129), (67, 72, 264))


def group(name: str, shapes: list[str], op: str, split: int) -> str:
    """Return a module of one group on two arguments."""
    types = [f"tensor<{s}x{KINDS[name][1]}>" for s in shapes]
    keys = f'{KINDS[name][3]}, split = {split}, order = "grouped<8>"'
    return contraction_text(types, op + KINDS[name][2], keys)


def check(name: str, y: Array, exact: Array, sizes: Array, depth: int) -> None:
    """Assert the bound: the result rounded once, each sum once (f64: in the same type)."""
    sum_unit = UNIT["f64"] if name == "f64" else UNIT["f32"]
    error = 2 * depth * sum_unit + FACTOR_ERROR.get(name, 0.0)
    bound = UNIT[name] * np.abs(exact) + error * sizes + 2.0**-25
    assert (np.abs(y.astype(np.float64) - exact) <= bound).all()


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize(("transposed", "split"), [(False, 3), (True, 1)])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_product(
    runner: Runner, name: str, transposed: bool, split: int, sizes: tuple[int, int, int]
) -> None:
    m, n, k = sizes
    op = "graph.matmul %a, %b" + (" transpose_rhs" if transposed else "")
    rhs = f"{n}x{k}" if transposed else f"{k}x{n}"
    text = group(name, [f"{m}x{k}", rhs, f"{m}x{n}"], op, split)
    rng = np.random.default_rng(k)
    x = rng.standard_normal((m, k)).astype(KINDS[name][0])
    w = rng.standard_normal((n, k) if transposed else (k, n)).astype(KINDS[name][0])
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x, w)
    left, right = x.astype(np.float64), w.astype(np.float64)
    right = right.T if transposed else right
    check(name, y, left @ right, np.abs(left) @ np.abs(right), k)


@pytest.mark.parametrize("name", ["f16", "tf32", "tf32 of warpgroups", "f32"])
@pytest.mark.parametrize("channels", [3, 16])
@pytest.mark.parametrize("stride", [1, 2])
def test_padded_convolution(runner: Runner, name: str, channels: int, stride: int) -> None:
    layer = PaddedConvolution(13, channels, 40, stride)
    x, w = layer.factors(KINDS[name][0])
    pipeline = f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"
    (y,) = runner.run(lowered(group(name, layer.shapes, layer.op, 1), pipeline), x, w)
    check(name, y, *layer.exact(x, w), layer.depth)
