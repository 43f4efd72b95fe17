"""Boxes that go to several blocks of a cluster, in the simulator and on the GPU.

On an H200 memcheck, racecheck and synccheck find nothing in the kernels.
"""

import numpy as np
import pytest
from launch import Gpu
from lowered import lowered
from multicast import KERNELS, slices, wanted

from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects.graph.structure import Array
from dlc.simulator import Coverage, SimulationError, simulate
from dlc.simulator.launch import Order, find_kernel

ORDERS: list[Order | None] = [None, "forward", "backward", 1]
LIMITS = "gpu-check-limits{arch=sm_90a}"


def simulated(text: str, order: Order | None = None, blocks_at_once: int | None = None) -> Array:
    """Return what the kernel ``@k`` writes."""
    y = np.zeros_like(wanted(slices()))
    arrays = [slices(), y]
    simulate(lowered(text, LIMITS), "k", arrays, warp_order=order, blocks_at_once=blocks_at_once)
    return y


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", KERNELS)
def test_blocks_get_what_others_fetch(name: str, order: Order | None) -> None:
    np.testing.assert_array_equal(simulated(KERNELS[name], order), wanted(slices()))


@pytest.mark.parametrize("blocks", [1, 4])
def test_batches_of_some_clusters(blocks: int) -> None:
    found = simulated(KERNELS["pairs"], blocks_at_once=blocks)
    np.testing.assert_array_equal(found, wanted(slices()))


@pytest.mark.parametrize("name", KERNELS)
def test_what_they_write_is_known_without_running_them(name: str) -> None:
    assert Coverage(find_kernel(lowered(KERNELS[name], LIMITS), "k")).check_all()


def test_passes_find_places() -> None:
    """Barriers of the block are not enough: those of the cluster stand in the kernel."""
    text = KERNELS["pairs"].replace("{offset = 0 : i64}", "")
    for place in (512, 528):
        text = text.replace(f"{{offset = {place} : i64}}", "")
    y = np.zeros_like(wanted(slices()))
    passes = "gpu-check-order,gpu-insert-barriers,gpu-allocate-shared"
    simulate(lowered(text, passes), "k", [slices(), y])
    np.testing.assert_array_equal(y, wanted(slices()))


@pytest.mark.parametrize("name", KERNELS)
def test_kernel_compiles(name: str) -> None:
    assert compile_kernels(lowered(KERNELS[name], LIMITS), "sm_90a")[0].code


@pytest.mark.gpu
@pytest.mark.parametrize("name", KERNELS)
def test_kernel_on_the_gpu(gpu: Gpu, name: str) -> None:
    if gpu.target != "sm_90a":
        pytest.skip(f"{gpu.target} has no clusters")
    (y,) = gpu.run(lowered(KERNELS[name], LIMITS), slices())
    np.testing.assert_array_equal(y, wanted(slices()))


BARRIER = "gpu.cluster_barrier\n"
BEGINS, ENDS = f"{BARRIER}  scf.if %fills", f"{BARRIER}  gpu.end"
WAIT_FULL = "gpu.mbarrier_wait %full[%k mod 2] parity %p : memref<2xi64, #loop.space<shared>>"
WAIT_EMPTY = WAIT_FULL.replace("full", "empty")
FREES_RIGHT = (
    "gpu.mbarrier_arrive %empty[%k mod 2] of %right : memref<2xi64, #loop.space<shared>>\n"
)
BOTH = "%rank floordiv 2 * 9 + 3"
RACE = "a race|nothing was written|not waited for"
STALL = "waits for ever"
FAULTS = [
    (BEGINS, BEGINS.replace(BARRIER, ""), f"{RACE}|may not have begun"),
    (BEGINS, BEGINS.replace("cluster_barrier", "barrier"), "may not have begun"),
    (ENDS, "gpu.end", "touches a block that may have ended"),
    (ENDS, ENDS.replace("cluster_barrier", "barrier"), "touches a block that may have ended"),
    (WAIT_FULL, "", RACE),
    (WAIT_EMPTY, "", f"{RACE}|once too often"),
    # A slot that this block has freed, and the other one has not.
    (f"{FREES_RIGHT}", "", STALL),
    ("arrivals = 128", "arrivals = 64", f"{RACE}|once too often|{STALL}"),
    ("of %left", "of %rank", f"{RACE}|once too often|{STALL}"),
    ("of %left", "of %b", "names block [2-7] of a cluster of 2"),
    ("bytes = 256", "bytes = 128", f"{RACE}|{STALL}|once too often"),
    (" multicast %both", "", STALL),
    (BOTH, "%rank mod 2 + 1", STALL),
    (BOTH, "2 - %rank mod 2", STALL),
    (BOTH, "0", "names the blocks 0b0 of a cluster of 2"),
    (BOTH, "5", "names the blocks 0b101 of a cluster of 2"),
    ("%ring[%k mod 2, %rank mod 2, 0] at", "%ring[%k mod 2, 0, 0] at", RACE),
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("correct", "wrong", "message"), FAULTS)
def test_fault_is_found(correct: str, wrong: str, message: str, order: Order | None) -> None:
    """Whichever warp runs first."""
    text = KERNELS["pairs"]
    assert correct in text
    with pytest.raises(SimulationError, match=message):
        simulated(text.replace(correct, wrong), order)


@pytest.mark.parametrize("order", ORDERS)
def test_a_slot_that_another_block_still_reads_is_not_filled(order: Order | None) -> None:
    """Each block waits for its own threads only."""
    text = KERNELS["pairs"].replace("arrivals = 128", "arrivals = 64")
    text = text.replace(FREES_RIGHT, "").replace("of %left ", "")
    with pytest.raises(SimulationError, match=RACE):
        simulated(text, order)


@pytest.mark.parametrize("order", ORDERS)
def test_a_block_that_leaves_early_is_found(order: Order | None) -> None:
    """The right one goes before the last slice, which the left one still fetches for both."""
    text = (
        KERNELS["pairs"]
        .replace(
            "%n = arith.constant 7 : index",
            "%all = arith.constant 7 : index\n  %n = loop.index [7 - %rank mod 2]",
        )
        .replace(ENDS, "gpu.end")
    )
    with pytest.raises(SimulationError, match=f"may have ended|{RACE}|{STALL}"):
        simulated(text, order)
