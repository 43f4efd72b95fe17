"""The model of recurrent kernels beside measured times."""

from collections.abc import Callable
from math import isfinite

import numpy as np
import pytest

from dlc import arch
from dlc.arch import GpuArch
from dlc.model.recurrent import RecurrentKernel, estimate_s, least_s
from dlc.strategies.recurrent.gpu import IMPLEMENTATION, kernel_of
from dlc.strategies.recurrent.schedule import RecurrentOnGpu
from dlc.strategies.recurrent.work import RecurrentWork

CHIP = arch.gpu_by_name("sm_90a")


def work(
    sequences: int,
    parts: tuple[int, ...] = (4,),
    element: str = "f16",
    later: tuple[tuple[int, ...], ...] = (),
) -> RecurrentWork:
    """Return 100 steps of 1,024 units. parts: of the first phase. later: those of the others."""
    phases, bytes = (parts, *later), 2 if element == "f16" else 4
    return RecurrentWork(100, 1024, sequences, phases, element, bytes, "f32", 4, 0)


def schedule(
    units: int, sequences: int, warps: tuple[int, int], pieces: int = 8, element: str = "f16"
) -> RecurrentOnGpu:
    """Return a schedule with all weights in registers."""
    name = "mma.m16n8k16" if element == "f16" else "fma"
    return RecurrentOnGpu(units, sequences, warps, name, pieces=pieces)


MEASURED = [
    (138.1, work(1), schedule(8, 1, (1, 8))),
    (133.2, work(1), schedule(16, 1, (1, 8))),
    (140.8, work(1), schedule(8, 1, (2, 4))),
    (145.6, work(1), schedule(8, 1, (1, 4))),
    (165.0, work(1), schedule(8, 1, (1, 16))),
    (194.0, work(8), schedule(8, 8, (1, 8))),
    (206.2, work(8), schedule(8, 8, (2, 4))),
    (347.5, work(64), schedule(16, 32, (1, 8))),
    (332.2, work(64), schedule(16, 32, (2, 4))),
    (353.1, work(64), schedule(16, 32, (4, 2))),
    (353.4, work(64), schedule(16, 32, (1, 8), 16)),
    (129.4, work(1, (3,)), schedule(8, 1, (1, 8))),
    (209.5, work(1, (8, 4)), schedule(8, 1, (6, 2))),
    (140.7, work(1, element="f32"), schedule(8, 1, (1, 8), element="f32")),
]
"""Microseconds on an H200 (docs/performance.md, "Recurrent layers as one kernel")."""


@pytest.mark.parametrize(("measured_us", "asked", "chosen"), MEASURED)
def test_estimates_are_within_a_sixth(
    measured_us: float, asked: RecurrentWork, chosen: RecurrentOnGpu
) -> None:
    estimate_us = estimate_s(kernel_of(asked, chosen, CHIP), CHIP) * 1e6
    assert estimate_us == pytest.approx(measured_us, rel=1 / 6)


@pytest.mark.parametrize("seconds", [estimate_s, least_s])
def test_each_phase_is_a_trip_over_the_l2_more(
    seconds: Callable[[RecurrentKernel, GpuArch], float],
) -> None:
    chosen = schedule(8, 1, (1, 8))
    one, two, three = (
        seconds(kernel_of(work(1, parts, later=later), chosen, CHIP), CHIP)
        for parts, later in (((3,), ()), ((2,), ((1,),)), ((1,), ((1,), (1,))))
    )
    trips_s = 100 * CHIP.l2_latency_s
    assert two - one >= 0.999 * trips_s
    assert three - two >= 0.999 * trips_s


@pytest.mark.parametrize("sequences", [1, 2, 7, 8, 64, 65, 128])
def test_half_precision_fits(sequences: int) -> None:
    assert isfinite(min(IMPLEMENTATION.space(work(sequences), CHIP).seconds))


def test_what_does_not_fit_has_no_schedule() -> None:
    """Weights of both layers beside states of many sequences; single precision of many."""
    for asked in (work(64, (8, 4)), work(64, element="f32")):
        assert not np.isfinite(IMPLEMENTATION.space(asked, CHIP).seconds).any()
