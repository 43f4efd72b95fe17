"""Vector clocks: what each thread of a block knows of what the others have done."""

import numpy as np
from numpy.typing import NDArray

Integers = NDArray[np.int64]
Times = NDArray[np.int32]


MADE = 0
"""The time of objects that a thread makes before it says that it has begun."""


class Clocks:
    """A thread's *time* is 1, and one more whenever it has released a token.

    An access of another thread is done, for a thread that knows of it: that has acquired a token
    which the other released after the access, or which somebody released who knew.

    thread: the position of each thread in its block. known: for each thread of the batch and each
    thread of its block, the first time of the other of which it knows nothing; then, for each
    counter that was made, how far a thread knows it to have come.
    """

    def __init__(self, thread: Integers, threads_per_block: int):
        self.thread = thread
        self.threads = threads_per_block
        self.time = np.full(len(thread), MADE + 1, np.int32)
        self.known = np.zeros((len(thread), threads_per_block), np.int32)

    def new_counter(self) -> int:
        """Return the column of a new counter, of which all know that it is at 0."""
        self.known = np.pad(self.known, ((0, 0), (0, 1)))
        return self.known.shape[1] - 1

    def release(self, threads: Integers) -> Times:
        """Return what these threads know and have done, together, and let their time go on."""
        rows = self.known[threads]
        rows[np.arange(len(threads)), self.thread[threads]] = self.time[threads] + 1
        self.time[threads] += 1
        return rows.max(axis=0)

    def release_alone(self, threads: Integers) -> tuple[Times, Times]:
        """Return the times of threads of one block and the knowledge of what they alone have done;
        their time goes on.
        """
        times = self.time[threads]
        row = np.zeros(self.threads, np.int32)
        row[self.thread[threads]] = times + 1
        self.time[threads] += 1
        return times, row

    def begun(self, threads: Integers) -> Times:
        """Return the knowledge that threads of one cluster have begun, and of what they made."""
        row = np.zeros(self.threads, np.int32)
        row[self.thread[threads]] = MADE + 1
        return row

    def acquire(self, threads: Integers, row: Times) -> None:
        """Let these threads of one block know what was released, before counters were made too."""
        self.known[threads, : len(row)] = np.maximum(self.known[threads, : len(row)], row)

    def meet(self, groups: list[Integers]) -> None:
        """Let the threads of each group know what all of it know and have done."""
        for threads in groups:
            self.acquire(threads, self.release(threads))

    def knows(self, threads: Integers, others: Integers, times: Times) -> NDArray[np.bool_]:
        """Return whether threads know of accesses that others made at these times."""
        return self.known[threads, self.thread[others]] > times
