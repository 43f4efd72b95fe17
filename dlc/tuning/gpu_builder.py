"""Builds programs for a GPU in processes side by side."""

import pickle
import subprocess
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Lock, local
from typing import IO, TypeVar

import dlc
from dlc.core.printer import operation_as_text
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.strategies import Schedule
from dlc.tuning.device import BrokenBuildError
from dlc.tuning.gpu_code import GpuKernel
from dlc.tuning.program import Program, alone
from dlc.tuning.worker import Job, Result

T = TypeVar("T")
R = TypeVar("R")
_Built = tuple[Program, list[GpuKernel]]


class GpuBuilder:
    """A ``Builder``. Each thread of a pool waits for a worker, which starts with its first job.

    All algorithms of a call are built once: they differ in a number, which a trial gives the
    library.
    """

    def __init__(self, target: str, pipeline: str, count: int, kept: ExitStack):
        """count: of workers. kept: ends them, whatever they do."""
        self._target = target
        self._pipeline = pipeline
        self._pool = ThreadPoolExecutor(count)
        self._mine = local()
        self._all: list[subprocess.Popen[bytes]] = []
        self._lock = Lock()
        self._ended = False
        self._group: GroupOp | None = None
        self._made: dict[Schedule, Future[_Built]] = {}
        kept.callback(self._end)

    def submit(
        self, group: GroupOp, schedule: Schedule, weights: Mapping[str, Array]
    ) -> "Future[_Built]":
        """Begin to build a group; its weights stay here, the program names them."""
        if group is not self._group:
            self._group, self._made = group, {}
        first = replace(schedule, algorithm=0)
        if first not in self._made:
            text = operation_as_text(alone(group, first))
            job = Job(text, self._pipeline, self._target)
            self._made[first] = self._pool.submit(self._build, job)
        return _then(self._made[first], partial(_by_algorithm, schedule.algorithm))

    def _build(self, job: Job) -> _Built:
        worker = self._worker()
        to, back = _pipe(worker.stdin), _pipe(worker.stdout)
        try:
            pickle.dump(job, to)
            to.flush()
            result: Result = pickle.load(back)
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            worker.kill()  # its pipes close before it has ended: the next job must not meet it
            worker.wait()
            raise BrokenBuildError("the process that builds it has ended") from error
        if isinstance(result, CompileError):
            raise result
        return result

    def _worker(self) -> "subprocess.Popen[bytes]":
        if not hasattr(self._mine, "worker") or self._mine.worker.poll() is not None:
            with self._lock:
                if self._ended:
                    raise BrokenBuildError("nothing more is built")
                self._mine.worker = _start()
                self._all.append(self._mine.worker)
        return self._mine.worker

    def _end(self) -> None:
        self._pool.shutdown(wait=False, cancel_futures=True)
        with self._lock:
            self._ended = True
        for worker in self._all:
            worker.kill()
        self._pool.shutdown()
        for worker in self._all:
            worker.communicate()


def _start() -> "subprocess.Popen[bytes]":
    """Return a worker, in a session of its own: Ctrl-C is for who started it."""
    return subprocess.Popen(
        [sys.executable, "-m", "dlc.tuning.worker"],
        cwd=Path(dlc.__file__).parent.parent,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def _by_algorithm(algorithm: int, built: _Built) -> _Built:
    """Return what was built with an algorithm for its calls."""
    program, kernels = built
    return program, [replace(x, algorithm=algorithm) if x.call else x for x in kernels]


def _then(before: "Future[T]", step: "Callable[[T], R]") -> "Future[R]":
    """Return what a step makes of a result, once that is there, or of what was raised for it."""
    after: Future[R] = Future()

    def end(_: "Future[T]") -> None:
        try:
            after.set_result(step(before.result()))
        except BaseException as error:
            after.set_exception(error)

    before.add_done_callback(end)
    return after
