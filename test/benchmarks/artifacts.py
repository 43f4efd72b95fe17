"""Makes the artifacts that a script times: each in a process of its own, several at a time."""

import multiprocessing
import os
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from dlc.benchmark.user_function import one_line
from dlc.errors import CompileError


@dataclass(frozen=True)
class Artifact:
    """An artifact to make. write: the ONNX model to a file; is sent to another process. locked: a
    lock file whose choices are taken.
    """

    path: Path
    write: Callable[[Path], object]
    target: str
    precision: str
    locked: Path | None = None


@contextmanager
def being_made(
    todo: Sequence[Artifact], processes: int | None = None
) -> Generator[list[Future[str]]]:
    """Yield the errors to come, empty where there is an artifact. processes: by default one per
    core.
    """
    cores = len(os.sched_getaffinity(0))
    jobs = max(1, cores // max(1, len(todo)))
    spawn = multiprocessing.get_context("spawn")  # a fork has none of the threads of PyTorch
    with ProcessPoolExecutor(processes or cores, spawn) as pool:
        yield [pool.submit(_make, each, jobs) for each in todo]


def make(todo: Sequence[Artifact]) -> list[str]:
    """Make all artifacts; return the error of each, empty where there is none."""
    with being_made(todo) as errors:
        return [error.result() for error in errors]


def _make(it: Artifact, jobs: int) -> str:
    from dlc.compiler import Options, compile_to

    model = it.path.with_suffix(".onnx")
    it.write(model)
    try:
        options = Options(it.target, it.precision, verify=False, jobs=jobs, locked=it.locked)
        compile_to(it.path, model, options)
    except CompileError as error:
        return str(error)
    except Exception as error:  # of one artifact, not of the others
        return one_line(error)
    finally:
        model.unlink()
    return ""
