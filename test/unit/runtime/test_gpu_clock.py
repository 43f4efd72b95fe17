"""Times by events: what is asked of the driver, with a driver that only counts."""

import pytest
from counting_driver import L2_BYTES, CountingDriver

from dlc.errors import ArtifactError
from dlc.runtime.gpu_clock import gpu_clock
from dlc.runtime.gpu_driver import Driver


def test_runs_follow_each_other_and_the_host_waits_once() -> None:
    counting = CountingDriver()

    def run() -> None:
        counting.now += 5

    with gpu_clock(driver=Driver(counting)) as clock:
        assert clock.times(run, 3) == pytest.approx([5e-3] * 3)
        assert counting.calls.count("cuStreamSynchronize") == 1
        clock.times(run, 2)
        assert counting.calls.count("cuEventCreate") == 6  # they are used again
    assert counting.made == {}


def test_a_cold_run_begins_after_more_than_the_cache_was_written() -> None:
    counting = CountingDriver()
    assert counting.now == 0
    with gpu_clock(cold=True, driver=Driver(counting)) as clock:
        taken = clock.times(lambda: None, 2)
    assert (taken, counting.now) == ([0.0, 0.0], 2000)  # the writing is outside of the times
    assert L2_BYTES > 0
    assert counting.calls.count("cuMemAlloc_v2") == 1


def test_a_stream_of_the_caller_is_left_to_him() -> None:
    counting = CountingDriver()
    with gpu_clock(stream=77, driver=Driver(counting)) as clock:
        assert clock.stream.value == 77
    assert "cuStreamCreate" not in counting.calls


def test_work_is_captured_once_and_replayed() -> None:
    counting = CountingDriver()
    driver = Driver(counting)
    worked: list[None] = []
    with gpu_clock(driver=driver) as clock:
        with driver.captured(clock.stream, lambda: worked.append(None)) as replay:
            assert clock.times(replay, 2) == pytest.approx([7e-3] * 2)
        assert len(worked) == 1
    assert counting.made == {}


def test_a_capture_ends_when_its_work_fails() -> None:
    counting = CountingDriver()
    driver = Driver(counting)

    def work() -> None:
        raise ArtifactError("no")

    with gpu_clock(driver=driver) as clock, pytest.raises(ArtifactError, match="no"):
        driver.captured(clock.stream, work).__enter__()
    assert "cuStreamEndCapture" in counting.calls
    assert counting.made == {}


def test_the_first_fault_is_the_one_that_is_told() -> None:
    counting = CountingDriver()

    def fault() -> None:
        counting.failing = "cuStreamDestroy_v2"
        raise ArtifactError("an illegal address")

    with (
        pytest.raises(ArtifactError, match="an illegal address"),
        gpu_clock(driver=Driver(counting)) as clock,
    ):
        clock.times(fault, 1)
