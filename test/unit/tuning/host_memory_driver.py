"""A CUDA driver whose device is the memory of the host: a launch notes what it was given."""

import ctypes
from typing import Any

L2_BYTES = 1 << 20


class HostMemoryDriver:
    """Keeps count of what is made; a replay of a graph takes a microsecond for each launch in it.
    Copies to the device are under way until something waits for them.

    launches: the function and the addresses of each launch, in order of capture.
    """

    def __init__(self) -> None:
        self.made = 0
        self.memory: dict[int, Any] = {}
        self.launches: list[tuple[int, tuple[int, ...]]] = []
        self.graphs: dict[int, int] = {}
        self.operands = 0
        self._under_way: list[tuple[int, bytes]] = []
        self._captured = 0
        self._replayed = 0

    def __getattr__(self, function: str) -> Any:
        def call(*arguments: Any) -> int:
            getattr(type(self), f"_{function}", type(self)._make)(self, *arguments)
            return 0

        return call

    def _make(self, *arguments: Any) -> None:
        """Give a handle where one is asked for."""
        if arguments and hasattr(arguments[0], "_obj"):
            self.made += 1
            arguments[0]._obj.value = self.made

    # Named as the functions of the driver, by which they are found.
    def _cuMemAlloc_v2(self, place: Any, size: Any) -> None:  # noqa: N802
        buffer = ctypes.create_string_buffer(size.value)
        place._obj.value = ctypes.addressof(buffer)
        self.memory[place._obj.value] = buffer

    def _cuMemFree_v2(self, place: Any) -> None:  # noqa: N802
        del self.memory[place.value]

    def _cuMemcpyHtoD_v2(self, to: Any, source: Any, size: Any) -> None:  # noqa: N802
        self._under_way.append((to.value, ctypes.string_at(source, size.value)))

    def _cuCtxSynchronize(self) -> None:  # noqa: N802
        for place, data in self._under_way:
            ctypes.memmove(place, data, len(data))
        self._under_way.clear()

    def _copy(self, to: Any, source: Any, size: Any) -> None:
        self._cuCtxSynchronize()
        ctypes.memmove(to, source, size.value)

    _cuMemcpyDtoH_v2 = _cuMemcpyDtoD_v2 = _copy  # noqa: N815

    def _cuMemsetD8Async(self, place: Any, value: Any, size: Any, _: Any) -> None:  # noqa: N802
        ctypes.memset(place, value.value, size.value)

    def _cuDeviceGetAttribute(self, place: Any, *_: Any) -> None:  # noqa: N802
        place._obj.value = L2_BYTES

    def _cuDeviceGetName(self, text: Any, *_: Any) -> None:  # noqa: N802
        text.value = b"Test GPU"

    def _cuDriverGetVersion(self, place: Any) -> None:  # noqa: N802
        place._obj.value = 13010

    def _cuLaunchKernel(self, function: Any, *arguments: Any) -> None:  # noqa: N802
        assert not self._under_way  # on another stream: it does not wait
        pointers = arguments[8][: self.operands]
        places = tuple(ctypes.c_uint64.from_address(each).value for each in pointers)
        self.launches.append((function.value, places))
        self._captured += 1

    def _cuStreamEndCapture(self, _: Any, graph: Any) -> None:  # noqa: N802
        self._make(graph)
        self.graphs[graph._obj.value] = self._captured
        self._captured = 0

    def _cuGraphInstantiateWithFlags(self, made: Any, graph: Any, _: Any) -> None:  # noqa: N802
        self._make(made)
        self.graphs[made._obj.value] = self.graphs[graph.value]

    def _cuGraphLaunch(self, graph: Any, _: Any) -> None:  # noqa: N802
        self._replayed = self.graphs[graph.value]

    def _cuEventElapsedTime(self, milliseconds: Any, *_: Any) -> None:  # noqa: N802
        milliseconds._obj.value = 1e-3 * self._replayed
