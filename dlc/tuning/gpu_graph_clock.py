"""The time of many launches on a GPU: what the host does meanwhile is no part of it."""

from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from dlc.runtime.gpu_driver import Driver, Handle

Work = Sequence[Callable[[], None]]
"""What enqueues launches."""


@dataclass(frozen=True)
class GraphClock:
    """Takes the time between two events at the ends of a CUDA graph."""

    driver: Driver
    stream: Handle
    replay: Callable[[], None]
    start: Handle
    end: Handle

    def times(self, run: Callable[[], object], count: int) -> list[float]:
        """Replay the graph so many times and return the seconds of each."""
        taken: list[float] = []
        for _ in range(count):
            self.replay()
            self.driver("cuStreamSynchronize", self.stream)
            taken.append(self.driver.elapsed(self.start, self.end))
        return taken


@contextmanager
def graph_clock(
    driver: Driver, stream: Handle, events: Sequence[Handle], work: Work
) -> Generator[GraphClock]:
    """Yield a clock of work. Capturing it takes the processor's time and none of the device's."""
    start, end = events

    def enqueue() -> None:
        driver.record_in_graph(start, stream)
        for launch in work:
            launch()
        driver.record_in_graph(end, stream)

    with driver.captured(stream, enqueue) as replay:
        yield GraphClock(driver, stream, replay, start, end)
