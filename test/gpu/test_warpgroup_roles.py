"""A warpgroup that brings slices and two that multiply in turns, and what may go wrong."""

import numpy as np
import pytest
from launch import Gpu
from lowered import lowered
from warpgroup_roles import BOXED, PING_PONG, PRODUCTS, factors, wanted

from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects.graph.structure import Array
from dlc.simulator import SimulationError, simulate
from dlc.simulator.launch import Order

KERNELS = {"gathered": PING_PONG, "boxed": BOXED}
ORDERS: list[Order | None] = [None, "forward", "backward", 1, 2]


def simulated(text: str, order: Order | None = None) -> Array:
    """Return the sums of the kernel ``@k``."""
    y = np.zeros_like(wanted(factors()))
    module = lowered(text, "gpu-check-limits{arch=sm_90a}")
    simulate(module, "k", [factors(), y], warp_order=order)
    return y


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", KERNELS)
def test_sums(name: str, order: Order | None) -> None:
    np.testing.assert_array_equal(simulated(KERNELS[name], order), wanted(factors()))


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_compiles(name: str) -> None:
    module = lowered(KERNELS[name], "gpu-check-limits{arch=sm_90a}")
    assert compile_kernels(module, "sm_90a")[0].resources.spill_bytes == 0


@pytest.mark.gpu
@pytest.mark.parametrize("name", KERNELS)
def test_kernel_on_the_gpu(gpu: Gpu, name: str) -> None:
    if gpu.target != "sm_90a":
        pytest.skip(f"{gpu.target} has no products of warpgroups")
    (y,) = gpu.run(lowered(KERNELS[name], "gpu-check-limits{arch=sm_90a}"), factors())
    np.testing.assert_array_equal(y, wanted(factors()))


RACE = "a race|not waited for|nothing was written"
STALL = "waits for ever|once too often|one too many"
TURN = "gpu.bar_sync %mine {threads = 256 : i64}"
WAIT = "gpu.wgmma_wait {outstanding = 1 : i64}"
LAST = "gpu.wgmma_wait {outstanding = 0 : i64}"
FAULTS = [
    ("gpu.async_fence", "", "sees nothing of what"),
    ("gpu.wgmma_fence", "", "touched since the last wgmma_fence"),
    (TURN, "", f"{RACE}|{STALL}"),
    (TURN, TURN.replace("%mine", "%one"), f"{RACE}|{STALL}"),
    (WAIT, "", RACE),
    (WAIT, WAIT.replace("1 :", "2 :"), RACE),
    (LAST, "", RACE),
    (LAST, WAIT, RACE),
    ("%tile * 3 + %k - 1) mod 4", "%tile * 3 + %k) mod 4", f"{RACE}|{STALL}"),
    ("(%tile * 3 + %k) mod 4]", "(%tile * 3 + %k + 1) mod 4]", f"{RACE}|{STALL}"),
    ("arrivals = 128", "arrivals = 127", f"{RACE}|{STALL}"),
    ("arrivals = 4 ", "arrivals = 3 ", f"{RACE}|{STALL}"),
    ("(%j floordiv 4 + 1) mod 2", "%j floordiv 4 mod 2", f"{RACE}|{STALL}"),
    ("%k) floordiv 4 mod 2", "%k + 4) floordiv 4 mod 2", f"{RACE}|{STALL}"),
    (PRODUCTS, f"scf.if %elected {{ {PRODUCTS} }}", STALL),
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("correct", "wrong", "message"), FAULTS)
def test_fault_is_found(correct: str, wrong: str, message: str, order: Order | None) -> None:
    """Whichever warp runs first."""
    assert correct in PING_PONG
    with pytest.raises(SimulationError, match=message):
        simulated(PING_PONG.replace(correct, wrong), order)


WAIT_FULL = "gpu.mbarrier_wait %full[%slot] parity %p : memref<4xi64, #loop.space<shared>>"
WAIT_EMPTY = "gpu.mbarrier_wait %empty[%j mod 4] parity %p : memref<4xi64, #loop.space<shared>>"
FAULTS_OF_BOXES = [
    (WAIT_FULL, "", RACE),
    (WAIT_EMPTY, "", "once too often|reads that was not waited for"),
    (WAIT, WAIT.replace("1 :", "2 :"), RACE),
    ("bytes = 8192", "bytes = 4096", f"{RACE}|{STALL}"),
    ("to %a[%j mod 4, 0, 0]", "to %a[(%j + 1) mod 4, 0, 0]", f"{RACE}|{STALL}"),
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("correct", "wrong", "message"), FAULTS_OF_BOXES)
def test_fault_of_boxes_is_found(
    correct: str, wrong: str, message: str, order: Order | None
) -> None:
    assert correct in BOXED
    with pytest.raises(SimulationError, match=message):
        simulated(BOXED.replace(correct, wrong), order)
