"""Rounds over a row that are written out give what the loop gives."""

import numpy as np
import pytest
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.analysis.index_expression import constant_of
from dlc.core.parser import parse_module
from dlc.dialects.gpu import KernelOp
from dlc.simulator import simulate

ROWS = 3
REST = "gpu-vectorize-memory,gpu-insert-barriers,gpu-allocate-shared"
SOFTMAX = """
func.func @main(%x: tensor<{type}>) -> tensor<{type}> {{
  %y = fused_group.group @g(%x) : (tensor<{type}>) -> tensor<{type}> attributes {{schedule =
    #loop.schedule<strategy = "row", target = "gpu", {schedule}>}} {{
  ^bb0(%a: tensor<{type}>):
    %r = graph.softmax %a axis 1 : tensor<{type}> -> tensor<{type}>
    fused_group.yield %r : tensor<{type}>
  }}
  func.return %y : tensor<{type}>
}}
"""


def _lowered(length: int, schedule: str) -> tuple[ModuleOp, ModuleOp]:
    """Return softmax over rows before and after ``gpu-unroll-rounds``."""
    context = registry.new_context()
    text = SOFTMAX.format(type=f"{ROWS}x{length}xf16", schedule=schedule)
    module = parse_module(text, context)
    for step in registry.build_passes("lower-to-loop,convert-loop-to-gpu"):
        step.apply(context, module)
    before = module.clone()
    registry.build_passes("gpu-unroll-rounds")[0].apply(context, module)
    for each in (before, module):
        for step in registry.build_passes(REST):
            step.apply(context, each)
        each.verify()
    return before, module


def _loops(module: ModuleOp) -> int:
    """Return how many loops begin at the number of a thread."""
    loops = [op for op in module.walk() if isinstance(op, scf.ForOp)]
    return sum(constant_of(loop.lb) is None for loop in loops)


@pytest.mark.parametrize("length", [2, 5, 31, 32, 33, 64, 197, 200, 256, 1023, 1024, 1025])
@pytest.mark.parametrize(
    "schedule", ["threads = 32, rows = 2", "threads = 32, rows = 2, vector = 4", "threads = 96"]
)
def test_the_same_to_the_last_bit(length: int, schedule: str) -> None:
    before, after = _lowered(length, schedule)
    x = np.random.default_rng(length).standard_normal((ROWS, length)).astype(np.float16)
    wanted, found = (np.zeros_like(x) for _ in range(2))
    for module, y in ((before, wanted), (after, found)):
        (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
        simulate(module, kernel.sym_name.data, [x, y])
    np.testing.assert_array_equal(found, wanted)
    assert np.abs(wanted.astype(np.float64).sum(1) - 1).max() < 2.0**-8
    assert _loops(before) > 0
    is_kept = "vector" in schedule and length % 4 > 0  # lines are written out by the strategy
    assert (_loops(after) == 0) == (length <= 1024 or "96" in schedule or is_kept)
