"""Kernels that load early what they need late compute the same as those that do not."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.core.parser import parse_module
from dlc.dialects import gpu
from dlc.simulator import run_module

PRODUCT = """
func.func @main(%x: tensor<69x256xf16>, %b: tensor<64xf16>, %r: tensor<69x64xf16>)
    -> tensor<69x64xf16> {
  %w = graph.splat 0.01 : f16 -> tensor<64x256xf16>
  %1 = fused_group.group @product(%x, %w, %b, %r) : (tensor<69x256xf16>, tensor<64x256xf16>,
      tensor<64xf16>, tensor<69x64xf16>) -> tensor<69x64xf16> attributes {
      schedule = #loop.schedule<strategy = "contract", target = "gpu", SCHEDULE>} {
  ^bb0(%a: tensor<69x256xf16>, %c: tensor<64x256xf16>, %d: tensor<64xf16>, %e: tensor<69x64xf16>):
    %p = graph.matmul %a, %c transpose_rhs : (tensor<69x256xf16>, tensor<64x256xf16>)
        -> tensor<69x64xf16>
    %q = graph.add %p, %d : (tensor<69x64xf16>, tensor<64xf16>) -> tensor<69x64xf16>
    %s = graph.add %q, %e : (tensor<69x64xf16>, tensor<69x64xf16>) -> tensor<69x64xf16>
    fused_group.yield %s : tensor<69x64xf16>
  }
  func.return %1 : tensor<69x64xf16>
}
"""
WARPS = 'tile = [64, 64, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3'
CLUSTER = (
    'tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", stages = 3, split = 2, '
    'exchange = true, interleave = 2, producers = 4, producer_registers = 40, copies = "tensor"'
)
TURNS = (
    'tile = [64, 64, 64], warps = [4, 1], instruction = "wgmma.m64n64k16", stages = 3, turns = 2, '
    'interleave = 4, blocks = 2, producers = 4, producer_registers = 40, copies = "tensor"'
)
AHEAD = "gpu-load-ahead"
PIPELINE = "graph-decompose,tile{arch=sm_90a},lower-to-loop,lower-to-gpu{arch=sm_90a}"


def product(schedule: str, ahead: bool) -> ModuleOp:
    """Return a product whose last tile has 5 of 64 rows, with a bias and a residual."""
    context = registry.new_context()
    module = parse_module(PRODUCT.replace("SCHEDULE", schedule), context)
    for step in registry.build_passes(PIPELINE):
        if ahead or step.name != AHEAD:
            step.apply(context, module)
    module.verify()
    return module


def loads_behind_products(module: ModuleOp) -> int:
    """Return how many loads of inputs to registers follow the first product."""
    (kernel,) = (op for op in module.ops if isinstance(op, gpu.KernelOp))
    ops = list(kernel.walk())
    first = next(n for n, op in enumerate(ops) if isinstance(op, gpu.MmaOp | gpu.WgmmaOp))
    copies = [op for op in ops[first:] if isinstance(op, gpu.CopyOp)]
    return sum(copy.source in kernel.input_buffers for copy in copies)


def result(module: ModuleOp) -> np.ndarray:
    generator = np.random.default_rng(5)
    sizes = ((69, 256), (64,), (69, 64))
    (y,) = run_module(module, [generator.standard_normal(s).astype(np.float16) for s in sizes])
    return y


@pytest.mark.parametrize("schedule", [WARPS, CLUSTER, TURNS])
def test_same_results(schedule: str) -> None:
    late, early = (product(schedule, ahead) for ahead in (False, True))
    assert loads_behind_products(late) > 0
    assert np.array_equal(result(early), result(late))


@pytest.mark.parametrize("schedule", [WARPS, CLUSTER])
def test_nothing_is_loaded_behind_the_products(schedule: str) -> None:
    assert loads_behind_products(product(schedule, ahead=True)) == 0
