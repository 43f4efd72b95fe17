"""Warps with different tasks wait for each other in the emulator too."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from launched import Case, LaunchError, launch, printed
from lowered import lowered
from test_warp_roles import KERNELS, arrays
from warp_roles import CONSUMERS

from dlc.simulator.launch import find_kernel


def case(name: str, text: str) -> Case:
    kernel = find_kernel(lowered(text, "gpu-check-limits"), "k")
    return printed(kernel, "int" if name == "turns" else "float")


@pytest.mark.parametrize("name", KERNELS)
def test_warps_wait_for_each_other(name: str, tmp_path: Path) -> None:
    x, wanted = arrays(name)
    y = launch(case(name, KERNELS[name]), x, np.zeros_like(x), tmp_path)
    np.testing.assert_array_equal(y, wanted)


@pytest.mark.parametrize("blocks", [1, 2])
def test_lanes_that_meet_when_the_first_of_them_need_not_wait(blocks: int, tmp_path: Path) -> None:
    """The last thread that comes to the barrier goes on while the others of its warp wait there."""
    body = """  const int t = blockIdx.x * 64 + threadIdx.x;
  bar_sync<64>(1);
  y[t] = __shfl_xor_sync(0xffffffff, x[t], 1);"""
    x = np.arange(64 * blocks, dtype=np.float32)
    both = Case(body, threads=64, grid=(blocks, 1, 1))
    np.testing.assert_array_equal(
        launch(both, x, np.zeros_like(x), tmp_path), np.arange(x.size) ^ 1
    )


WAIT_FULL = "gpu.mbarrier_wait %full[%k mod 2] parity %p : memref<2xi64, #loop.space<shared>>"
FAULTS = [
    ("copied", WAIT_FULL, "", "mbarrier.try_wait for ever"),
    ("boxed", WAIT_FULL, "", "mbarrier.try_wait for ever"),
    ("boxed", "bytes = 256", "bytes = 512", "mbarrier.try_wait for ever"),
    ("stored", f"arrivals = {CONSUMERS}", f"arrivals = {CONSUMERS + 1}", "try_wait for ever"),
    ("stored", "gpu.mbarrier_arrive %full[%k mod 2] :", "gpu.mbarrier_arrive %full[0] :", "ever"),
    ("stored", "gpu.mbarrier_init %full[1]", "gpu.mbarrier_init %full[0]", "not initialised"),
    ("copied", "bytes = 256", "bytes = 512", "mbarrier.try_wait for ever"),
    ("gathered", WAIT_FULL, "", "for ever|before its copies|does not write|differ"),
    ("gathered", "arrivals = 32", "arrivals = 33", "try_wait for ever"),
    ("gathered", "gpu.cp_async_arrive %full[%k mod 2]", "gpu.cp_async_arrive %full[0]", "ever"),
    ("copied", "parity %p", "parity %one", "for ever|once too often|does not write|before its"),
    ("numbered", "gpu.bar_arrive %filled {threads = 96 : i64}", "", "bar.sync for ever"),
    ("numbered", "[%k mod 2 + 3]", "[%k mod 2 + 15]", "1 to 15 are free"),
]


@pytest.mark.parametrize(("name", "correct", "wrong", "message"), FAULTS)
def test_fault_is_found(name: str, correct: str, wrong: str, message: str, tmp_path: Path) -> None:
    assert correct in KERNELS[name]
    faulty = case(name, KERNELS[name].replace(correct, wrong))
    x, _ = arrays(name)
    with pytest.raises(LaunchError, match=message):
        launch(replace(faulty, launches=1), x, np.zeros_like(x), tmp_path)
