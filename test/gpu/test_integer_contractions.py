"""Products of 8-bit integers on the tensor cores are exact, whatever the signs and the sizes."""

import numpy as np
import pytest
from lowered import lowered
from simulated import Runner

from dlc.dialects.graph.structure import Array

DTYPES = {"i8": np.int8, "ui8": np.uint8}
SIGNS = [(a, b) for a in DTYPES for b in DTYPES]
SIZES = ((1, 1, 1), (3, 100, 77), (17, 33, 129), (67, 72, 264))
TILES = {
    "warps": 'tile = [64, 32, 64], warps = [2, 2], instruction = "mma.m16n8k32"',
    "warpgroups": 'tile = [64, 64, 128], warps = [4, 2], instruction = "wgmma.m64n32k32"',
}


def module(op: str, x: str, w: str, y: str, tile: str, numbers: str) -> str:
    """Return a module of one group on two arguments."""
    schedule = f'strategy = "contract", target = "gpu", {TILES[tile]}, {numbers}'
    return (
        f"func.func @main(%x: {x}, %w: {w}) -> {y} {{\n"
        f"%y = fused_group.group @g(%x, %w) : ({x}, {w}) -> {y} attributes "
        f"{{schedule = #loop.schedule<{schedule}>}} {{\n^bb0(%a: {x}, %b: {w}):\n"
        f"{op}\nfused_group.yield %r : {y} }}\nfunc.return %y : {y} }}"
    )


def full_range(rng: np.random.Generator, element: str, *sizes: int) -> Array:
    """Return integers of the whole range of a type."""
    limits = np.iinfo(DTYPES[element])
    return rng.integers(limits.min, limits.max + 1, sizes).astype(DTYPES[element])


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("signs", SIGNS, ids=str)
@pytest.mark.parametrize(("transposed", "split"), [(False, 3), (True, 1)])
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_product(
    runner: Runner,
    tile: str,
    signs: tuple[str, str],
    transposed: bool,
    split: int,
    sizes: tuple[int, int, int],
) -> None:
    (left, right), (m, n, k) = signs, sizes
    shape = (n, k) if transposed else (k, n)
    x, w = f"tensor<{m}x{k}x{left}>", f"tensor<{shape[0]}x{shape[1]}x{right}>"
    y = f"tensor<{m}x{n}xi32>"
    op = f"%r = graph.matmul %a, %b{' transpose_rhs' * transposed} : ({x}, {w}) -> {y}"
    text = module(op, x, w, y, tile, f'stages = {4 - split}, split = {split}, order = "grouped<8>"')
    rng = np.random.default_rng(k)
    a, b = full_range(rng, left, m, k), full_range(rng, right, *shape)
    (found,) = runner.run(
        lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), a, b
    )
    b = b.T if transposed else b
    np.testing.assert_array_equal(found, a.astype(np.int32) @ b.astype(np.int32))


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize("channels", [3, 16])
@pytest.mark.parametrize("stride", [1, 2])
def test_padded_convolution_and_what_follows(
    runner: Runner, tile: str, channels: int, stride: int
) -> None:
    """The sum is scaled, rounded and limited to 8 bits where it leaves the registers."""
    size, features = 13, 40
    out = (size - 1) // stride + 1
    x, w = f"tensor<2x{size}x{size}x{channels}xui8>", f"tensor<{features}x3x3x{channels}xi8>"
    sums, real, result = (f"tensor<2x{out}x{out}x{features}x{e}>" for e in ("i32", "f32", "ui8"))
    constants = {"s": 2.0**-7, "l": 0.0, "h": 255.0}
    op = "\n".join(
        [
            f"%0 = graph.conv %a, %b strides [{stride}, {stride}] padding [1, 1, 1, 1] "
            f"dilations [1, 1] layout channels_last weight_layout ohwi : ({x}, {w}) -> {sums}",
            f"%1 = graph.cast %0 {{to = f32}} : {sums} -> {real}",
            *(f"%{n} = graph.splat {v} : f32 -> tensor<f32>" for n, v in constants.items()),
            f"%2 = graph.mul %1, %s : ({real}, tensor<f32>) -> {real}",
            f"%3 = graph.round %2 : {real} -> {real}",
            f"%4 = graph.max %3, %l : ({real}, tensor<f32>) -> {real}",
            f"%5 = graph.min %4, %h : ({real}, tensor<f32>) -> {real}",
            f"%r = graph.cast %5 {{to = ui8}} : {real} -> {result}",
        ]
    )
    rng = np.random.default_rng(channels)
    a = full_range(rng, "ui8", 2, size, size, channels)
    b = full_range(rng, "i8", features, 3, 3, channels)
    text = module(op, x, w, result, tile, 'stages = 3, split = 1, order = "row"')
    pipeline = f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"
    (found,) = runner.run(lowered(text, pipeline), a, b)
    padded = np.pad(a.astype(np.int32), ((0, 0), (1, 1), (1, 1), (0, 0)))
    parts = [
        padded[:, i : i + size : stride, j : j + size : stride] @ b[:, i, j].astype(np.int32).T
        for i in range(3)
        for j in range(3)
    ]
    exact = np.sum(parts, axis=0, dtype=np.int32)
    assert np.ptp(exact) > 2**15
    wanted = np.clip(np.rint(exact.astype(np.float32) * np.float32(2**-7)), 0, 255)
    np.testing.assert_array_equal(found, wanted.astype(np.uint8))
