"""Faults put into a lowered contraction whose slices come by tensor copies are found."""

import re
from functools import cache

import numpy as np
import pytest
from lowered import lowered
from test_tensor_contractions import group

from dlc.simulator import SimulationError, run_module

M, N, K = 72, 136, 456
"""Eight slices of 64, the last one not full: slots are filled again."""
NAMES = ("warps", "warpgroup")
SHARED = r"memref<[^>]*#loop\.space<shared>>"
WAIT = r"gpu\.mbarrier_wait (\S+ mod \d\]) parity %\d+ : " + SHARED
AHEAD = r"(gpu\.mbarrier_arrive \S+ \+ 2\) mod \d\] \{bytes = )(\d+)"
STALL = "waits for ever"
RACE = "a race|not waited for|nothing was written"


@cache
def kernel(name: str) -> str:
    """Return the lowered product."""
    shapes = [(M, K), (N, K), (M, N)]
    text = group(shapes, "graph.matmul %a, %b transpose_rhs", name)
    return str(lowered(text, "lower-to-loop,lower-to-gpu{arch=sm_90a}"))


def is_right(text: str) -> bool:
    """Return whether a kernel gives the exact product of small integers."""
    generator = np.random.default_rng(3)
    x, w = (generator.integers(-1, 2, (size, K)).astype(np.float16) for size in (M, N))
    (y,) = run_module(lowered(text, "gpu-check-limits{arch=sm_90a}"), [x, w])
    return np.array_equal(y, x.astype(np.float32) @ w.astype(np.float32).T)


def changed(name: str, wrong: str, to: str) -> str:
    text = re.sub(wrong, to, kernel(name), count=1)
    assert text != kernel(name)
    return text


@pytest.mark.parametrize("name", NAMES)
def test_product(name: str) -> None:
    assert is_right(kernel(name))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("wrong", "to", "message"),
    [
        (WAIT, "", RACE),
        (
            r"(%\d+) = loop\.index \[%\d+ floordiv \d(?: mod 2)?\]",
            r"\1 = loop.index [0]",
            f"{RACE}|{STALL}|once too",
        ),
        (AHEAD, r"\g<1>16", STALL),
        (
            r"gpu\.mbarrier_init %\d+\[1\] \{arrivals = 1",
            "gpu.mbarrier_init %3[1] {arrivals = 2",
            STALL,
        ),
        (r"gpu\.mbarrier_init (%\d+)\[2\]", r"gpu.mbarrier_init \1[1]", RACE),
        (r"(%a\[.*? to %\d+\[\(%\d+ \+ )2\)", r"\g<1>1)", RACE),
        (r", swizzle = 128", "", "the tile has swizzle"),
        (r"box = \[64, 64\]", "box = [32, 64]", STALL),
    ],
)
def test_fault_is_found(name: str, wrong: str, to: str, message: str) -> None:
    with pytest.raises(SimulationError, match=message):
        is_right(changed(name, wrong, to))


@pytest.mark.parametrize("name", NAMES)
def test_a_slot_is_not_filled_before_all_have_read_it(name: str) -> None:
    """The barrier of the block behind the wait, which frees the slot of the slice before."""
    with pytest.raises(SimulationError, match=RACE):
        is_right(changed(name, f"({WAIT})" + r"\s+gpu\.barrier", r"\1"))


@pytest.mark.parametrize(
    ("wrong", "to"),
    [
        (r"(%a\[%tile_row \* 64, %\d+ \* )64", r"\g<1>56"),
        (r"sizes = \[72, 456\]", "sizes = [64, 456]"),
        (r"sizes = \[72, 456\]", "sizes = [72, 448]"),
    ],
)
def test_other_elements_are_another_result(wrong: str, to: str) -> None:
    text = re.sub(wrong, to, kernel("warps"))
    assert text != kernel("warps")
    assert not is_right(text)
