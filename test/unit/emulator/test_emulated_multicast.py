"""Boxes go to several blocks of a cluster in the emulator too."""

from pathlib import Path

import numpy as np
import pytest
from launched import LaunchError, launch, printed
from lowered import lowered
from multicast import KERNELS, slices, wanted
from test_multicast import BOTH, ENDS, FREES_RIGHT, WAIT_EMPTY, WAIT_FULL

from dlc.dialects.graph.structure import Array
from dlc.simulator.launch import find_kernel


def emulated(text: str, folder: Path) -> Array:
    """Return what the kernel ``@k`` writes."""
    kernel = find_kernel(lowered(text, "gpu-check-limits{arch=sm_90a}"), "k")
    return launch(printed(kernel, "float"), slices(), np.zeros_like(wanted(slices())), folder)


@pytest.mark.parametrize("name", KERNELS)
def test_blocks_get_what_others_fetch(name: str, tmp_path: Path) -> None:
    np.testing.assert_array_equal(emulated(KERNELS[name], tmp_path), wanted(slices()))


STALL = "mbarrier.try_wait for ever"
FAULTS = [
    (ENDS, "gpu.end", "of a block of the cluster that has ended"),
    (WAIT_FULL, "", "does not write|for ever|has ended|before its copies|once too often"),
    (WAIT_EMPTY, "", "once too often|does not write|for ever|has ended"),
    (FREES_RIGHT, "", STALL),
    ("bytes = 256", "bytes = 512", STALL),
    (" multicast %both", "", STALL),
    (BOTH, "5", "blocks 0x5 of a cluster of 2"),
    (BOTH, "1", STALL),
]


@pytest.mark.parametrize(("correct", "wrong", "message"), FAULTS)
def test_fault_is_found(correct: str, wrong: str, message: str, tmp_path: Path) -> None:
    text = KERNELS["pairs"]
    assert correct in text
    with pytest.raises(LaunchError, match=message):
        emulated(text.replace(correct, wrong), tmp_path)
