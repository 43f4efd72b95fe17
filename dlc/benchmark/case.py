"""One comparison: an artifact and its peers on the same inputs, by turns; then its kernels."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

import numpy as np

from dlc.benchmark import ours
from dlc.benchmark.build import Built, Job
from dlc.benchmark.contestant import Array, Place, Ready, peer_by_name
from dlc.benchmark.kernels import KernelRow, kernel_rows
from dlc.benchmark.torch_source import TorchSource
from dlc.benchmark.user_function import one_line
from dlc.benchmark.workload import MissingError, Workload
from dlc.errors import CompileError
from dlc.runtime.model import Model, load
from dlc.runtime.profile import Profile, profile
from dlc.runtime.random_inputs import random_feeds
from dlc.runtime.timing import Times, alternate

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Result:
    """What was found of a contestant. times: none where it did not run; then ``missing`` says that
    it cannot take part and why, or ``error`` what went wrong. difference: from dlc's outputs, as a
    share of their largest.
    """

    name: str
    times: Times | None = None
    difference: float | None = None
    note: str = ""
    missing: str | None = None
    error: str | None = None


@dataclass(frozen=True)
class CaseFound:
    """What was found of a case: its contestants, dlc first, and the kernels of the artifact."""

    job: Job
    results: Sequence[Result]
    kernels: Sequence[KernelRow] = ()
    profile: Profile | None = None
    flops: int | None = None
    by_name: Mapping[str, Result] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "by_name", {result.name: result for result in self.results})

    @property
    def best_peer(self) -> Result | None:
        """The fastest of the peers that ran."""
        timed = [r for r in self.results if r.times and r.name != ours.NAME]
        return min(timed, key=lambda r: r.times.median if r.times else 0.0, default=None)

    @property
    def ratio(self) -> float | None:
        """The time of the best peer over that of dlc: above 1, dlc is faster."""
        mine, best = self.by_name[ours.NAME].times, self.best_peer
        return best.times.median / mine.median if mine and best and best.times else None


def run_case(
    job: Job, built: Built, peers: Sequence[str], place: Place, seconds: float, progress: Progress
) -> CaseFound:
    """Time an artifact and its peers. seconds: of each. A fault of one contestant is its result."""
    error = built.error
    try:
        if not error:
            return _timed(job, built, peers, place, seconds, progress)
    except CompileError as fault:
        error = str(fault)
    return CaseFound(job, [Result(ours.NAME, error=error)])


def _timed(
    job: Job, built: Built, peers: Sequence[str], place: Place, seconds: float, progress: Progress
) -> CaseFound:
    with ExitStack() as kept:
        model = load(built.artifact, *_where(place))
        work = Workload(job.source, job.batch, job.precision, built.model, _feeds(job, model))
        ready: dict[str, Ready] = {ours.NAME: ours.prepare(model, work, place, kept)}
        failed: dict[str, Result] = {}
        for name in peers:
            progress(f"{job.title()}: preparing {name}")
            try:
                ready[name] = peer_by_name(name).prepare(work, place, kept)
            except MissingError as reason:
                failed[name] = Result(name, missing=str(reason))
            except CompileError as error:  # of the user's function, which it names
                failed[name] = Result(name, error=str(error))
            except Exception as error:
                failed[name] = Result(name, error=one_line(error))
        progress(f"{job.title()}: timing")
        times = alternate({name: (r.run, r.clock) for name, r in ready.items()}, seconds)
        looked = profile(model, work.feeds)
        kernels = kernel_rows(model.variant(), model.steps(), looked)
        wanted = ready[ours.NAME].outputs
        found = {n: _result(n, r, times[n], wanted) for n, r in ready.items()} | failed
    order = [ours.NAME, *peers]
    return CaseFound(job, [found[name] for name in order], kernels, looked, _flops(job))


def _where(place: Place) -> tuple[int | None, int | None]:
    """Return the device and the threads as ``dlc.load`` takes them."""
    return (place.device, None) if place.is_gpu else (None, place.threads)


def _feeds(job: Job, model: Model) -> dict[str, Array]:
    """Return the inputs: those that a function gives for PyTorch, else random ones."""
    if not isinstance(job.source, TorchSource):
        return random_feeds(model)
    _, arguments = job.source.torch(job.batch, model.path)
    if len(arguments) != len(model.inputs):
        raise CompileError(
            f"gives {len(arguments)} arguments, of which the export has {len(model.inputs)}",
            at=job.source.function,
        )
    both = zip(model.inputs, arguments, strict=True)
    return {info.name: argument.numpy() for info, argument in both}


def _flops(job: Job) -> int | None:
    """Return the operations of a case that has one operation only."""
    op = getattr(job.source, "op", None)
    return op.flops() if op else None


def _result(name: str, ready: Ready, times: Times, wanted: Sequence[Array] | None) -> Result:
    if name == ours.NAME or ready.outputs is None or wanted is None:
        return Result(name, times, None, ready.note)
    return Result(name, times, difference(ready.outputs, wanted), ready.note)


def difference(found: Sequence[Array], wanted: Sequence[Array]) -> float:
    """Return the largest difference of all outputs as a share of the largest of those wanted.

    Infinite where they have other shapes, or NaN where the others have none.
    """
    if [x.shape for x in found] != [x.shape for x in wanted]:
        return float("inf")
    return max((_share(x, y) for x, y in zip(found, wanted, strict=True)), default=0.0)


def _share(found: Array, wanted: Array) -> float:
    one, other = (np.asarray(x, np.float64) for x in (found, wanted))
    if not one.size:
        return 0.0
    if not (np.isfinite(one) == np.isfinite(other)).all():
        return float("inf")
    both = np.isfinite(one)
    largest = np.abs(other[both]).max(initial=0.0)
    off = np.abs(one[both] - other[both]).max(initial=0.0)
    return float(off / largest) if largest else float(off)
