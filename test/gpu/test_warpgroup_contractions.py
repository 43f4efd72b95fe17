"""Contractions by products of warpgroups, from the schedule down, against float64."""

import ml_dtypes
import numpy as np
import pytest
from contraction_text import contraction_text
from lowered import lowered
from padded_convolution import PaddedConvolution
from simulated import Runner

from dlc.dialects.graph.structure import Array

TYPES = {"f16": np.float16, "bf16": ml_dtypes.bfloat16}
UNIT = {"f16": 2.0**-11, "bf16": 2.0**-8}
"""Half the distance from 1 to the next number of the result's type."""
SCHEDULES = {
    "awaited in turn": "tile = [64, 64, 64], warps = [4, 1], instruction = m64n64, stages = 1",
    "two slots": "tile = [64, 64, 32], warps = [4, 1], instruction = m64n64, stages = 2",
    "under way": "tile = [64, 32, 64], warps = [4, 1], instruction = m64n32, stages = 3",
    "two groups": "tile = [128, 64, 64], warps = [8, 1], instruction = m64n64, stages = 4, "
    "interleave = 4",
    "beside": "tile = [64, 64, 16], warps = [4, 2], instruction = m64n32, stages = 5, "
    "interleave = 2",
    "parts": "tile = [128, 48, 64], warps = [4, 1], instruction = m64n24, stages = 3, split = 2",
    "exchanged": "tile = [64, 128, 64], warps = [4, 1], instruction = m64n128, stages = 4, "
    "exchange = true",
}
"""Each with something of its own: slots, warpgroups, panels, parts of a sum, lines of 32 to 128
bytes.
"""
SIZES = ((1, 1, 1), (3, 100, 77), (67, 72, 264), (131, 61, 136))


def schedule(name: str) -> str:
    """Return the numbers of a schedule as text."""
    first, _, rest = SCHEDULES[name].partition("instruction = ")
    shape, _, rest = rest.partition(",")
    return f'{first}instruction = "wgmma.{shape}k16",{rest}, order = "grouped<2>"'


def group(element: str, shapes: list[str], op: str, name: str) -> str:
    """Return a module of one group on two arguments."""
    return contraction_text([f"tensor<{s}x{element}>" for s in shapes], op, schedule(name))


def check(element: str, y: Array, exact: Array, sizes: Array, depth: int) -> None:
    """Assert the bound: the result rounded once, each sum once."""
    bound = UNIT[element] * np.abs(exact) + 2 * depth * 2.0**-24 * sizes + 2.0**-25
    assert (np.abs(y.astype(np.float64) - exact) <= bound).all()


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_product(runner: Runner, name: str, transposed: bool, sizes: tuple[int, int, int]) -> None:
    m, n, k = sizes
    element = "f16" if transposed else "bf16"
    op = "graph.matmul %a, %b" + (" transpose_rhs" if transposed else "")
    shapes = [f"{m}x{k}", f"{n}x{k}" if transposed else f"{k}x{n}", f"{m}x{n}"]
    rng = np.random.default_rng(k)
    x = rng.standard_normal((m, k)).astype(TYPES[element])
    w = rng.standard_normal((n, k) if transposed else (k, n)).astype(TYPES[element])
    module = lowered(
        group(element, shapes, op, name), f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"
    )
    (y,) = runner.run(module, x, w)
    left, right = x.astype(np.float64), w.astype(np.float64)
    right = right.T if transposed else right
    check(element, y, left @ right, np.abs(left) @ np.abs(right), k)


@pytest.mark.parametrize("name", ["two slots", "two groups", "exchanged"])
@pytest.mark.parametrize("channels", [3, 16])
@pytest.mark.parametrize("stride", [1, 2])
def test_padded_convolution(runner: Runner, name: str, channels: int, stride: int) -> None:
    layer = PaddedConvolution(9, channels, 40, stride)
    x, w = layer.factors(np.float16)
    pipeline = f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"
    (y,) = runner.run(lowered(group("f16", layer.shapes, layer.op, name), pipeline), x, w)
    check("f16", y, *layer.exact(x, w), layer.depth)
