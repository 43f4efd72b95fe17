"""Warpgroups whose products are under way while the next slice is staged, and what may go wrong."""

import numpy as np
import pytest
from launch import Gpu
from lowered import lowered
from warpgroup_pipeline import PIPELINED, PRODUCT, SWIZZLE, A, B, X, factors, wanted
from warpgroup_products import Case, kernel

from dlc.arch import instructions
from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects.graph.structure import Array
from dlc.simulator import SimulationError, simulate
from dlc.simulator.launch import Order

ORDERS: list[Order | None] = [None, "forward", "backward", 1]


def simulated(text: str, order: Order | None = None, checks: bool = True) -> Array:
    """Return the sums of the kernel ``@k``."""
    x = factors()
    y = np.zeros_like(wanted(x))
    module = lowered(text, "gpu-check-limits{arch=sm_90a}")
    simulate(module, "k", [x, y], warp_order=order, checks=checks)
    return y


@pytest.mark.parametrize("order", ORDERS)
def test_sums(order: Order | None) -> None:
    np.testing.assert_array_equal(simulated(PIPELINED, order), wanted(factors()))


def test_kernel_compiles() -> None:
    """No product waits for another one (``compile_cuda``)."""
    module = lowered(PIPELINED, "gpu-check-limits{arch=sm_90a}")
    assert compile_kernels(module, "sm_90a")[0].resources.spill_bytes == 0


@pytest.mark.gpu
def test_kernel_on_the_gpu(gpu: Gpu) -> None:
    if gpu.target != "sm_90a":
        pytest.skip(f"{gpu.target} has no products of warpgroups")
    x = factors()
    (y,) = gpu.run(lowered(PIPELINED, "gpu-check-limits{arch=sm_90a}"), x)
    np.testing.assert_array_equal(y, wanted(x))


def test_who_multiplies_may_fence_instead_of_who_has_written() -> None:
    text = PIPELINED.replace("gpu.async_fence\n    gpu.barrier", "gpu.barrier\n    gpu.async_fence")
    assert text != PIPELINED
    for order in ORDERS:
        np.testing.assert_array_equal(simulated(text, order), wanted(factors()))


TILE = "%a[%slot, %group * 64, 0 * 16]"
STAGED_AGAIN = f"""gpu.wgmma_commit
    gpu.copy %x[%block, %k, 64, 0] to %b[%slot, %t floordiv 8, %t mod 8 * 8]
      {{elements = 8 : i64}} : {X}, {B}"""
ADDED = """gpu.wgmma_commit
    loop.store %none, %c[3] : f32 -> memref<32xf32, #loop.space<register>>"""
READ = """gpu.wgmma_commit
    %early = loop.load %c[3] : memref<32xf32, #loop.space<register>> -> f32"""
HALF = """gpu.wgmma_fence
    scf.if %first {
      gpu.wgmma_fence
    }"""
