"""Times the runs of a model: ``dlc-run --bench``."""

import resource
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from dlc.core.array_files import Arrays
from dlc.runtime.model import Model
from dlc.runtime.timing import Times

WARM_UP_SECONDS, BENCH_SECONDS = 0.2, 2.0


@dataclass(frozen=True)
class Bench:
    """How long to time. warm_up, iterations: runs; duration: seconds; ``None``: the default."""

    warm_up: int | None = None
    iterations: int | None = None
    duration: float | None = None
    threads: int | None = None

    def seconds(self) -> float:
        """Return the seconds after which no run begins; only a count of runs has no such end."""
        if self.duration is not None:
            return self.duration
        return BENCH_SECONDS if self.iterations is None else float("inf")


def bench(model: Model, feeds: Arrays, timing: Bench) -> dict[str, Any]:
    """Return the times of runs on host arrays, of copies and kernels on a GPU, and the memory.

    Each run returns new arrays; on a GPU its time includes the copies to and from the device.
    """
    limit = WARM_UP_SECONDS if timing.warm_up is None else float("inf")
    warm_up = list(_times(model, feeds, timing.warm_up, limit))
    start = time.perf_counter()
    times = list(_times(model, feeds, timing.iterations, timing.seconds()))
    total = time.perf_counter() - start
    return {
        "warm_up_runs": len(warm_up),
        "runs": len(times),
        "runs_per_second": len(times) / total,
        "threads": timing.threads,
        "milliseconds": Times(tuple(times)).summary(),
        "device_milliseconds": _device_times(model, feeds, len(times)),
        "memory": {
            "workspace_bytes": model.workspace_bytes,
            "weights_bytes": model.report["weights_bytes"],
            "peak_resident_bytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
        },
        "times_ms": [1e3 * each for each in times],
    }


def _times(model: Model, feeds: Arrays, runs: int | None, limit: float) -> Iterator[float]:
    """Yield the seconds of runs: at most so many, and none that begins after ``limit`` seconds."""
    end = time.perf_counter() + limit
    count = 0
    while count != runs and (not count or time.perf_counter() < end):
        start = time.perf_counter()
        model.run(feeds)
        yield time.perf_counter() - start
        count += 1


def _device_times(model: Model, feeds: Arrays, runs: int) -> dict[str, Any] | None:
    """Return a summary for each of ``copy_in``, ``compute`` and ``copy_out``; CPU: ``None``."""
    if not model.is_cuda:
        return None
    from dlc.runtime.gpu_timer import time_on_device

    found = time_on_device(model, feeds, runs)
    return {part: Times(tuple(times)).summary() for part, times in found.items()}


def bench_lines(found: Mapping[str, Any]) -> Iterator[str]:
    """Yield the lines that tell a person what ``bench`` found."""
    yield f"bench: {found['runs']} runs on {found['inputs']} inputs, {found['warm_up_runs']} before"
    yield f"  milliseconds: {_summary_text(found['milliseconds'])}"
    yield f"  throughput: {found['runs_per_second']:.4g} runs per second"
    device = found["device_milliseconds"]
    if device is None:
        yield "  copies: n/a, the CPU reads and writes the arrays where they are"
    for part, times in (device or {}).items():
        yield f"  {part.replace('_', ' ')}: {_summary_text(times)}"
    yield f"  load: {1e3 * found['load_s']:.4g} ms"
    megabytes = {name: f"{count / 1e6:.4g} MB" for name, count in found["memory"].items()}
    parts = (f"{name.removesuffix('_bytes')} {size}" for name, size in megabytes.items())
    yield f"  memory: {', '.join(parts).replace('_', ' ')}"


def _summary_text(times: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.4g}" for name, value in times.items())
