"""Contractions whose lhs is computed on its way to shared memory: 16 bytes at a time where what it
is computed of lies so, element by element elsewhere.
"""

import numpy as np
import pytest
from lowered import lowered
from simulated import Runner

from dlc.dialects import gpu
from dlc.dialects.graph.structure import Array
from dlc.ir.space import Space, space_of

TILES = {
    "fma": 'tile = [32, 32, 16], warps = [2, 2], instruction = "fma", stages = 2',
    "warps": 'tile = [32, 64, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3',
    "parts": 'tile = [32, 64, 32], warps = [2, 2], instruction = "mma.m16n8k16", split = 3',
    "warpgroup": 'tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", stages = 3',
}
SIZES = ((1, 1, 1), (3, 50, 77), (67, 72, 136), (64, 64, 128))


def group(tile: str, shapes: list[str], op: str) -> str:
    """Return ``op`` of relu(%0 * %1 + %2), which is %c, and %3; the result has the last shape."""
    x, s, h, w, y = (f"tensor<{shape}xf16>" for shape in shapes)
    types = f"({x}, {s}, {h}, {w})"
    return f"""
func.func @main(%x: {x}, %s: {s}, %h: {h}, %w: {w}) -> {y} {{
  %y = fused_group.group @g(%x, %s, %h, %w) : {types} -> {y} attributes {{
      schedule = #loop.schedule<strategy = "contract", target = "gpu", {TILES[tile]}>}} {{
  ^bb0(%0: {x}, %1: {s}, %2: {h}, %3: {w}):
    %a = graph.mul %0, %1 : ({x}, {s}) -> {x}
    %b = graph.add %a, %2 : ({x}, {h}) -> {x}
    %c = graph.relu %b : {x} -> {x}
    %d = {op} : ({x}, {w}) -> {y}
    fused_group.yield %d : {y}
  }}
  func.return %y : {y}
}}"""


def small(rng: np.random.Generator, *sizes: int) -> Array:
    """Return small integers, of which products and sums are exact."""
    return rng.integers(-2, 3, sizes).astype(np.float16)


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_product(runner: Runner, tile: str, sizes: tuple[int, int, int]) -> None:
    (m, n, k), rng = sizes, np.random.default_rng(sum(sizes))
    x, s, h, w = small(rng, m, k), small(rng, k), small(rng, k), small(rng, n, k)
    shapes = [f"{m}x{k}", f"{k}", f"{k}", f"{n}x{k}", f"{m}x{n}"]
    text = group(tile, shapes, "graph.matmul %c, %3 transpose_rhs")
    module = lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
    (y,) = runner.run(module, x, s, h, w)
    computed = np.maximum(x.astype(np.float32) * s + h, 0)
    np.testing.assert_array_equal(y, (computed @ w.astype(np.float32).T).astype(np.float16))


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("channels", [3, 16])
@pytest.mark.parametrize("stride", [1, 2])
def test_padded_convolution(runner: Runner, tile: str, channels: int, stride: int) -> None:
    """What is outside of the image is zero, not what is computed of zero."""
    size, features, rng = 9, 24, np.random.default_rng(channels)
    out = (size - 1) // stride + 1
    x, w = small(rng, 2, size, size, channels), small(rng, features, 3, 3, channels)
    s, h = small(rng, channels), small(rng, channels) + np.float16(3)
    shapes = [
        f"2x{size}x{size}x{channels}",
        f"{channels}",
        f"{channels}",
        f"{features}x3x3x{channels}",
        f"2x{out}x{out}x{features}",
    ]
    op = (
        f"graph.conv %c, %3 strides [{stride}, {stride}] padding [1, 1, 1, 1] dilations [1, 1] "
        "layout channels_last weight_layout ohwi"
    )
    pipeline = f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"
    (y,) = runner.run(lowered(group(tile, shapes, op), pipeline), x, s, h, w)
    computed = np.maximum(x.astype(np.float32) * s + h, 0)
    padded = np.pad(computed, ((0, 0), (1, 1), (1, 1), (0, 0)))
    exact = np.zeros(y.shape, np.float32)
    for i in range(3):
        for j in range(3):
            part = padded[:, i : i + size : stride, j : j + size : stride]
            exact += part @ w[:, i, j].astype(np.float32).T
    np.testing.assert_array_equal(y, exact.astype(np.float16))


@pytest.mark.parametrize("tile", ["warps", "warpgroup"])
@pytest.mark.parametrize(("k", "widths"), [(264, {8}), (77, set())])
def test_lines_are_loaded_and_stored_16_bytes_at_a_time(
    tile: str, k: int, widths: set[int]
) -> None:
    shapes = [f"67x{k}", f"{k}", f"{k}", f"72x{k}", "67x72"]
    text = group(tile, shapes, "graph.matmul %c, %3 transpose_rhs")
    module = lowered(text, "lower-to-loop,lower-to-gpu{arch=sm_90a}")
    copies = [op for op in module.walk() if isinstance(op, gpu.CopyOp)]
    staged = [op for op in copies if space_of(op.destination) is Space.SHARED]
    assert {op.elements.value.data for op in staged} == widths
