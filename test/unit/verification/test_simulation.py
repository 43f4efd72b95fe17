"""Kernels for a GPU are checked where there is none."""

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from dlc import registry
from dlc.compiler.levels import lower
from dlc.compiler.targets import Target
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.dialects.gpu import BarrierOp
from dlc.errors import CompileError
from dlc.simulator import SimulationError
from dlc.verification.simulation import KernelsSimulated, verify_by_simulation

MODEL = """
func.func @main(%x: tensor<70x96xf16>, %w: tensor<96x40xf16>, %b: tensor<40xf16>)
    -> tensor<70x40xf16> {
  %0 = graph.matmul %x, %w : (tensor<70x96xf16>, tensor<96x40xf16>) -> tensor<70x40xf16>
  %1 = graph.add %0, %b : (tensor<70x40xf16>, tensor<40xf16>) -> tensor<70x40xf16>
  %2 = graph.softmax %1 axis 1 : tensor<70x40xf16> -> tensor<70x40xf16>
  func.return %2 : tensor<70x40xf16>
}
"""
PRODUCT = """
func.func @main(%x: tensor<1x4096xf16>, %w: tensor<4096x40xf16>) -> tensor<1x40xf16> {
  %0 = fused_group.group @g0(%x, %w) : (tensor<1x4096xf16>, tensor<4096x40xf16>) -> tensor<1x40xf16>
      attributes {schedule = #loop.schedule<strategy = "contract", tile = [32, 32, 32],
      warps = [2, 2], instruction = "mma.m16n8k16", stages = 2, split = 4, order = "row">} {
  ^bb0(%a: tensor<1x4096xf16>, %b: tensor<4096x40xf16>):
    %1 = graph.matmul %a, %b : (tensor<1x4096xf16>, tensor<4096x40xf16>) -> tensor<1x40xf16>
    fused_group.yield %1 : tensor<1x40xf16>
  }
  func.return %0 : tensor<1x40xf16>
}
"""
BEST_THREE = """
func.func @main(%x: tensor<4x40xf16>) -> tensor<4x3xf16> {
  %v, %i = graph.top_k %x axis 1 count 3 largest
      : tensor<4x40xf16> -> tensor<4x3xf16>, tensor<4x3xi64>
  func.return %v : tensor<4x3xf16>
}
"""
PRECISION = "fp16"


def levels(model: str = MODEL) -> tuple[ModuleOp, ModuleOp]:
    """Return the module of groups and that of kernels."""
    context = registry.new_context()
    module = parse_module(model, context)
    groups = module
    for level in lower(context, module, Target("sm_90a"), PRECISION):
        if level == "fused-group":
            groups = module.clone()
    return groups, module


def verify(groups: ModuleOp, lowered: ModuleOp) -> KernelsSimulated:
    return verify_by_simulation(groups, lowered, WeightStore(), PRECISION)


def test_correct_kernels() -> None:
    found = verify(*levels())
    assert found.kernels == 2
    assert found.blocks >= found.tiles >= found.kernels
    assert found.text() == f"2 of 2 kernels at {found.tiles} sampled tiles"


def test_integers_are_what_the_model_makes_of_random_numbers() -> None:
    # The kernel that picks the elements is right for ranks only, of which each occurs once.
    found = verify(*levels(BEST_THREE))
    assert found.kernels == 2


def test_blocks_that_share_a_tile_are_one_sample() -> None:
    context = registry.new_context()
    groups = parse_module(PRODUCT, context)
    lowered = groups.clone()
    for step in registry.build_passes("lower-to-loop,lower-to-gpu{arch=sm_90a}"):
        step.apply(context, lowered)
    found = verify(groups, lowered)
    assert (found.tiles, found.blocks) == (2, 8)


def test_wrong_result_is_found() -> None:
    groups, lowered = levels()
    additions = [op for op in lowered.walk() if isinstance(op, arith.AddfOp)]
    wrong = arith.SubfOp(additions[0].lhs, additions[0].rhs)
    Rewriter.replace_op(additions[0], wrong)
    with pytest.raises(CompileError, match="verification failed: a result is off by"):
        verify(groups, lowered)


def test_missing_barrier_is_found() -> None:
    groups, lowered = levels()
    for barrier in [op for op in lowered.walk() if isinstance(op, BarrierOp)]:
        Rewriter.erase_op(barrier)
    with pytest.raises(SimulationError, match=r"a race|nothing was written"):
        verify(groups, lowered)
