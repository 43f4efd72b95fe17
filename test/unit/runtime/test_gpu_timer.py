"""Times on a GPU: what is asked of the driver, with a driver that only counts."""

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from counting_driver import CountingDriver

from dlc.errors import ArtifactError
from dlc.runtime.gpu_driver import Driver
from dlc.runtime.gpu_timer import time_on_device
from dlc.runtime.library import TensorInfo
from dlc.runtime.model import Model


def timed(driver: CountingDriver, runs: int) -> dict[str, list[float]]:
    tensors = [TensorInfo(name, np.dtype(np.float32), (4,)) for name in "abc"]
    model = SimpleNamespace(
        inputs=tensors[:2], outputs=tensors[2:], device=0, enqueue=driver.enqueue
    )
    feeds = {name: np.ones(4, np.float32) for name in "ab"}
    return time_on_device(cast("Model", model), feeds, runs, Driver(driver))


def test_copies_and_kernels_are_timed_apart_and_the_first_run_not_at_all() -> None:
    driver = CountingDriver()
    found = timed(driver, 3)
    assert driver.calls.count("cuStreamSynchronize") == 4
    milliseconds = {part: [round(1e3 * each, 3) for each in times] for part, times in found.items()}
    assert milliseconds == {"copy_in": [2] * 3, "compute": [10] * 3, "copy_out": [100] * 3}


@pytest.mark.parametrize("failing", ["cuEventCreate", "cuStreamSynchronize", "cuMemAlloc_v2"])
def test_everything_is_given_back_when_a_call_fails(failing: str) -> None:
    driver = CountingDriver(failing)
    with pytest.raises(ArtifactError, match=f"{failing} failed with status 700"):
        timed(driver, 1)
    assert driver.made == {}
    assert driver.calls[-2:] == ["cuCtxPopCurrent_v2", "cuDevicePrimaryCtxRelease_v2"]


def test_everything_is_given_back_at_the_end() -> None:
    driver = CountingDriver()
    timed(driver, 1)
    assert driver.made == {}
