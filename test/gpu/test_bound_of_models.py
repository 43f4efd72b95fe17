"""No kernel of the models whose groups were measured is faster than its bound."""

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from os import cpu_count

import pytest
from built_group import Built, build, least_us
from launch import Gpu
from measured_groups import texts

from dlc.runtime.gpu_clock import gpu_clock

pytestmark = pytest.mark.gpu


def _built(target: str) -> Iterator[Built]:
    """Yield every different group that is one kernel, compiled on all cores, with the schedule that
    it is given.
    """
    with ProcessPoolExecutor(cpu_count(), get_context("spawn")) as pool:
        names, modules = zip(*texts(), strict=True)
        for built in pool.map(build, names, modules, [target] * len(names), chunksize=4):
            if built is not None:
                yield built


def test_no_kernel_of_a_model_beats_its_bound(gpu: Gpu) -> None:
    beaten: list[str] = []
    count = 0
    with gpu_clock() as clock:
        for built in _built(gpu.target):
            count += 1
            us = least_us(built, clock)
            if us < built.bound_us:
                beaten.append(f"{built.name} {us:.2f} < {built.bound_us:.2f} {built.schedule}")
    print(f"{count} kernels")
    assert count >= 1000
    assert beaten == []
