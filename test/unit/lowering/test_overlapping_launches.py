"""Kernels that begin early compute what those compute that begin one after the other."""

import numpy as np
import pytest
from lowered import lowered
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation

from dlc.dialects import gpu
from dlc.simulator import run_module

LAYERS = """
func.func @main(%x: tensor<64x256xf16>, %b: tensor<256xf16>) -> tensor<64x256xf16> {
  %w = graph.splat 0.01 : f16 -> tensor<256x256xf16>
  %1 = fused_group.group @rows(%x, %b) : (tensor<64x256xf16>, tensor<256xf16>)
      -> tensor<64x256xf16> {
  ^bb0(%a: tensor<64x256xf16>, %c: tensor<256xf16>):
    %p = graph.add %a, %c : (tensor<64x256xf16>, tensor<256xf16>) -> tensor<64x256xf16>
    %q = graph.softmax %p axis 1 : tensor<64x256xf16> -> tensor<64x256xf16>
    fused_group.yield %q : tensor<64x256xf16>
  }
  %2 = fused_group.group @product(%1, %w, %x) : (tensor<64x256xf16>, tensor<256x256xf16>,
      tensor<64x256xf16>) -> tensor<64x256xf16> attributes {schedule = #loop.schedule<
      strategy = "contract", target = "gpu", SCHEDULE>} {
  ^bb0(%a: tensor<64x256xf16>, %c: tensor<256x256xf16>, %d: tensor<64x256xf16>):
    %p = graph.matmul %a, %c transpose_rhs : (tensor<64x256xf16>, tensor<256x256xf16>)
        -> tensor<64x256xf16>
    %q = graph.add %p, %d : (tensor<64x256xf16>, tensor<64x256xf16>) -> tensor<64x256xf16>
    fused_group.yield %q : tensor<64x256xf16>
  }
  func.return %2 : tensor<64x256xf16>
}
"""
WARPS = 'tile = [64, 64, 32], warps = [2, 2], instruction = "mma.m16n8k16", stages = 3'
ROLES = (
    'tile = [64, 32, 32], warps = [4, 1], instruction = "wgmma.m64n32k16", stages = 3, '
    'producers = 1, copies = "tensor"'
)


def layers(schedule: str, early: bool) -> ModuleOp:
    """Return the softmax of a sum, and its product with a constant, to which ``x`` is added."""
    text = LAYERS.replace("SCHEDULE", schedule)
    options = f"{{arch=sm_90a early={str(early).lower()}}}"
    return lowered(text, f"graph-decompose,tile{{arch=sm_90a}},lower-to-loop,lower-to-gpu{options}")


def result(module: ModuleOp) -> np.ndarray:
    generator = np.random.default_rng(3)
    x, b = (generator.standard_normal(s).astype(np.float16) for s in ((64, 256), (256,)))
    (y,) = run_module(module, [x, b])
    return y


def count(op: Operation, kind: type) -> int:
    return sum(isinstance(inner, kind) for inner in op.walk())


def is_before_the_wait(op: Operation | None) -> bool:
    """Return whether a wait follows an operation, or one that it is in."""
    while op is not None:
        after = op
        while after is not None:
            if isinstance(after, gpu.GriddepcontrolWaitOp):
                return True
            after = after.next_op
        op = op.parent_op()
    return False


@pytest.mark.parametrize(
    ("schedule", "early"), [(WARPS, gpu.CpAsyncOp), (ROLES, gpu.PrefetchTensorOp)]
)
def test_same_results(schedule: str, early: type) -> None:
    apart = layers(schedule, early=False)
    assert not count(apart, gpu.GriddepcontrolOp)
    module = layers(schedule, early=True)
    kernels = [op for op in module.ops if isinstance(op, gpu.KernelOp)]
    assert all(count(kernel, gpu.GriddepcontrolWaitOp) for kernel in kernels)
    assert any(is_before_the_wait(op) for op in module.walk() if isinstance(op, early))
    assert np.array_equal(result(module), result(apart))
