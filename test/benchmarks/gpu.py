"""Times launches on a GPU by turns, dlc's and those of PyTorch, in CUDA graphs on one stream."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from dlc.benchmark.workload import MissingError, load_torch
from dlc.runtime.gpu_clock import GpuClock, gpu_clock
from dlc.runtime.model import Model
from dlc.runtime.timing import Run, alternate

SECONDS = 0.01
"""Of each contestant, over all its turns."""
_LOOKS = 3
"""Runs that say how many launches a graph is to have."""


@dataclass(frozen=True)
class Launches:
    """run: enqueues ``count`` launches. result: what the last one gives. kept: what they read; a
    graph has addresses only, and keeps no tensor alive.
    """

    run: Run
    count: int = 1
    result: Any = None
    kept: object = None

    def repeated(self, count: int) -> "Launches":
        """Return so many runs, one after the other, that are timed together."""

        def run() -> None:
            for _ in range(count):
                self.run()

        return Launches(run, count * self.count, self.result, self.kept)


@dataclass(frozen=True)
class Gpu:
    """PyTorch, whose work goes to the stream of the clock."""

    torch: Any
    clock: GpuClock

    @property
    def stream(self) -> int:
        """The handle of the stream."""
        return self.clock.stream.value or 0

    def empty(self, model: Model) -> list[Any]:
        """Return tensors for the results of a model."""
        torch = self.torch
        return [
            torch.empty(tuple(i.shape), dtype=getattr(torch, i.dtype.name), device="cuda")
            for i in model.outputs
        ]

    def captured(self, works: Sequence[Callable[[], Any]], count: int = 1) -> Launches:
        """Return a CUDA graph of so many launches, for which ``works`` take turns."""
        torch = self.torch
        for work in works:  # what a first launch makes, a capture must not
            work()
        torch.cuda.synchronize()
        graph, result = torch.cuda.CUDAGraph(), None
        with torch.cuda.graph(graph, stream=torch.cuda.current_stream()):
            for number in range(count):
                result = None  # its memory is that of the next one
                result = works[number % len(works)]()
        return Launches(graph.replay, count, result, (graph, works))

    def captured_for(self, works: Sequence[Callable[[], Any]], us: float, most: int) -> Launches:
        """Return a CUDA graph of as many launches as take ``us`` microseconds, or of ``most``."""
        alone = self.captured(works)
        fit = us * 1e-6 / max(1e-9, min(self.clock.times(alone.run, _LOOKS)))
        return self.captured(works, max(1, min(most, round(fit))))

    def by_turns(self, contestants: Mapping[str, Launches]) -> dict[str, float]:
        """Return the microseconds of one launch of each, the median of all turns."""
        runs = {name: (each.run, self.clock) for name, each in contestants.items()}
        times = alternate(runs, SECONDS)
        return {
            name: round(1e6 * times[name].median / each.count, 3)
            for name, each in contestants.items()
        }


@contextmanager
def open_gpu() -> Generator[Gpu]:
    """Yield the GPU; meanwhile PyTorch works on a stream of its own, without gradients. Without
    PyTorch, or where that finds no GPU, the command ends with a line that says so.
    """
    try:
        torch = load_torch()
    except MissingError as reason:
        raise SystemExit(f"error: {reason}") from None
    if not torch.cuda.is_available():
        raise SystemExit(f"error: PyTorch {torch.__version__} cannot use a GPU")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream), torch.no_grad(), gpu_clock(stream=stream.cuda_stream) as clock:
        yield Gpu(torch, clock)
