"""Times on a GPU, by events of the driver on one stream."""

import ctypes
from collections.abc import Callable, Generator
from contextlib import ExitStack, contextmanager

from dlc.runtime.gpu_driver import Driver, Handle
from dlc.runtime.timing import Run

_FLUSH_FACTOR = 2
"""How many L2 caches are written to empty one: its lines are not replaced in a fixed order."""


class GpuClock:
    """Times what is enqueued on ``stream``. Runs follow each other without a gap, the events of all
    are read at the end.

    A run is as long as the GPU works on it, or where that is shorter, as the host takes to enqueue
    it: time kernels of a few microseconds as a graph of many (``Driver.captured``).
    """

    def __init__(self, driver: Driver, stream: Handle, kept: ExitStack, flush: Run | None = None):
        """kept: closed by the owner of the clock, which gives its events back. flush: enqueued
        before each run, outside of its time.
        """
        self.driver = driver
        self.stream = stream
        self._kept = kept
        self._flush = flush
        self._events: list[Handle] = []

    def times(self, run: Run, count: int) -> list[float]:
        """Run so many times and return the seconds of each. Raises ArtifactError."""
        events = self._pool(2 * count)
        pairs = list(zip(events[::2], events[1::2], strict=True))
        for start, end in pairs:
            if self._flush:
                self._flush()
            self.driver("cuEventRecord", start, self.stream)
            run()
            self.driver("cuEventRecord", end, self.stream)
        self.driver("cuStreamSynchronize", self.stream)
        return [self.driver.elapsed(*pair) for pair in pairs]

    def _pool(self, count: int) -> list[Handle]:
        while len(self._events) < count:
            self._events.append(self._kept.enter_context(self.driver.event()))
        return self._events[:count]


@contextmanager
def gpu_clock(
    device: int = 0, *, stream: int | None = None, cold: bool = False, driver: Driver | None = None
) -> Generator[GpuClock]:
    """Yield a clock of a device, whose calls are the current ones of this thread meanwhile.

    stream: the handle of the caller's; ``None``: one of its own. cold: each run begins with an L2
    cache that holds nothing of it, as the first use of a kernel's data in a model does. Raises
    ArtifactError.
    """
    driver = driver or Driver()
    with driver.context(device), ExitStack() as kept:
        handle = kept.enter_context(driver.stream()) if stream is None else Handle(stream)
        flush = _flush(driver, device, handle, kept) if cold else None
        yield GpuClock(driver, handle, kept, flush)


def _flush(driver: Driver, device: int, stream: Handle, kept: ExitStack) -> Callable[[], None]:
    """Return what writes memory until nothing else is in the L2 cache."""
    count = _FLUSH_FACTOR * driver.l2_bytes(device)
    memory = kept.enter_context(driver.memory(count))
    bytes = ctypes.c_size_t(count)
    return lambda: driver("cuMemsetD8Async", memory, ctypes.c_ubyte(0), bytes, stream)
