"""Makes the artifacts of a comparison: several at a time, each in a process of its own."""

import multiprocessing
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from dlc.benchmark.user_function import one_line
from dlc.benchmark.workload import MissingError, Source
from dlc.errors import CompileError

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Job:
    """An artifact to make. target, search, libraries: as of ``dlc.compile``."""

    source: Source
    batch: int | None
    precision: str
    target: str
    search: str | None = None
    libraries: Sequence[str] = ()

    def title(self) -> str:
        """Return what the tables call it."""
        batch = "" if self.batch is None else f", batch {self.batch}"
        return f"{self.source.name}{batch}, {self.precision}"


@dataclass(frozen=True)
class Built:
    """What became of a job. error: why there is no artifact, as one line."""

    model: Path
    artifact: Path
    error: str | None = None


def build_all(jobs: Sequence[Job], folder: Path, progress: Progress) -> list[Built]:
    """Export and compile every job below ``folder``, as many at a time as there are cores."""
    cores = len(os.sched_getaffinity(0))
    each = max(1, cores // len(jobs))
    if len(jobs) == 1:
        progress(f"compiling {jobs[0].title()}")
        return [_build(jobs[0], folder, each)]
    found: dict[int, Built] = {}
    spawn = multiprocessing.get_context("spawn")  # a fork has none of the threads of PyTorch
    with ProcessPoolExecutor(min(len(jobs), cores), spawn, max_tasks_per_child=1) as pool:
        todo = {pool.submit(_build, job, folder / str(n), each): n for n, job in enumerate(jobs)}
        for done in as_completed(todo):
            found[todo[done]] = done.result()
            progress(f"compiled {len(found)} of {len(jobs)}: {jobs[todo[done]].title()}")
    return [found[number] for number in range(len(jobs))]


def _build(job: Job, folder: Path, cores: int) -> Built:
    folder.mkdir(parents=True, exist_ok=True)
    artifact = folder / "model.so"
    path = Path()
    try:
        path = job.source.export(job.batch, folder)
        _compile(job, path, artifact, cores)
    except (CompileError, MissingError) as error:
        return Built(path, artifact, str(error))
    except Exception as error:  # of the exporter, or of the user's function
        return Built(path, artifact, one_line(error))
    return Built(path, artifact)


def _compile(job: Job, path: Path, artifact: Path, cores: int) -> None:
    from dlc.compiler import Options, compile_to

    shapes: dict[str, Any] = dict(job.source.shapes(job.batch))
    options = Options(
        job.target,
        job.precision,
        shapes or None,
        constants=job.source.constants() or None,
        verify=False,
        search=job.search,
        libraries=job.libraries,
        jobs=cores,
    )
    compile_to(artifact, path, options)
