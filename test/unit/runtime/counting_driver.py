"""A CUDA driver that only counts: what is asked of it, and a clock that each request moves."""

import ctypes
from typing import Any

MAKES = {
    "cuMemAlloc_v2": "cuMemFree_v2",
    "cuStreamCreate": "cuStreamDestroy_v2",
    "cuEventCreate": "cuEventDestroy_v2",
    "cuGraphInstantiateWithFlags": "cuGraphExecDestroy",
}
L2_BYTES = 1 << 20


class CountingDriver:
    """Numbers what it makes; an event is at the number of copies and runs before it, in ms."""

    def __init__(self, failing: str = ""):
        self.failing = failing
        self.made: dict[int, str] = {}
        self.now = 0.0
        self.at: dict[int, float] = {}
        self.calls: list[str] = []
        self.capturing = False

    def __getattr__(self, function: str) -> Any:
        def call(*arguments: Any) -> int:
            self.calls.append(function)
            if function == self.failing:
                return 700
            self._do(function, arguments)
            return 0

        return call

    def _do(self, function: str, arguments: tuple[Any, ...]) -> None:
        if function in MAKES or function == "cuStreamEndCapture":
            handle = arguments[-1] if function == "cuStreamEndCapture" else arguments[0]
            handle._obj.value = len(self.calls)
            self.made[len(self.calls)] = function
        elif function in MAKES.values() or function == "cuGraphDestroy":
            del self.made[arguments[0].value]
        elif function == "cuDeviceGetAttribute":
            arguments[0]._obj.value = L2_BYTES
        else:
            self._pass_time(function, arguments)

    def _pass_time(self, function: str, arguments: tuple[Any, ...]) -> None:
        if function.startswith("cuEventRecord"):
            self.at[arguments[0].value] = self.now
        elif function == "cuEventElapsedTime":
            start, end = (self.at[event.value] for event in arguments[1:])
            arguments[0]._obj.value = end - start
        elif "memcpy" in function.lower():
            self.now += 1 if "HtoD" in function else 100
        elif function == "cuMemsetD8Async":
            self.now += 1000
        elif function == "cuGraphLaunch":
            self.now += 7

    def enqueue(self, inputs: list[int], outputs: list[int], stream: ctypes.c_void_p) -> None:
        """Take 10 ms."""
        kinds = [self.made[number] for number in (*inputs, *outputs, stream.value or 0)]
        assert kinds == ["cuMemAlloc_v2"] * 3 + ["cuStreamCreate"]
        self.now += 10
