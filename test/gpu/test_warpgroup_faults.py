"""Faults put into a lowered contraction by products of warpgroups are found in the simulator."""

from collections.abc import Callable

import numpy as np
import pytest
from lowered import lowered
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, UnitAttr, i64
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from dlc.dialects import gpu
from dlc.dialects.loop import StoreOp
from dlc.simulator import SimulationError, run_module

M, N, K = 72, 64, 448
"""Seven slices of 64: four slots are filled again."""
X, Y = f"tensor<{M}x{K}xf16>", f"tensor<{M}x{N}xf16>"
UNDER_WAY = "a product .* that was not waited for"
Fault = Callable[[ModuleOp], None]


def product(along_k: bool = True, exchange: bool = False) -> ModuleOp:
    """Return the kernel of a product whose rows do not fill its tiles."""
    w = f"tensor<{N}x{K}xf16>" if along_k else f"tensor<{K}x{N}xf16>"
    text = f"""
func.func @main(%x: {X}, %w: {w}) -> {Y} {{
  %y = fused_group.group @g(%x, %w) : ({X}, {w}) -> {Y} attributes {{
      schedule = #loop.schedule<strategy = "contract", target = "gpu",
      tile = [128, 64, 64], warps = [8, 1], instruction = "wgmma.m64n64k16", stages = 4,
      exchange = {str(exchange).lower()}>}} {{
  ^bb0(%a: {X}, %b: {w}):
    %r = graph.matmul %a, %b{" transpose_rhs" * along_k} : ({X}, {w}) -> {Y}
    fused_group.yield %r : {Y}
  }}
  func.return %y : {Y}
}}"""
    return lowered(text, "lower-to-loop,lower-to-gpu{arch=sm_90a}")


def is_right(module: ModuleOp, along_k: bool = True) -> bool:
    """Return whether the kernel gives the exact product of small integers."""
    generator = np.random.default_rng(3)
    x, w = (generator.integers(-4, 5, (size, K)).astype(np.float16) for size in (M, N))
    (y,) = run_module(module, [x, w if along_k else w.T.copy()])
    return np.array_equal(y, x.astype(np.float32) @ w.astype(np.float32).T)


def all_of(module: ModuleOp, kind: type[Operation]) -> list[Operation]:
    return [op for op in module.walk() if isinstance(op, kind)]


def without(kind: type[Operation], number: int = 0) -> Fault:
    """Return what erases operation ``number`` of a kind."""
    return lambda module: Rewriter.erase_op(all_of(module, kind)[number])


def waits_for_less(kind: type[gpu.WgmmaWaitOp | gpu.CpAsyncWaitOp]) -> Fault:
    """Return what lets the first wait of a kind leave one group more under way."""

    def fault(module: ModuleOp) -> None:
        (op, *_) = (op for op in module.walk() if isinstance(op, kind))
        op.outstanding = IntegerAttr(op.outstanding.value.data + 1, i64)

    return fault


def forgets_the_zeros(module: ModuleOp) -> None:
    registers = [op.results[0] for op in all_of(module, gpu.RegisterAllocOp)]
    stores = [op for op in all_of(module, StoreOp) if isinstance(op, StoreOp)]
    Rewriter.erase_op(next(op for op in stores if op.buffer in registers))


@pytest.mark.parametrize("exchange", [False, True])
@pytest.mark.parametrize("along_k", [False, True])
def test_product(along_k: bool, exchange: bool) -> None:
    assert is_right(product(along_k, exchange), along_k)


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (without(gpu.AsyncFenceOp), "sees nothing of what"),
        (without(gpu.BarrierOp), "race"),
        (without(gpu.CpAsyncCommitOp), "not waited for"),
        (waits_for_less(gpu.CpAsyncWaitOp), "not waited for"),
        (without(gpu.WgmmaFenceOp), "fence"),
        (without(gpu.WgmmaCommitOp), UNDER_WAY),
        (waits_for_less(gpu.WgmmaWaitOp), UNDER_WAY),
        (without(gpu.WgmmaWaitOp, 1), UNDER_WAY),
        (forgets_the_zeros, "nothing was written"),
    ],
)
@pytest.mark.parametrize("along_k", [False, True])
def test_fault(fault: Fault, message: str, along_k: bool) -> None:
    module = product(along_k)
    fault(module)
    with pytest.raises(SimulationError, match=message):
        is_right(module, along_k)


def test_sums_are_not_exchanged_where_slices_are_read() -> None:
    """The tile of sums lies where the last slices were: all products are over before."""
    module = product(exchange=True)
    barriers = all_of(module, gpu.BarrierOp)
    assert len(barriers) == 3
    Rewriter.erase_op(barriers[1])
    with pytest.raises(SimulationError, match="race"):
        is_right(module)


def test_copies_into_the_slot_that_is_read_are_found() -> None:
    text = str(product())
    ahead = text.replace("+ 2) mod 4, ", "+ 3) mod 4, ")
    assert ahead != text
    with pytest.raises(SimulationError, match=UNDER_WAY):
        is_right(lowered(ahead, "gpu-check-limits{arch=sm_90a}"))


def test_tile_the_wrong_way_round_is_found() -> None:
    module = product()
    for op in all_of(module, gpu.WgmmaOp):
        assert isinstance(op, gpu.WgmmaOp)
        op.transpose_b = UnitAttr()
    with pytest.raises(SimulationError, match="is outside"):
        is_right(module)
