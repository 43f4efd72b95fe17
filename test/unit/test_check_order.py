"""A barrier of the whole grid orders the blocks of a kernel."""

import pytest
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import Rewriter

from dlc import registry
from dlc.core.parser import parse_module
from dlc.dialects.gpu import BarrierOp, GridBarrierOp, KernelOp
from dlc.errors import CompileError

KERNEL = """
gpu.kernel @k(%x: memref<4x32xf32>, %y: memref<4x32xf32>, %c: memref<1xi32>) attributes {
    grid = array<i64: 4, 1, 1>, block = array<i64: 32, 1, 1>, outputs = 1 : i64,
    scratch = array<i64: 4>, cooperative, filled = array<i64: 2>} {
  %t = gpu.thread_id x : index
  %b = gpu.block_id x : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 4 : index
  %s = loop.load %x[%b, %t] : memref<4x32xf32> -> f32
  loop.store %s, %y[%b, %t] : f32 -> memref<4x32xf32>
  gpu.barrier
  scf.for %k = %zero to %n step %one {
    %v = loop.load %y[(%b + %k) mod 4, %t] : memref<4x32xf32> -> f32
    gpu.barrier
    loop.store %v, %y[%b, %t] : f32 -> memref<4x32xf32>
    gpu.barrier
  }
  gpu.end
}
"""


def check(without: int | None) -> None:
    """Check the kernel with barriers of the grid, but for one that is of a block only."""
    module = parse_module(KERNEL, registry.new_context())
    (kernel,) = (op for op in module.walk() if isinstance(op, KernelOp))
    counter = kernel.scratch_buffers[0], [AffineExpr.constant(0)], ()
    barriers = [op for op in module.walk() if isinstance(op, BarrierOp)]
    for number, barrier in enumerate(barriers):
        if number != without:
            Rewriter.replace_op(barrier, GridBarrierOp(counter, 1))
    _pass(module)


def _pass(module: ModuleOp) -> None:
    for step in registry.build_passes("gpu-check-order"):
        step.apply(registry.new_context(), module)


def test_blocks_that_wait_for_each_other() -> None:
    check(without=None)


@pytest.mark.parametrize(
    ("without", "message"),
    [(0, "loop.load.*reads %y"), (1, "loop.store.*writes %y"), (2, "loop.load.*reads %y")],
)
def test_no_barrier_can_be_missing(without: int, message: str) -> None:
    """The last one orders what an iteration writes and the next one reads."""
    with pytest.raises(CompileError, match=message):
        check(without)
