"""The CUDA driver in Python: what times kernels without any other library.

Functions: https://docs.nvidia.com/cuda/cuda-driver-api (memory, streams, events, graphs).
"""

import ctypes
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from typing import Any

from dlc.errors import ArtifactError

_CAPTURE_THREAD_LOCAL = 1
"""``CU_STREAM_CAPTURE_MODE_THREAD_LOCAL``: other threads may do what they like meanwhile."""
_RECORD_IN_GRAPH = 1
"""``CU_EVENT_RECORD_EXTERNAL``: a capture makes a node of the record, which each replay repeats."""
_L2_CACHE_SIZE = 38
"""``CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE``, in bytes."""
_NAME_BYTES = 256

Handle = ctypes.c_void_p


MAX_DYNAMIC_SHARED = 8
"""``CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES``."""


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
    def made(self, make: str, unmake: str, *arguments: Any) -> Generator[Handle]:
        """Yield what the function ``make`` makes; ``unmake`` takes it away at the end."""
        made = Handle()
        self(make, ctypes.byref(made), *arguments)
        try:
            yield made
        except BaseException:
            with suppress(ArtifactError):  # after a fault of a kernel every call fails
                self(unmake, made)
            raise
        self(unmake, made)

    def memory(self, count: int) -> Any:
        """Return a context of so many bytes on the device, at least one."""
        return self.made("cuMemAlloc_v2", "cuMemFree_v2", ctypes.c_size_t(max(1, count)))

    def stream(self) -> Any:
        """Return a context of a stream that does not wait for the default one."""
        return self.made("cuStreamCreate", "cuStreamDestroy_v2", 1)

    def event(self) -> Any:
        """Return a context of an event that takes the time."""
        return self.made("cuEventCreate", "cuEventDestroy_v2", 0)

    def elapsed(self, start: Handle, end: Handle) -> float:
        """Return the seconds between two recorded events."""
        milliseconds = ctypes.c_float()
        self("cuEventElapsedTime", ctypes.byref(milliseconds), start, end)
        return milliseconds.value / 1e3

    def record_in_graph(self, event: Handle, stream: Handle) -> None:
        """Record an event on a stream that is being captured."""
        self("cuEventRecordWithFlags", event, stream, _RECORD_IN_GRAPH)

    def l2_bytes(self, device: int) -> int:
        """Return the size of a device's L2 cache."""
        count = ctypes.c_int()
        self("cuDeviceGetAttribute", ctypes.byref(count), _L2_CACHE_SIZE, self._number(device))
        return count.value

    def device_name(self, device: int) -> str:
        """Return what the driver calls a device, as ``NVIDIA H200``."""
        text = ctypes.create_string_buffer(_NAME_BYTES)
        self("cuDeviceGetName", text, _NAME_BYTES, self._number(device))
        return text.value.decode(errors="replace")

    def device_bus(self, device: int) -> str:
        """Return where a device is on its machine, as ``0000-1b-00.0``."""
        text = ctypes.create_string_buffer(_NAME_BYTES)
        self("cuDeviceGetPCIBusId", text, _NAME_BYTES, self._number(device))
        return text.value.decode(errors="replace").replace(":", "-")

    def _number(self, device: int) -> ctypes.c_int:
        number = ctypes.c_int()
        self("cuDeviceGet", ctypes.byref(number), device)
        return number

    @contextmanager
    def context(self, device: int) -> Generator[None]:
        """Let calls of this thread go to a device, where the models of the process are."""
        context = Handle()
        self("cuInit", 0)
        number = self._number(device)
        self("cuDevicePrimaryCtxRetain", ctypes.byref(context), number)
        try:
            self("cuCtxPushCurrent_v2", context)
            try:
                yield
            finally:
                self("cuCtxPopCurrent_v2", ctypes.byref(context))
        finally:
            self("cuDevicePrimaryCtxRelease_v2", number)

    @contextmanager
    def captured(self, stream: Handle, work: Callable[[], None]) -> Generator[Callable[[], None]]:
        """Yield what enqueues, as one CUDA graph, all that ``work`` enqueues on the stream."""
        with self._graph(stream, work) as graph:
            flags = ctypes.c_ulonglong(0)
            instantiate = ("cuGraphInstantiateWithFlags", "cuGraphExecDestroy", graph, flags)
            with self.made(*instantiate) as executable:
                yield lambda: self("cuGraphLaunch", executable, stream)

    @contextmanager
    def _graph(self, stream: Handle, work: Callable[[], None]) -> Generator[Handle]:
        graph = Handle()
        self("cuStreamBeginCapture_v2", stream, _CAPTURE_THREAD_LOCAL)
        try:
            try:
                work()
            except BaseException:  # whose capture must end, or the stream can never be used again
                with suppress(ArtifactError):
                    self("cuStreamEndCapture", stream, ctypes.byref(graph))
                raise
            self("cuStreamEndCapture", stream, ctypes.byref(graph))
            yield graph
        finally:
            if graph.value:
                self("cuGraphDestroy", graph)


def _open_driver() -> Any:
    try:
        return ctypes.CDLL("libcuda.so.1")
    except OSError as error:
        raise ArtifactError(f"the CUDA driver cannot be loaded: {error}") from error
