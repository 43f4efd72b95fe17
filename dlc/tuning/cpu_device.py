"""Runs programs on the processor, each time with cold caches."""

import ctypes
import os
import re
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from dlc import arch
from dlc.core.c_compiler import find_c_compiler
from dlc.dialects.graph.structure import Array
from dlc.runtime.packing import TENSOR_ALIGNMENT
from dlc.runtime.timing import HostClock, Times
from dlc.scratch import ScratchFolder
from dlc.tuning.calling import required
from dlc.tuning.measurement import Place
from dlc.tuning.program import Layout, Program
from dlc.tuning.sample import sample
from dlc.tuning.turn import turn

_SECONDS = 0.2
"""What is taken for the runs of one schedule, with emptying the caches between."""
_LEAST_RUNS, _MOST_RUNS = 5, 50
_MOST_FLUSHED = 1 << 26
"""What is larger than this in a cache may stay there: writing it all would take too long."""

Launch = tuple[Any, Any]
"""A function and its argument."""


class CpuDevice:
    """The processor. A run begins with caches that hold nothing of the program."""

    is_apart = False

    def __init__(self, target: str, version: str, kept: ExitStack):
        """target: as ``arch.by_name`` knows it. version: of dlc. kept: deletes its files."""
        self._folder = kept.enter_context(ScratchFolder("dlc-tune-"))
        self._count = 0
        self.place = Place(_name(target), "", find_c_compiler().version, version)
        flushed = min(_MOST_FLUSHED, 2 * arch.host().l3_bytes)
        self._flushed = np.zeros(flushed, np.uint8)

    def run(
        self, program: Program, code: bytes, inputs: Sequence[Array], constants: Mapping[int, Array]
    ) -> tuple[Times, list[Array]]:
        """Return the times of runs, and samples of the outputs.

        Raises UncallableError where a library that it calls is missing.
        """
        layout = Layout.of(program)
        given, made, scratch = map(_memory, layout.sizes)
        for offset, array in layout.given(inputs, constants):
            _put(given, offset, array)
        for memory in (made, scratch):
            memory.fill(0xFF)  # what nobody writes is no number
        library = self._load(code)
        launches = _launches(library, program, layout, (given, made, scratch))
        starts = [layout.starts["output", n] for n in range(len(program.host.outputs))]

        def run() -> None:
            for function, operands in launches:
                function(operands)

        with required(library), _team(library), turn("cpu"):
            run()
            outputs = [
                sample(tensor, lambda first, bytes, at=at: made[at + first :][:bytes])
                for tensor, at in zip(program.host.outputs, starts, strict=True)
            ]
            return self._times(run, library), outputs

    def _times(self, run: Callable[[], object], library: ctypes.CDLL) -> Times:
        """Return the times of as many runs as fit, each after emptying the caches."""
        clock, taken = HostClock(), list[float]()
        flushed = ctypes.c_void_p(self._flushed.ctypes.data)
        end = time.perf_counter() + _SECONDS
        while len(taken) < _LEAST_RUNS or (len(taken) < _MOST_RUNS and time.perf_counter() < end):
            library.flush(flushed, ctypes.c_int64(self._flushed.size))
            taken += clock.times(run, 1)
        return Times(tuple(taken))

    def _load(self, code: bytes) -> ctypes.CDLL:
        self._count += 1  # a path that was loaded once is never loaded again
        path = self._folder / f"{self._count}.so"
        path.write_bytes(code)
        return ctypes.CDLL(str(path))


@contextmanager
def _team(library: ctypes.CDLL) -> Generator[None]:
    """Spread the loops of this thread over as many threads as a model usually takes."""
    library.dlc_team_start.restype = ctypes.c_void_p
    team = ctypes.c_void_p(library.dlc_team_start(library.dlc_usual_threads()))
    library.dlc_team_use(team)
    try:
        yield
    finally:
        library.dlc_team_use(None)
        library.dlc_team_end(team)


def _launches(
    library: ctypes.CDLL, program: Program, layout: Layout, pieces: Sequence[Array]
) -> list[Launch]:
    launches: list[Launch] = []
    bases = [piece.ctypes.data for piece in pieces]
    for launch in program.host.launches:
        places = [layout.address(each, *bases) for each in launch.operands]
        launches.append((library[launch.kernel], (ctypes.c_void_p * len(places))(*places)))
    return launches


def _memory(bytes: int) -> Array:
    """Return aligned memory."""
    whole = np.zeros(bytes + TENSOR_ALIGNMENT, np.uint8)
    return whole[-whole.ctypes.data % TENSOR_ALIGNMENT :][:bytes]


def _put(memory: Array, offset: int, array: Array) -> None:
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    memory[offset : offset + data.size] = data


def _name(target: str) -> str:
    """Return what a time on this machine depends on: the processor and the cores of a run."""
    found = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.MULTILINE)
    cores = os.environ.get("OMP_NUM_THREADS") or len(os.sched_getaffinity(0))
    return f"{target} {found[1] if found else os.uname().machine}, {cores} threads"
