"""Runs programs on a GPU: many launches in one CUDA graph, whose buffers change by turns."""

import ctypes
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from dlc.core import nvrtc
from dlc.dialects.graph.structure import Array
from dlc.runtime.gpu_driver import MAX_DYNAMIC_SHARED, Driver, Handle
from dlc.runtime.timing import Times, measure
from dlc.tuning.gpu_call import LastCall
from dlc.tuning.gpu_code import GpuKernel
from dlc.tuning.gpu_graph_clock import GraphClock, Work, graph_clock
from dlc.tuning.gpu_inputs import GpuInputs
from dlc.tuning.kernel_arguments import KernelArguments
from dlc.tuning.measurement import Place
from dlc.tuning.program import Layout, Program
from dlc.tuning.sample import sample
from dlc.tuning.turn import turn

SECONDS = 0.01
"""What is taken for the runs of one schedule."""
_GRAPH_SECONDS = 1e-4
"""A graph is no shorter, so that the events at its ends do not matter."""
_LEAST_SECONDS = 1e-6
"""No run of a program is shorter."""
_MOST_LAUNCHES = 2000

Code = Sequence[GpuKernel]


class GpuDevice:
    """A GPU, whose context is the thread's as long as the device is open.

    The launches of a program follow each other on copies of its inputs, weights and outputs which
    together are larger than the L2 cache, so that each reads what is not in it. They share one
    workspace: that of a call is large, and hardly used.
    """

    is_apart = True

    def __init__(
        self,
        target: str,
        version: str,
        kept: ExitStack,
        number: int = 0,
        driver: Driver | None = None,
        seconds: float = SECONDS,
    ):
        """target: what is compiled for. version: of dlc. kept: closes the device. seconds: of the
        runs of one schedule.
        """
        self._driver = driver or Driver()
        self._seconds = seconds
        kept.enter_context(self._driver.context(number))
        self._stream = kept.enter_context(self._driver.stream())
        self._events = [kept.enter_context(self._driver.event()) for _ in range(2)]
        self._inputs = GpuInputs(self._driver, self._driver.l2_bytes(number), kept)
        self._last_call = LastCall(kept)
        self._turn = partial(turn, f"gpu-{self._driver.device_bus(number)}")
        name = f"{target} {self._driver.device_name(number)}"
        self.place = Place(name, self._version(), f"NVRTC {nvrtc.version()}", version)

    def run(
        self, program: Program, code: Code, inputs: Sequence[Array], constants: Mapping[int, Array]
    ) -> tuple[Times, list[Array]]:
        """Return the times of runs, and samples of the outputs.

        Raises ArtifactError; UncallableError where a library that it calls is missing,
        RefusedCallError where it refuses.
        """
        layout = Layout.of(program)
        given_bytes, made_bytes, workspace_bytes = layout.sizes
        copies = self._inputs.copies(given_bytes, made_bytes)
        with ExitStack() as kept:
            functions = {each.name: self._function(each, kept) for each in code}
            made = kept.enter_context(self._driver.memory(copies * made_bytes)).value
            workspace = kept.enter_context(self._driver.memory(workspace_bytes)).value
            with self._turn():
                placed = layout.given(inputs, constants)
                given = self._inputs.place(placed, given_bytes, copies)
                self._unwrite(made, copies * made_bytes)
                self._unwrite(workspace, workspace_bytes)
                self._driver("cuStreamSynchronize", self._stream)
            runs = [
                self._launches(
                    program,
                    functions,
                    layout,
                    (given + copy * given_bytes, made + copy * made_bytes, workspace),
                )
                for copy in range(copies)
            ]
            return self._time(runs), self._outputs(program, layout, made)

    def _unwrite(self, address: int, count: int) -> None:
        """Let so many bytes be no numbers as long as nobody writes them."""
        size, ones = ctypes.c_size_t(count), ctypes.c_ubyte(0xFF)
        self._driver("cuMemsetD8Async", Handle(address), ones, size, self._stream)

    def _time(self, runs: Sequence[Work]) -> Times:
        """Return the times of runs, one of each copy; others may measure while they are captured,
        which takes longest.
        """
        count = self._count(runs)
        work = [launch for n in range(count) for launch in runs[n % len(runs)]]
        with self._clock(work) as clock, self._turn():
            found = measure(lambda: None, clock, self._seconds, warm_up=1)
        return Times(tuple(seconds / count for seconds in found.seconds))

    def _count(self, runs: Sequence[Work]) -> int:
        """Return how many runs a graph has: all copies, and as many as take long enough."""
        enough = int(_GRAPH_SECONDS / _LEAST_SECONDS)
        if len(runs) < enough:
            with self._clock(runs[0]) as clock, self._turn():
                shortest = min(clock.times(lambda: None, 3))
            enough = int(_GRAPH_SECONDS / max(shortest, _LEAST_SECONDS))
        return max(1, min(max(len(runs), enough), _MOST_LAUNCHES // len(runs[0])))

    def _clock(self, work: Work) -> AbstractContextManager[GraphClock]:
        return graph_clock(self._driver, self._stream, self._events, work)

    def _launches(
        self,
        program: Program,
        functions: "Mapping[str, _Launchable]",
        layout: Layout,
        pieces: tuple[int, int, int],
    ) -> list[Callable[[], None]]:
        """Return what enqueues the launches of a run on pieces of memory."""
        found: list[Callable[[], None]] = []
        for launch in program.host.launches:
            places = [layout.address(each, *pieces) for each in launch.operands]
            function = functions[launch.kernel]
            found.append(partial(function.launch, self._driver, self._stream, places))
        return found

    def _function(self, kernel: GpuKernel, kept: ExitStack) -> "_Launchable":
        if kernel.call:
            return self._last_call.opened(kernel.call).prepared(kernel.algorithm)
        made = self._driver.made("cuModuleLoadData", "cuModuleUnload", kernel.code)
        image, function = kept.enter_context(made), Handle()
        self._driver("cuModuleGetFunction", ctypes.byref(function), image, kernel.name.encode())
        self._driver("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, kernel.shared_bytes)
        return _Function(function, kernel)

    def _outputs(self, program: Program, layout: Layout, made: int) -> list[Array]:
        def read(start: int, first: int, bytes: int) -> Array:
            part = np.empty(bytes, np.uint8)
            place = Handle(made + start + first)
            if bytes:
                to = ctypes.c_void_p(part.ctypes.data)
                self._driver("cuMemcpyDtoH_v2", to, place, ctypes.c_size_t(bytes))
            return part

        return [
            sample(tensor, partial(read, layout.starts["output", number]))
            for number, tensor in enumerate(program.host.outputs)
        ]

    def _version(self) -> str:
        version = ctypes.c_int()
        self._driver("cuDriverGetVersion", ctypes.byref(version))
        return f"CUDA {version.value // 1000}.{version.value % 1000 // 10}"


class _Launchable(Protocol):
    """What a launch does. places: the addresses of the buffers."""

    def launch(self, driver: Driver, stream: Handle, places: Sequence[int]) -> None: ...


@dataclass(frozen=True)
class _Function:
    """A kernel that is loaded."""

    handle: Handle
    kernel: GpuKernel

    def launch(self, driver: Driver, stream: Handle, places: Sequence[int]) -> None:
        kernel = self.kernel
        given = KernelArguments(driver, places, kernel.maps)
        for operand, bytes in kernel.fills:
            driver("cuMemsetD8Async", Handle(places[operand]), 0xFF, ctypes.c_size_t(bytes), stream)
        arguments = (*kernel.sizes, kernel.shared_bytes, stream, given.parameters)
        if kernel.cooperative:
            driver("cuLaunchCooperativeKernel", self.handle, *arguments)
        else:
            driver("cuLaunchKernel", self.handle, *arguments, None)
