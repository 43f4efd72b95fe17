"""Boxes that go to several blocks of a cluster: batches of these, and what the simulator finds."""

import numpy as np
import pytest
from cluster_cases import CASES, LIMITS, ORDERS
from lowered import lowered
from multicast import KERNELS

from dlc.simulator import Coverage, SimulationError
from dlc.simulator.launch import Order, find_kernel

PAIRS = CASES["pairs"]


@pytest.mark.parametrize("blocks", [1, 4])
def test_batches_of_some_clusters(blocks: int) -> None:
    np.testing.assert_array_equal(PAIRS.simulated(blocks_at_once=blocks), PAIRS.result)


@pytest.mark.parametrize("name", KERNELS)
def test_what_they_write_is_known_without_running_them(name: str) -> None:
    assert Coverage(find_kernel(lowered(KERNELS[name], LIMITS), "k")).check_all()


def test_passes_find_places() -> None:
    """Barriers of the block are not enough: those of the cluster stand in the kernel."""
    text = PAIRS.text.replace("{offset = 0 : i64}", "")
    for place in (512, 528):
        text = text.replace(f"{{offset = {place} : i64}}", "")
    passes = "gpu-check-order,gpu-insert-barriers,gpu-allocate-shared"
    np.testing.assert_array_equal(PAIRS.simulated(text=text, passes=passes), PAIRS.result)


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
    text = PAIRS.text
    assert correct in text
    with pytest.raises(SimulationError, match=message):
        PAIRS.simulated(order, text.replace(correct, wrong))


@pytest.mark.parametrize("order", ORDERS)
def test_a_slot_that_another_block_still_reads_is_not_filled(order: Order | None) -> None:
    """Each block waits for its own threads only."""
    text = PAIRS.text.replace("arrivals = 128", "arrivals = 64")
    text = text.replace(FREES_RIGHT, "").replace("of %left ", "")
    with pytest.raises(SimulationError, match=RACE):
        PAIRS.simulated(order, text)


@pytest.mark.parametrize("order", ORDERS)
def test_a_block_that_leaves_early_is_found(order: Order | None) -> None:
    """The right one goes before the last slice, which the left one still fetches for both."""
    text = PAIRS.text.replace(
        "%n = arith.constant 7 : index",
        "%all = arith.constant 7 : index\n  %n = loop.index [7 - %rank mod 2]",
    ).replace(ENDS, "gpu.end")
    with pytest.raises(SimulationError, match=f"may have ended|{RACE}|{STALL}"):
        PAIRS.simulated(order, text)
