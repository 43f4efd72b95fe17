"""Kernels for a GPU are checked where there is none."""

import time

import pytest
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp
from xdsl.rewriter import Rewriter

from dlc import registry
from dlc.compiler.levels import lower
from dlc.compiler.simulated_verification import KernelsSimulated, verify_by_simulation
from dlc.compiler.targets import Target
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.dialects.gpu import BarrierOp
from dlc.errors import CompileError
from dlc.simulator import SimulationError

MODEL = """
func.func @main(%x: tensor<70x96xf16>, %w: tensor<96x40xf16>, %b: tensor<40xf16>)
    -> tensor<70x40xf16> {
  %0 = graph.matmul %x, %w : (tensor<70x96xf16>, tensor<96x40xf16>) -> tensor<70x40xf16>
  %1 = graph.add %0, %b : (tensor<70x40xf16>, tensor<40xf16>) -> tensor<70x40xf16>
  %2 = graph.softmax %1 axis 1 : tensor<70x40xf16> -> tensor<70x40xf16>
  func.return %2 : tensor<70x40xf16>
}
"""
PRECISION = "fp16"
ENOUGH_S = 600.0


def levels() -> tuple[ModuleOp, ModuleOp]:
    """Return the module of groups and that of kernels."""
    context = registry.new_context()
    module = parse_module(MODEL, context)
    groups = module
    for level in lower(context, module, Target("sm_90a"), PRECISION):
        if level == "fused-group":
            groups = module.clone()
    return groups, module


def verify(groups: ModuleOp, lowered: ModuleOp, seconds: float = ENOUGH_S) -> KernelsSimulated:
    deadline = time.monotonic() + seconds
    return verify_by_simulation(groups, lowered, WeightStore(), PRECISION, deadline)


def test_correct_kernels() -> None:
    found = verify(*levels())
    assert found.kernels == found.all_kernels == 2
    assert found.blocks >= 2
    assert "2 of 2 kernels" in found.text()


def test_no_time() -> None:
    assert verify(*levels(), seconds=0.0).kernels == 0


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
