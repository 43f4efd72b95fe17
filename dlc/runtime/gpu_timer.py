"""Times copies and kernels of a GPU model with events of the CUDA driver.

Functions: https://docs.nvidia.com/cuda/cuda-driver-api (memory, streams, events).
"""

import ctypes
from collections.abc import Generator, Mapping
from contextlib import ExitStack, contextmanager
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc.errors import ArtifactError
from dlc.runtime.host_arrays import host_array, order_feeds
from dlc.runtime.model import Model

Array = NDArray[np.generic]
PARTS = ("copy_in", "compute", "copy_out")


class Driver:
    """The CUDA driver through ctypes; every call raises ArtifactError unless it succeeds."""

    def __init__(self, library: Any = None):
        """library: the driver, by default ``libcuda.so.1``."""
        self._library = library or _open_driver()

    def __call__(self, function: str, *arguments: Any) -> None:
        status = getattr(self._library, function)(*arguments)
        if status:
            raise ArtifactError(f"{function} failed with status {status} of the CUDA driver")

    @contextmanager
    def made(self, make: str, unmake: str, *arguments: Any) -> Generator[ctypes.c_void_p]:
        """Yield what the function ``make`` makes; ``unmake`` takes it away at the end."""
        made = ctypes.c_void_p()
        self(make, ctypes.byref(made), *arguments)
        try:
            yield made
        finally:
            self(unmake, made)

    @contextmanager
    def context(self, device: int) -> Generator[None]:
        """Let calls of this thread go to a device, where the models of the process are."""
        number, context = ctypes.c_int(), ctypes.c_void_p()
        self("cuInit", 0)
        self("cuDeviceGet", ctypes.byref(number), device)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), number)
        try:
            self("cuCtxPushCurrent_v2", context)
            try:
                yield
            finally:
                self("cuCtxPopCurrent_v2", ctypes.byref(context))
        finally:
            self("cuDevicePrimaryCtxRelease_v2", number)


def _open_driver() -> Any:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise ArtifactError(f"the CUDA driver cannot be loaded: {error}") from error


def time_on_device(
    model: Model, feeds: Mapping[str, Any], runs: int, driver: Driver | None = None
) -> dict[str, list[float]]:
    """Return the seconds of each run, by its part: ``copy_in``, ``compute``, ``copy_out``.

    feeds: host arrays by input name; they are copied from pageable memory, as ``Model.run`` does.
    Raises InputError, ArtifactError.
    """
    driver = driver or Driver()
    given = order_feeds(model.inputs, feeds)
    arrays = [host_array(info, x) for info, x in zip(model.inputs, given, strict=True)]
    results: list[Array] = [np.empty(info.shape, info.dtype) for info in model.outputs]
    with driver.context(model.device), ExitStack() as kept:
        inputs = [kept.enter_context(_memory(driver, array)) for array in arrays]
        outputs = [kept.enter_context(_memory(driver, array)) for array in results]
        stream = kept.enter_context(driver.made("cuStreamCreate", "cuStreamDestroy_v2", 1))
        events = [
            kept.enter_context(driver.made("cuEventCreate", "cuEventDestroy_v2", 0))
            for _ in range(len(PARTS) + 1)
        ]

        def once() -> list[float]:
            driver("cuEventRecord", events[0], stream)
            for memory, array in zip(inputs, arrays, strict=True):
                _copy(driver, "cuMemcpyHtoDAsync_v2", memory, _pointer(array), array, stream)
            driver("cuEventRecord", events[1], stream)
            model.enqueue([m.value or 0 for m in inputs], [m.value or 0 for m in outputs], stream)
            driver("cuEventRecord", events[2], stream)
            for memory, array in zip(outputs, results, strict=True):
                _copy(driver, "cuMemcpyDtoHAsync_v2", _pointer(array), memory, array, stream)
            driver("cuEventRecord", events[3], stream)
            driver("cuStreamSynchronize", stream)
            return [_elapsed(driver, *pair) for pair in pairwise(events)]

        once()  # its copies and its first launch are slower
        times = [once() for _ in range(runs)]
    return dict(zip(PARTS, map(list, zip(*times, strict=True)), strict=True))


def _memory(driver: Driver, array: Array) -> Any:
    return driver.made("cuMemAlloc_v2", "cuMemFree_v2", ctypes.c_size_t(max(1, array.nbytes)))


def _pointer(array: Array) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def _copy(
    driver: Driver,
    function: str,
    to: ctypes.c_void_p,
    source: ctypes.c_void_p,
    array: Array,
    stream: ctypes.c_void_p,
) -> None:
    if array.nbytes:
        driver(function, to, source, ctypes.c_size_t(array.nbytes), stream)


def _elapsed(driver: Driver, start: ctypes.c_void_p, end: ctypes.c_void_p) -> float:
    milliseconds = ctypes.c_float()
    driver("cuEventElapsedTime", ctypes.byref(milliseconds), start, end)
    return milliseconds.value / 1e3
