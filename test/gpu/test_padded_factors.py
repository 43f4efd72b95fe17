"""Contractions that read a factor with zeros after it, in another order: copies bring it."""

import numpy as np
import pytest
from lowered import lowered
from simulated import Runner
from test_computed_factors import small

from dlc.dialects.gpu import CpAsyncOp

TILES = {
    "fma": 'tile = [32, 32, 16], warps = [2, 2], instruction = "fma", stages = 2',
    "warps": 'tile = [32, 64, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3',
    "warpgroup": 'tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", stages = 3',
    "tensor": 'tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", stages = 3, '
    'copies = "tensor"',
}
HEADS, DEPTH = 2, 16


def group(tile: str, m: int, keys: int, more: int, op: str, sizes: tuple[str, str]) -> str:
    """Return ``op`` of %0 and %t: keys by heads, the last ones of a tensor of twice as many heads,
    and ``more`` keys of zeros, heads first.

    sizes: of %0 and of the result.
    """
    x, y = (f"tensor<{HEADS}x{size}xf16>" for size in sizes)
    w, s, p, t = (
        f"tensor<{a}x{b}x{DEPTH}xf16>"
        for a, b in (
            (keys, 2 * HEADS),
            (keys, HEADS),
            (keys + more, HEADS),
            (HEADS, keys + more),
        )
    )
    return f"""
func.func @main(%x: {x}, %w: {w}) -> {y} {{
  %y = fused_group.group @g(%x, %w) : ({x}, {w}) -> {y} attributes {{
      schedule = #loop.schedule<strategy = "contract", target = "gpu", {TILES[tile]}>}} {{
  ^bb0(%0: {x}, %1: {w}):
    %s = graph.slice %1 {{starts = array<i64: 0, {HEADS}, 0>,
      stops = array<i64: {keys}, {2 * HEADS}, {DEPTH}>, steps = array<i64: 1, 1, 1>}} : {w} -> {s}
    %p = graph.pad %s {{mode = "constant", value = 0.0 : f16, low = array<i64: 0, 0, 0>,
      high = array<i64: {more}, 0, 0>}} : {s} -> {p}
    %t = graph.transpose %p {{permutation = array<i64: 1, 0, 2>}} : {p} -> {t}
    %d = {op} : ({x}, {t}) -> {y}
    fused_group.yield %d : {y}
  }}
  func.return %y : {y}
}}"""


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize(("m", "keys", "more"), [(1, 1, 7), (67, 61, 3), (64, 128, 8), (5, 77, 3)])
def test_rows_of_the_rhs(runner: Runner, tile: str, m: int, keys: int, more: int) -> None:
    rng = np.random.default_rng(keys)
    x, w = small(rng, HEADS, m, DEPTH), small(rng, keys, 2 * HEADS, DEPTH)
    sizes = f"{m}x{DEPTH}", f"{m}x{keys + more}"
    text = group(tile, m, keys, more, "graph.matmul %0, %t transpose_rhs", sizes)
    module = lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
    (y,) = runner.run(module, x, w)
    padded = np.pad(w[:, HEADS:], ((0, more), (0, 0), (0, 0))).transpose(1, 0, 2)
    np.testing.assert_array_equal(y, (x.astype(np.float32) @ padded.swapaxes(1, 2)).astype("f2"))


@pytest.mark.parametrize("tile", TILES)
@pytest.mark.parametrize(("m", "keys", "more"), [(1, 1, 7), (67, 61, 3), (64, 128, 8), (5, 77, 3)])
def test_slices_of_the_reduction(runner: Runner, tile: str, m: int, keys: int, more: int) -> None:
    rng = np.random.default_rng(keys)
    x, w = small(rng, HEADS, m, keys + more), small(rng, keys, 2 * HEADS, DEPTH)
    sizes = f"{m}x{keys + more}", f"{m}x{DEPTH}"
    text = group(tile, m, keys, more, "graph.matmul %0, %t", sizes)
    module = lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}")
    (y,) = runner.run(module, x, w)
    padded = np.pad(w[:, HEADS:], ((0, more), (0, 0), (0, 0))).transpose(1, 0, 2)
    np.testing.assert_array_equal(y, (x.astype(np.float32) @ padded).astype("f2"))


@pytest.mark.parametrize("tile", ["warps", "warpgroup"])
def test_copies_bring_it_16_bytes_at_a_time(tile: str) -> None:
    """Also where a tile reaches behind the zeros: there is one condition for both."""
    sizes = f"67x{DEPTH}", "67x80"
    text = group(tile, 67, 77, 3, "graph.matmul %0, %t transpose_rhs", sizes)
    module = lowered(text, "lower-to-loop,lower-to-gpu{arch=sm_90a}")

    copies = [op for op in module.walk() if isinstance(op, CpAsyncOp)]
    assert {op.bytes.value.data for op in copies} == {16}
    assert len({op.source for op in copies}) == 2
