"""Blocks of a cluster that read and write each other's shared memory."""

import numpy as np
import pytest
from cluster_cases import CASES, LIMITS, ORDERS
from clusters import EXCHANGED, LOADED, STORED, summands, wanted
from lowered import lowered

from dlc.dialects.graph.structure import Array
from dlc.simulator import SimulationError, simulate
from dlc.simulator.launch import Order


def exchanged(text: str, order: Order | None) -> Array:
    """Return the sums of a kernel that also has a buffer for what blocks exchange."""
    x = summands()
    y = np.zeros_like(wanted(x))
    simulate(lowered(text, LIMITS), "k", [x, np.zeros_like(x), y], warp_order=order)
    return y


@pytest.mark.parametrize("order", ORDERS)
def test_blocks_of_a_cluster_meet_about_global_memory_too(order: Order | None) -> None:
    np.testing.assert_array_equal(exchanged(EXCHANGED, order), wanted(summands()))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(
    ("correct", "wrong", "message"),
    [
        ("gpu.cluster_barrier\n", "gpu.barrier\n", "a race|nothing was written|without"),
        (
            "%b floordiv 4 * 4 + %i",
            "(%b + 4) mod 12 floordiv 4 * 4 + %i",
            "block|nothing was written",
        ),
    ],
    ids=["barrier", "cluster"],
)
def test_fault_about_global_memory_is_found(
    correct: str, wrong: str, message: str, order: Order | None
) -> None:
    assert correct in EXCHANGED
    with pytest.raises(SimulationError, match=message):
        exchanged(EXCHANGED.replace(correct, wrong), order)


@pytest.mark.parametrize("block_order", ["backward", 5])
def test_clusters_run_as_a_whole(block_order: Order) -> None:
    case = CASES["loaded"]
    np.testing.assert_array_equal(case.simulated(block_order=block_order), case.result)


def test_some_blocks_bring_their_clusters_along() -> None:
    y = CASES["loaded"].simulated(blocks=[6])
    np.testing.assert_array_equal(y[1], CASES["loaded"].result[1])
    assert not y[0].any()


BARRIER = "gpu.cluster_barrier\n"
RACE = "a race|nothing was written"
FIRST, LAST = (
    f"{BARRIER}  %sum = scf.for",
    f"{BARRIER}  gpu.end",
)
BEGINS = f"{BARRIER}  %to"
SOME = f"scf.if %some {{ {BARRIER} }}\n  %to"
FAULTS = [
    (LOADED, FIRST, FIRST.replace(BARRIER, ""), f"{RACE}|may not have begun"),
    (LOADED, FIRST, FIRST.replace("cluster_barrier", "barrier"), "may not have begun"),
    (LOADED, LAST, "gpu.end", "touches a block that may have ended"),
    (LOADED, LAST, LAST.replace("cluster_barrier", "barrier"), "may have ended"),
    (LOADED, "of %i to", "of %b to", "names block [48] of a cluster of 4"),
    (STORED, BEGINS, "  %to", "may not have begun"),
    (STORED, FIRST, FIRST.replace(BARRIER, ""), f"{RACE}|may have ended"),
    (STORED, "%s[%rank, %t mod 16 * 4] of", "%s[0, %t mod 16 * 4] of", "a race"),
    (STORED, "of %to", "of %rank", RACE),
    (
        STORED,
        BEGINS,
        f"{BARRIER} scf.if %some {{ {BARRIER} }}\n  %to",
        "others of its cluster wait",
    ),
]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("text", "correct", "wrong", "message"), FAULTS)
def test_fault_is_found(
    text: str, correct: str, wrong: str, message: str, order: Order | None
) -> None:
    """Whichever warp runs first."""
    assert correct in text
    with pytest.raises(SimulationError, match=message):
        CASES["loaded"].simulated(order, text.replace(correct, wrong))
