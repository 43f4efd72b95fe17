"""Times on a GPU: that they are of the work, and that a cold cache is cold."""

import ctypes
from collections.abc import Generator

import pytest

from dlc.errors import ArtifactError
from dlc.runtime.gpu_clock import GpuClock, gpu_clock
from dlc.runtime.timing import measure

pytestmark = pytest.mark.gpu
BYTES = 16 << 20
"""Fits into the L2 cache of every chip that has a row."""


@pytest.fixture(params=[False, True], ids=["warm", "cold"])
def clock(request: pytest.FixtureRequest) -> Generator[GpuClock]:
    try:
        context = gpu_clock(cold=request.param)
        found = context.__enter__()
    except ArtifactError as error:
        pytest.skip(f"no GPU: {error}")
    yield found
    context.__exit__(None, None, None)


def test_what_is_enqueued_twice_takes_longer(clock: GpuClock) -> None:
    driver = clock.driver
    with driver.memory(BYTES) as source, driver.memory(BYTES) as target:

        def copies(count: int) -> None:
            for _ in range(count):
                driver("cuMemcpyDtoDAsync_v2", target, source, ctypes.c_size_t(BYTES), clock.stream)

        with (
            driver.captured(clock.stream, lambda: copies(10)) as short,
            driver.captured(clock.stream, lambda: copies(40)) as long,
        ):
            times = [measure(run, clock, 0.05).median for run in (short, long)]
    assert 0 < times[0] < times[1]
