"""Runs programs on a GPU: many launches in one CUDA graph, whose buffers change by turns."""

import ctypes
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from dlc.core import nvrtc
from dlc.dialects.graph.structure import Array
from dlc.runtime.gpu_driver import MAX_DYNAMIC_SHARED, Driver, Handle
from dlc.runtime.timing import Times, measure
from dlc.tuning.gpu_call import prepared
from dlc.tuning.gpu_code import GpuKernel
from dlc.tuning.kernel_arguments import KernelArguments
from dlc.tuning.measurement import Place
from dlc.tuning.program import Layout, Program
from dlc.tuning.sample import sample
from dlc.tuning.turn import turn

SECONDS = 0.01
"""What is taken for the runs of one schedule."""
_GRAPH_SECONDS = 1e-4
"""A graph is no shorter, so that the events at its ends do not matter."""
_MOST_LAUNCHES = 2000
_MOST_COPIES = 1000
"""Buffers so small that this is not enough are read in less time than a launch takes."""
_NAME_BYTES = 256

Code = Sequence[GpuKernel]


@dataclass
class _Given:
    """Copies of a program's inputs and weights on the device. key: which arrays these are."""

    key: tuple[object, ...]
    arrays: Sequence[Array]  # so that no other array can have one's identity
    copies: int
    address: int
    bytes: int
    kept: ExitStack


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
        self._l2_bytes = self._driver.l2_bytes(number)
        self._given: _Given | None = None
        kept.callback(self._forget)
        name = f"{target} {self._name(number)}"
        self.place = Place(name, self._version(), f"NVRTC {nvrtc.version()}", version)

    def run(
        self, program: Program, code: Code, inputs: Sequence[Array], constants: Mapping[int, Array]
    ) -> tuple[Times, list[Array]]:
        """Return the times of runs, and samples of the outputs.

        Raises ArtifactError; UncallableError where a library that it calls is missing,
        RefusedCallError where it refuses.
        """
        layout = Layout.of(program)
        _, made_bytes, workspace_bytes = layout.sizes
        with ExitStack() as kept:
            # A library takes long to prepare a call, and needs little of the device for it.
            functions = {each.name: self._function(each, kept) for each in code}
            kept.enter_context(turn())
            given = self._upload(layout, layout.given(inputs, constants))
            made = self._unwritten(given.copies * made_bytes, kept)
            workspace = self._unwritten(workspace_bytes, kept)
            launches: list[Callable[[], None]] = []
            for copy in range(given.copies):
                read, written = given.address + copy * given.bytes, made + copy * made_bytes
                launches += self._launches(program, functions, layout, (read, written, workspace))
            return self._time(program, launches), self._outputs(program, layout, made)

    def _unwritten(self, count: int, kept: ExitStack) -> int:
        """Return the address of so many bytes, which are no numbers as long as nobody writes."""
        address: int = kept.enter_context(self._driver.memory(count)).value
        size, ones = ctypes.c_size_t(count), ctypes.c_ubyte(0xFF)
        self._driver("cuMemsetD8Async", Handle(address), ones, size, self._stream)
        return address

    def _time(self, program: Program, launches: Sequence[Callable[[], None]]) -> Times:
        of_a_run = len(program.host.launches)
        once = launches[:of_a_run]
        probed = self._graph_times(once, 3)
        runs = max(len(launches) // of_a_run, int(_GRAPH_SECONDS / max(min(probed), 1e-6)))
        runs = max(1, min(runs, _MOST_LAUNCHES // of_a_run))
        work = [launches[n % len(launches)] for n in range(runs * of_a_run)]
        with self._clock(work) as clock:
            found = measure(lambda: None, clock, self._seconds, warm_up=1)
        return Times(tuple(seconds / runs for seconds in found.seconds))

    def _graph_times(self, work: Sequence[Callable[[], None]], count: int) -> list[float]:
        with self._clock(work) as clock:
            return clock.times(lambda: None, count)

    @contextmanager
    def _clock(self, work: Sequence[Callable[[], None]]) -> "Generator[_GraphClock]":
        start, end = self._events

        def enqueue() -> None:
            self._driver.record_in_graph(start, self._stream)
            for launch in work:
                launch()
            self._driver.record_in_graph(end, self._stream)

        with self._driver.captured(self._stream, enqueue) as replay:
            yield _GraphClock(self._driver, self._stream, replay, start, end)

    def _launches(
        self,
        program: Program,
        functions: "Mapping[str, _Launchable]",
        layout: Layout,
        pieces: tuple[int, int, int],
    ) -> list[Callable[[], None]]:
        found: list[Callable[[], None]] = []
        for launch in program.host.launches:
            places = [layout.address(each, *pieces) for each in launch.operands]
            found.append(
                partial(functions[launch.kernel].launch, self._driver, self._stream, places)
            )
        return found

    def _function(self, kernel: GpuKernel, kept: ExitStack) -> "_Launchable":
        if kernel.call:
            return kept.enter_context(prepared(kernel.call))
        made = self._driver.made("cuModuleLoadData", "cuModuleUnload", kernel.code)
        image, function = kept.enter_context(made), Handle()
        self._driver("cuModuleGetFunction", ctypes.byref(function), image, kernel.name.encode())
        self._driver("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED, kernel.shared_bytes)
        return _Function(function, kernel)

    def _upload(self, layout: Layout, placed: Sequence[tuple[int, Array]]) -> _Given:
        """Return the inputs and weights on the device; those of the schedule before may stay."""
        size, made_bytes, _ = layout.sizes
        key = (size, *((start, id(array)) for start, array in placed))
        if self._given is None or self._given.key != key:
            self._forget()
            kept = ExitStack()
            copies = -(-2 * self._l2_bytes // (size + made_bytes))
            copies = min(max(1, copies), _MOST_COPIES)
            address = kept.enter_context(self._driver.memory(copies * size)).value
            self._given = _Given(key, [array for _, array in placed], copies, address, size, kept)
            for start, array in placed:
                self._copy_in(address + start, array)
            for copy in range(1, copies):
                to, bytes = Handle(address + copy * size), ctypes.c_size_t(size)
                self._driver("cuMemcpyDtoD_v2", to, Handle(address), bytes)
            self._driver("cuCtxSynchronize")  # the last copies may still be under way
        return self._given

    def _forget(self) -> None:
        if self._given is not None:
            self._given.kept.close()
            self._given = None

    def _copy_in(self, address: int, array: Array) -> None:
        data = np.ascontiguousarray(array)
        if data.nbytes:
            source = ctypes.c_void_p(data.ctypes.data)
            self._driver("cuMemcpyHtoD_v2", Handle(address), source, ctypes.c_size_t(data.nbytes))

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

    def _name(self, number: int) -> str:
        text = ctypes.create_string_buffer(_NAME_BYTES)
        self._driver("cuDeviceGetName", text, _NAME_BYTES, number)
        return text.value.decode(errors="replace")

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


class _GraphClock:
    """Takes the time between two events in a graph: what the host does is no part of it."""

    def __init__(
        self, driver: Driver, stream: Handle, replay: Callable[[], None], start: Handle, end: Handle
    ):
        self._driver, self._stream, self._replay = driver, stream, replay
        self._start, self._end = start, end

    def times(self, run: Callable[[], object], count: int) -> list[float]:
        """Replay the graph so many times and return the seconds of each."""
        taken: list[float] = []
        for _ in range(count):
            self._replay()
            self._driver("cuStreamSynchronize", self._stream)
            taken.append(self._driver.elapsed(self._start, self._end))
        return taken
