"""Times copies and kernels of a GPU model with events of the CUDA driver."""

import ctypes
from collections.abc import Mapping
from contextlib import ExitStack
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc.runtime.gpu_driver import Driver, Handle
from dlc.runtime.host_arrays import host_feeds
from dlc.runtime.model import Model

Array = NDArray[np.generic]
PARTS = ("copy_in", "compute", "copy_out")


def time_on_device(
    model: Model, feeds: Mapping[str, Any], runs: int, driver: Driver | None = None
) -> dict[str, list[float]]:
    """Return the seconds of each run, by its part: ``copy_in``, ``compute``, ``copy_out``.

    feeds: host arrays by input name; they are copied from pageable memory, as ``Model.run`` does.
    Raises InputError, ArtifactError.
    """
    driver = driver or Driver()
    arrays = host_feeds(model.inputs, feeds)
    results: list[Array] = [np.empty(info.shape, info.dtype) for info in model.outputs]
    with driver.context(model.device), ExitStack() as kept:
        inputs = [kept.enter_context(driver.memory(array.nbytes)) for array in arrays]
        outputs = [kept.enter_context(driver.memory(array.nbytes)) for array in results]
        stream = kept.enter_context(driver.stream())
        events = [kept.enter_context(driver.event()) for _ in range(len(PARTS) + 1)]

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
            return [driver.elapsed(*pair) for pair in pairwise(events)]

        once()  # its copies and its first launch are slower
        times = [once() for _ in range(runs)]
    return dict(zip(PARTS, map(list, zip(*times, strict=True)), strict=True))


def _pointer(array: Array) -> Handle:
    return Handle(array.ctypes.data)


def _copy(
    driver: Driver, function: str, to: Handle, source: Handle, array: Array, stream: Handle
) -> None:
    if array.nbytes:
        driver(function, to, source, ctypes.c_size_t(array.nbytes), stream)
