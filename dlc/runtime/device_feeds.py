"""Inputs and outputs of a GPU model in memory of the device, without an array library."""

import ctypes
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc.runtime.gpu_driver import Driver
from dlc.runtime.host_arrays import host_feeds
from dlc.runtime.model import Model


@dataclass(frozen=True)
class DeviceFeeds:
    """Addresses on the device, in the order of the model's inputs and outputs."""

    driver: Driver
    model: Model
    inputs: list[int]
    outputs: list[int]

    @classmethod
    @contextmanager
    def of(cls, driver: Driver, model: Model, feeds: Mapping[str, Any]) -> Generator["DeviceFeeds"]:
        """Yield the feeds, which are copied to the device whose context is current, and room for
        the outputs. Raises InputError, ArtifactError.
        """
        with ExitStack() as kept:
            inputs: list[int] = []
            for array in host_feeds(model.inputs, feeds):
                memory = kept.enter_context(driver.memory(array.nbytes))
                inputs.append(memory.value)
                if array.nbytes:
                    count = ctypes.c_size_t(array.nbytes)
                    driver("cuMemcpyHtoD_v2", memory, ctypes.c_void_p(array.ctypes.data), count)
            driver("cuCtxSynchronize")  # a small copy may still be under way
            outputs = [kept.enter_context(driver.memory(info.bytes)) for info in model.outputs]
            yield cls(driver, model, inputs, [memory.value for memory in outputs])

    def results(self) -> list[NDArray[np.generic]]:
        """Return copies of the outputs, once all that was enqueued is done."""
        self.driver("cuCtxSynchronize")
        arrays = [np.empty(info.shape, info.dtype) for info in self.model.outputs]
        for array, address in zip(arrays, self.outputs, strict=True):
            if array.nbytes:
                source, count = ctypes.c_uint64(address), ctypes.c_size_t(array.nbytes)
                self.driver("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), source, count)
        return arrays
