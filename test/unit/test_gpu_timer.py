"""Times on a GPU: what is asked of the driver, with a driver that only counts."""

import ctypes
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from dlc.errors import ArtifactError
from dlc.runtime.gpu_timer import Driver, time_on_device
from dlc.runtime.library import TensorInfo
from dlc.runtime.model import Model


class CountingDriver:
    """Numbers what it makes; an event is at the number of copies and runs before it, in ms."""

    def __init__(self, failing: str = ""):
        self.failing = failing
        self.made: dict[int, str] = {}
        self.now = 0.0
        self.at: dict[int, float] = {}
        self.calls: list[str] = []

    def __getattr__(self, function: str) -> Any:
        def call(*arguments: Any) -> int:
            self.calls.append(function)
            if function == self.failing:
                return 700
            self._do(function, arguments)
            return 0

        return call

    def _do(self, function: str, arguments: tuple[Any, ...]) -> None:
        if function in ("cuMemAlloc_v2", "cuStreamCreate", "cuEventCreate"):
            number = len(self.calls)
            arguments[0]._obj.value = number
            self.made[number] = function
        elif function in ("cuMemFree_v2", "cuStreamDestroy_v2", "cuEventDestroy_v2"):
            del self.made[arguments[0].value]
        elif function == "cuEventRecord":
            self.at[arguments[0].value] = self.now
        elif function == "cuEventElapsedTime":
            start, end = (self.at[event.value] for event in arguments[1:])
            arguments[0]._obj.value = end - start
        elif "memcpy" in function.lower():
            self.now += 1 if "HtoD" in function else 100

    def enqueue(self, inputs: list[int], outputs: list[int], stream: ctypes.c_void_p) -> None:
        kinds = [self.made[number] for number in (*inputs, *outputs, stream.value or 0)]
        assert kinds == ["cuMemAlloc_v2"] * 3 + ["cuStreamCreate"]
        self.now += 10


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
