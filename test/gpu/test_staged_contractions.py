"""What stands on a contraction's ops at the ``loop`` level is obeyed, and changes no result."""

import re
from functools import cache

import numpy as np
import pytest
from lowered import lowered
from simulated import Simulated
from xdsl.dialects.builtin import ModuleOp

from dlc.dialects import gpu
from dlc.dialects.graph.structure import Array
from dlc.ir.space import buffer_type
from dlc.pipelines import PIPELINES

M, N, K = 45, 40, 136
"""Five slices of 32, the last one not full; rows and columns that do not fill the tiles."""
X, W, Y = f"tensor<{M}x{K}xf16>", f"tensor<{N}x{K}xf16>", f"tensor<{M}x{N}xf16>"
PRODUCT = f"""
func.func @main(%x: {X}, %w: {W}) -> {Y} {{
  %y = fused_group.group @g(%x, %w) : ({X}, {W}) -> {Y} attributes {{
      schedule = #loop.schedule<strategy = "contract", target = "gpu",
      tile = [32, 32, 32], warps = [2, 2],
      instruction = "mma.m16n8k16", stages = 3, split = 1, order = "row">}} {{
  ^bb0(%a: {X}, %b: {W}):
    %r = graph.matmul %a, %b transpose_rhs : ({X}, {W}) -> {Y}
    fused_group.yield %r : {Y}
  }}
  func.return %y : {Y}
}}
"""
PIPELINE = " attributes {pipeline = 3 : i64}"
STAGE = "<spatial(32, 4) * repeat(1, 8)>"
WARPS = "spatial(2, 2) * repeat(1, 2)"


@cache
def loops() -> str:
    """Return the product at the ``loop`` level."""
    text = str(lowered(PRODUCT, "lower-to-loop"))
    assert text.count(PIPELINE) == 1
    assert text.count(STAGE) == 2
    assert text.count(WARPS) == 3  # the type of the accumulator, of its product and its drain
    return text


def kernel_of(text: str) -> ModuleOp:
    return lowered(text, "lower-to-gpu{arch=sm_90a}")


def run(module: ModuleOp) -> Array:
    """Return the product of small integers, which is exact, with all checks of the simulator."""
    generator = np.random.default_rng(5)
    x, w = (generator.integers(-4, 5, s).astype(np.float16) for s in ((M, K), (N, K)))
    (y,) = Simulated().run(module, x, w)
    np.testing.assert_array_equal(y, x.astype(np.float32) @ w.astype(np.float32).T)
    return y


def count(module: ModuleOp, kind: type) -> int:
    return sum(isinstance(op, kind) for op in module.walk())


def test_hoisting_changes_no_result() -> None:
    text = loops().replace(PIPELINE, "")
    steps = [step for step in PIPELINES["lower-to-gpu"].steps if step != "loop-hoist-indices"]
    module = lowered(text, ",".join(steps))
    run(module)
    assert str(module) != str(kernel_of(text))


@pytest.mark.parametrize("slots", [None, 1, 2, 3, 4, 9])
def test_any_pipeline_gives_the_product(slots: int | None) -> None:
    asked = "" if slots is None else f" attributes {{pipeline = {slots} : i64}}"
    module = kernel_of(loops().replace(PIPELINE, asked))
    run(module)
    shared = [op for op in module.walk() if isinstance(op, gpu.SharedAllocOp)]
    sizes = {tuple(buffer_type(op.output).get_shape()) for op in shared}
    assert sizes == {(32, 32) if slots in (None, 1) else (slots, 32, 32)}
    # In turn: one barrier before the tiles are overwritten, one before they are read.
    assert count(module, gpu.BarrierOp) == (2 if slots in (None, 1) else 1)


@pytest.mark.parametrize(
    ("map", "copies", "bytes"),
    [
        ("<repeat(2, 1) * spatial(16, 8) * repeat(1, 4)>", 2, 8),  # two rounds
        ("<repeat(2, 1) * spatial(16, 4) * repeat(1, 8)>", 1, 16),  # a loop of half the threads
        ("<spatial(32, 2) * repeat(1, 16)>", 1, 16),  # a loop over the two parts of a chunk
        ("<repeat(2, 2) * spatial(24, 4) * repeat(1, 8)>", 1, 16),  # more than the tile has
        ("<spatial(40, 3) * repeat(1, 11)>", 0, 0),  # no copy is as long as that
        ("<spatial(16, 8) * repeat(2, 4)>", 0, 0),  # a chunk is not along a line
        ("<repeat(8, 1) * spatial(4, 32)>", 0, 0),
    ],
)
def test_any_mapping_of_copies_gives_the_product(map: str, copies: int, bytes: int) -> None:
    text = loops().replace(PIPELINE, "").replace(STAGE, map)
    module = kernel_of(text)
    run(module)
    found = [op for op in module.walk() if isinstance(op, gpu.CpAsyncOp)]
    assert len(found) == 2 * copies
    assert {op.bytes.value.data for op in found} == ({bytes} if copies else set())


@pytest.mark.parametrize(
    "map",
    [
        "spatial(1, 4) * repeat(2, 1)",
        "repeat(1, 2) * spatial(2, 2)",
        "repeat(2, 1) * spatial(1, 4)",
        "spatial(2, 1) * repeat(1, 2) * spatial(1, 2)",
    ],
)
def test_any_mapping_of_warps_gives_the_product(map: str) -> None:
    assert not re.search(re.escape(map), loops())
    module = kernel_of(loops().replace(WARPS, map))
    run(module)
    assert str(module) != str(kernel_of(loops()))


def test_another_instruction_gives_the_product() -> None:
    text = loops().replace("mma.m16n8k16", "fma")
    text = text.replace(WARPS, "spatial(2, 2) * repeat(2, 4) * spatial(8, 4)")
    module = kernel_of(text)
    run(module)
    assert not count(module, gpu.MmaOp)