UNSEEN = "sees nothing of what"
FAULTS = [
    ("gpu.async_fence", "", UNSEEN),
    (
        "gpu.cp_async_wait {outstanding = 0 : i64}\n    gpu.async_fence",
        "gpu.async_fence",
        "not waited",
    ),
    (
        "gpu.cp_async_wait {outstanding = 0 : i64}\n    gpu.async_fence",
        "gpu.async_fence\n    gpu.cp_async_wait {outstanding = 0 : i64}",
        UNSEEN,
    ),
    ("gpu.async_fence\n    gpu.barrier", "gpu.async_fence", "a race|nothing was written"),
    ("gpu.wgmma_fence", "", "touched since the last wgmma_fence"),
    ("gpu.wgmma_fence", HALF, "of the 128 threads of its warpgroup|others of its warpgroup wait"),
    ("gpu.wgmma_commit", "", "reads that was not waited for"),
    ("gpu.wgmma_commit", STAGED_AGAIN, "a product of thread .* reads that was not waited for"),
    ("gpu.wgmma_commit", ADDED, "writes a register.* adds that was not waited for"),
    ("gpu.wgmma_commit", READ, "reads a register.* adds that was not waited for"),
    ("gpu.wgmma_wait {outstanding = 1 : i64}\n    gpu.barrier", "gpu.barrier", "not waited for"),
    ("gpu.wgmma_wait {outstanding = 1", "gpu.wgmma_wait {outstanding = 2", "not waited for"),
    ("  gpu.wgmma_wait {outstanding = 0 : i64}\n", "", "reads a register.* not waited for"),
    ("outstanding = 1 : i64}\n    gpu.barrier", "outstanding = 1 : i64}", "a race"),
    (TILE, "%a[%slot, %t floordiv 64 mod 2 * 64, 0]", "names another tile"),
    (TILE, "%a[%slot, %group * 4, 0]", "does not begin in the first of 8 rows"),
    (TILE, "%a[%slot, %group * 64, %k]", "at no multiple of 16 bytes"),
    (TILE, "%a[%slot, %group * 96, 0]", "is outside: index 96, axis 1 of size 128, 64 of it"),
    (TILE, "%a[%slot, %group * 64, %slot * 56]", "outside: index 56, axis 2 of size 64, 16 of it"),
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("correct", "wrong", "message"), FAULTS)
def test_fault_is_found(correct: str, wrong: str, message: str, order: Order | None) -> None:
    """Whichever warp runs first."""
    assert correct in PIPELINED
    with pytest.raises(SimulationError, match=message):
        simulated(PIPELINED.replace(correct, wrong), order)


@pytest.mark.parametrize("swizzle", ["", ", swizzle = #gpu.swizzle<2, 4, 3>"])
def test_another_swizzle_where_the_tile_is_written_gives_wrong_sums(swizzle: str) -> None:
    alloc = f"%a = gpu.shared_alloc {{offset = 0 : i64, {SWIZZLE}}} : {A}"
    other = f"{alloc}\n  %o = gpu.shared_alloc {{offset = 0 : i64{swizzle}}} : {A}"
    text = PIPELINED.replace(alloc, other).replace("to %a[", "to %o[")
    assert "to %o[" in text
    assert not np.array_equal(simulated(text), wanted(factors()))


def test_products_happen_late() -> None:
    """Without the checks, a tile that is written too early gives wrong sums."""
    text = PIPELINED.replace("gpu.wgmma_commit", STAGED_AGAIN)
    assert not np.array_equal(simulated(text, checks=False), wanted(factors()))


def test_a_product_that_nobody_waits_for_is_found() -> None:
    text = PIPELINED.replace(
        "gpu.end",
        f"gpu.wgmma_fence\n {PRODUCT}\n gpu.wgmma_commit\n gpu.end".replace("%slot", "%zero"),
    )
    with pytest.raises(SimulationError, match="starts a product that nobody waits for"):
        simulated(text)


IN_REGISTERS = kernel(Case(instructions.named("wgmma.m64n32k16")[0], rows_a=0))
AGAIN = """gpu.copy %a[%t, 1, 0] to %ra[0, 0] {elements = 2 : i64} :
    memref<128x4x8xf16>, memref<4x8xf16, #loop.space<register>>"""


@pytest.mark.parametrize(
    ("before", "message"),
    [
        ("gpu.wgmma_commit", "writes a register.* which a product reads that was not waited for"),
        ("gpu.wgmma %ra[0, 0]", "touched since the last wgmma_fence"),
    ],
)
def test_a_factor_in_registers_is_written_at_the_wrong_time(before: str, message: str) -> None:
    text = IN_REGISTERS.replace(before, f"{AGAIN}\n  {before}", 1)
    inputs = np.zeros((128, 4, 8), np.float16), np.zeros((1, 32, 64), np.float16)
    sums = np.zeros((128, 16), np.float32)
    module = lowered(text, "gpu-check-limits{arch=sm_90a}")
    with pytest.raises(SimulationError, match=message):
        simulate(module, "k", [*inputs, sums, sums.copy()])
