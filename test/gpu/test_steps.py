"""Products step by step: loads under the products of the step before, copies between them.

Small integers, so that products and sums are exact.
"""

from collections.abc import Callable

import numpy as np
import pytest
from contraction_text import contraction_text
from lowered import lowered
from simulated import Runner, Simulated
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.dialects import gpu
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop import ForOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.simulator import SimulationError

KINDS = {
    "f16": (np.float16, "f16", "f16", "", "mma.m16n8k16", 64),
    "tf32": (np.float32, "f32", "f32", " precision tf32", "mma.m16n8k8", 32),
    "i8": (np.int8, "i8", "i32", "", "mma.m16n8k32", 64),
}
SPREAD = (
    "loop-pipeline-stages,loop-assign-stages,loop-hoist-indices,loop-select-instruction,"
    "loop-spread-copies"
)
REST = (
    "convert-loop-to-gpu,gpu-insert-barriers,gpu-swizzle-shared,gpu-allocate-shared,"
    "gpu-check-limits{arch=sm_90a}"
)
SIZES = (33, 72, 264)


def product(kind: str, sizes: tuple[int, int, int], stages: int, pipeline: str) -> ModuleOp:
    """Return ``x @ w.T`` by slices of two or four steps."""
    (m, n, k), (_, element, sum, precision, instruction, depth) = sizes, KINDS[kind]
    x, w, y = f"tensor<{m}x{k}x{element}>", f"tensor<{n}x{k}x{element}>", f"tensor<{m}x{n}x{sum}>"
    shape = f'tile = [32, 32, {depth}], warps = [2, 1], instruction = "{instruction}"'
    op = f"graph.matmul %a, %b transpose_rhs{precision}"
    return lowered(contraction_text((x, w, y), op, f"{shape}, stages = {stages}"), pipeline)


def factors(kind: str, sizes: tuple[int, int, int]) -> tuple[Array, Array, Array]:
    """Return both factors and what their product should be."""
    (m, n, k), dtype = sizes, KINDS[kind][0]
    generator = np.random.default_rng(m + n + k)
    x, w = (generator.integers(-2, 3, s).astype(dtype) for s in ((m, k), (n, k)))
    return x, w, x.astype(np.int64) @ w.astype(np.int64).T


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("stages", "sizes"),
    [
        *((stages, SIZES) for stages in (1, 2, 3, 4)),
        (3, (32, 32, 256)),
        (4, (5, 7, 519)),
        (2, (1, 1, 257)),
    ],
    ids=str,
)
def test_product_of_many_slices(
    runner: Runner, kind: str, stages: int, sizes: tuple[int, int, int]
) -> None:
    x, w, right = factors(kind, sizes)
    module = product(kind, sizes, stages, "lower-to-loop,lower-to-gpu{arch=sm_90a}")
    (y,) = runner.run(module, x, w)
    np.testing.assert_array_equal(y, right)


def _loop(module: ModuleOp) -> ForOp:
    """Return the loop over slices."""
    loops = [op for op in module.walk() if isinstance(op, ForOp) and op.map.data is LoopMap.SERIAL]
    return next(op for op in loops if any(isinstance(o, gpu.MmaOp) for o in op.walk()))


def _forget_last_products(loop: ForOp) -> None:
    after = loop.next_op
    assert after is not None
    assert any(isinstance(op, gpu.MmaOp) for op in after.walk())
    after.detach()


def _commit_first(loop: ForOp) -> None:
    block = loop.body.block
    commit = next(op for op in block.ops if isinstance(op, gpu.CpAsyncCommitOp))
    copies = next(op for op in block.ops if isinstance(op, scf.IfOp))
    commit.detach()
    block.insert_op_before(commit, copies)


@pytest.mark.parametrize("fault", [_forget_last_products, _commit_first])
def test_fault_is_found(fault: Callable[[ForOp], None]) -> None:
    sizes = (33, 72, 320)
    x, w, right = factors("f16", sizes)
    module = product("f16", sizes, 3, f"lower-to-loop,{SPREAD}")
    fault(_loop(module))
    context = registry.new_context()
    for step in registry.build_passes(REST):
        step.apply(context, module)
    try:
        (y,) = Simulated().run(module, x, w)
    except SimulationError:
        return
    assert not np.array_equal(y, right)
