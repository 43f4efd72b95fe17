"""Warpgroups whose products are under way while the next slice is staged, on the emulator."""

from pathlib import Path

import numpy as np
import pytest
import warpgroup_roles
from launched import LaunchError, launch, printed
from lowered import lowered
from test_warpgroup_pipeline import ADDED, STAGED_AGAIN
from warpgroup_pipeline import PIPELINED, PRODUCT, factors, wanted

from dlc.dialects.graph.structure import Array
from dlc.simulator.launch import find_kernel


def emulated(text: str, folder: Path) -> Array:
    """Return the sums of a pipelined kernel."""
    return run(text, factors(), wanted(factors()), folder)


def run(text: str, x: Array, like: Array, folder: Path) -> Array:
    """Return the result of the kernel ``@k``, whose sizes are those of ``like``."""
    kernel = find_kernel(lowered(text, "gpu-check-limits{arch=sm_90a}"), "k")
    return launch(printed(kernel, "unsigned short"), x, np.zeros_like(like), folder)


def test_sums(tmp_path: Path) -> None:
    np.testing.assert_array_equal(emulated(PIPELINED, tmp_path), wanted(factors()))


@pytest.mark.parametrize(
    "text", [warpgroup_roles.PING_PONG, warpgroup_roles.BOXED], ids=["gathered", "boxed"]
)
def test_teams_that_take_turns(text: str, tmp_path: Path) -> None:
    x = warpgroup_roles.factors()
    sums = warpgroup_roles.wanted(x)
    np.testing.assert_array_equal(run(text, x, sums, tmp_path), sums)


ROLES_FAULTS = [
    ("gpu.wgmma_wait {outstanding = 0 : i64}", "", "is written while a product reads it"),
    ("arrivals = 4 ", "arrivals = 5 ", "waits at mbarrier.try_wait for ever"),
    ("gpu.bar_arrive %theirs {threads = 256 : i64}", "", "waits at .* for ever"),
]


@pytest.mark.parametrize(("correct", "wrong", "message"), ROLES_FAULTS)
def test_fault_of_teams_is_found(correct: str, wrong: str, message: str, tmp_path: Path) -> None:
    text, x = warpgroup_roles.PING_PONG, warpgroup_roles.factors()
    assert correct in text
    with pytest.raises(LaunchError, match=message):
        run(text.replace(correct, wrong), x, warpgroup_roles.wanted(x), tmp_path)


CHANGES = "a tile is written while a product reads it"
FAULTS = [
    ("gpu.cp_async_wait {outstanding = 0 : i64}", "", "does not write"),
    ("gpu.async_fence\n    gpu.barrier", "gpu.async_fence", CHANGES),
    ("gpu.wgmma_commit", "", "before a warpgroup has waited|" + CHANGES),
    ("gpu.wgmma_commit", STAGED_AGAIN, CHANGES),
    ("gpu.wgmma_commit", ADDED, "sums are written while a product adds to them"),
    ("gpu.wgmma_wait {outstanding = 1", "gpu.wgmma_wait {outstanding = 2", CHANGES),
    ("  gpu.wgmma_wait {outstanding = 0 : i64}\n", "", "before a warpgroup has waited"),
    (PRODUCT, PRODUCT.replace("%group", "%t floordiv 64 mod 2"), "different products or tiles"),
    (PRODUCT, PRODUCT.replace("%group * 64", "%group * 4"), "within a pattern of the swizzle"),
    (PRODUCT, f"scf.if %first {{ {PRODUCT} }}", "different products|by 64 of the 128 threads"),
]


@pytest.mark.parametrize(("correct", "wrong", "message"), FAULTS)
def test_fault_is_found(correct: str, wrong: str, message: str, tmp_path: Path) -> None:
    assert correct in PIPELINED
    with pytest.raises(LaunchError, match=message):
        emulated(PIPELINED.replace(correct, wrong), tmp_path)


def test_sums_are_nothing_before_the_wait(tmp_path: Path) -> None:
    wait = "gpu.wgmma_wait {outstanding = 0 : i64}"
    text = PIPELINED.replace(f"  {wait}\n", "").replace("gpu.end", f"{wait}\n  gpu.end")
    with pytest.raises(LaunchError, match="does not write"):
        emulated(text, tmp_path)
