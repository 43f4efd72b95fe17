"""Blocks of a cluster reach each other's shared memory in the emulator too."""

from pathlib import Path

import numpy as np
import pytest
from clusters import KERNELS, LOADED, STORED, summands, wanted
from launched import LaunchError, launch, printed
from lowered import lowered
from test_clusters import BEGINS, FIRST, LAST

from dlc.dialects.graph.structure import Array
from dlc.simulator.launch import find_kernel


def emulated(text: str, folder: Path) -> Array:
    """Return the sums of the kernel ``@k``."""
    kernel = find_kernel(lowered(text, "gpu-check-limits{arch=sm_90a}"), "k")
    return launch(printed(kernel, "float"), summands(), np.zeros_like(wanted(summands())), folder)


@pytest.mark.parametrize("name", KERNELS)
def test_sums(name: str, tmp_path: Path) -> None:
    np.testing.assert_array_equal(emulated(KERNELS[name], tmp_path), wanted(summands()))


BARRIER = "gpu.cluster_barrier\n"
ONE_LANE = "%lane = arith.cmpi eq, %t, %zero : index\n"
FAULTS = [
    (LOADED, FIRST, FIRST.replace(BARRIER, ""), "does not write|has ended"),
    (LOADED, LAST, "gpu.end", "of a block of the cluster that has ended"),
    (LOADED, "of %i to", "of %b to", "mapa: block [48] of a cluster of 4"),
    (STORED, FIRST, FIRST.replace(BARRIER, ""), "does not write|has ended"),
    (STORED, BEGINS, f"{ONE_LANE}scf.if %lane {{ {BARRIER} }}\n  %to", "not all lanes of a warp"),
]


@pytest.mark.parametrize(("text", "correct", "wrong", "message"), FAULTS)
def test_fault_is_found(text: str, correct: str, wrong: str, message: str, tmp_path: Path) -> None:
    assert correct in text
    with pytest.raises(LaunchError, match=message):
        emulated(text.replace(correct, wrong), tmp_path)
