"""How long something takes: the one way in which times are taken, of models, kernels and peers.

A clock takes the times of some runs that follow each other: ``HostClock`` here, ``GpuClock`` of
``gpu_clock.py``. ``measure`` warms up and takes as many as fit; ``alternate`` does so for several
contestants by turns, so that what else happens on the machine meets all of them.
"""

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

LEAST_RUNS, MOST_RUNS = 5, 300
WARM_UP_RUNS = 3
TURNS = 5
PERCENTILES = (50, 90, 95, 99)

Run = Callable[[], object]


class Clock(Protocol):
    """Takes the times of runs."""

    def times(self, run: Run, count: int) -> list[float]:
        """Run so many times and return the seconds of each."""
        ...


class HostClock:
    """Takes the wall time of calls that return when the work is done."""

    def times(self, run: Run, count: int) -> list[float]:
        """Run so many times and return the seconds of each."""
        taken: list[float] = []
        for _ in range(count):
            start = time.perf_counter()
            run()
            taken.append(time.perf_counter() - start)
        return taken


@dataclass(frozen=True)
class BatchClock:
    """Takes the wall time of calls that return before the work is done, several at a time.

    wait: returns when all work is done. most: calls before it.
    """

    wait: Run
    most: int

    def times(self, run: Run, count: int) -> list[float]:
        """Run so many times and return the seconds of each, equal where they are taken together."""
        taken: list[float] = []
        while len(taken) < count:
            runs = min(self.most, count - len(taken))
            start = time.perf_counter()
            for _ in range(runs):
                run()
            self.wait()
            taken += [(time.perf_counter() - start) / runs] * runs
        return taken


@dataclass(frozen=True)
class Times:
    """The seconds of repeated runs, in their order."""

    seconds: tuple[float, ...]

    @cached_property
    def median(self) -> float:
        """Half of the runs take no longer, in seconds."""
        return float(np.median(self.seconds))

    @cached_property
    def spread(self) -> float:
        """The distance between the quartiles as a share of the median: half of the runs lie there.

        0 where the median is 0.
        """
        low, high = np.percentile(self.seconds, (25, 75))
        return float((high - low) / self.median) if self.median else 0.0

    def summary(self) -> dict[str, float]:
        """Return the mean, the ends and percentiles, in milliseconds.

        A percentile ``p90`` is the time that nine of ten runs do not exceed, between two runs
        interpolated.
        """
        times = 1e3 * np.array(self.seconds)
        found = {f"p{p}": float(np.percentile(times, p)) for p in PERCENTILES}
        ends = {"min": float(times.min()), **found, "max": float(times.max())}
        return {"mean": float(times.mean()), **ends}


def measure(run: Run, clock: Clock, seconds: float, warm_up: int = WARM_UP_RUNS) -> Times:
    """Return the times of as many runs as fit into ``seconds``, ``LEAST_RUNS`` to ``MOST_RUNS``.

    warm_up: runs before, which are not counted; at least one is made, to see how many fit.
    """
    return alternate({"": (run, clock)}, seconds, warm_up, turns=1)[""]


def alternate(
    contestants: Mapping[str, tuple[Run, Clock]],
    seconds: float,
    warm_up: int = WARM_UP_RUNS,
    turns: int = TURNS,
) -> dict[str, Times]:
    """Return the times of each contestant; they take turns.

    seconds: of each contestant, over all its turns. warm_up: runs before the first turn; before
    every other one, in which the caches hold what the others left there, is one that is not
    counted.
    """
    counts: dict[str, int] = {}
    taken: dict[str, list[float]] = {name: [] for name in contestants}
    for name, (run, clock) in contestants.items():
        counts[name] = _runs_of_a_turn(clock.times(run, max(1, warm_up)), seconds, turns)
    for _ in range(turns):
        for name, (run, clock) in contestants.items():
            clock.times(run, 1)
            taken[name] += clock.times(run, counts[name])
    return {name: Times(tuple(times)) for name, times in taken.items()}


def _runs_of_a_turn(warm: Sequence[float], seconds: float, turns: int) -> int:
    """Return how many runs fit, by the fastest of those that warmed up."""
    fit = seconds / max(min(warm), 1e-9)
    return max(1, round(min(MOST_RUNS, max(LEAST_RUNS, fit)) / turns))


def geometric_mean(values: Iterable[float]) -> float:
    """Return the geometric mean of positive numbers, at least one."""
    return float(np.exp(np.mean(np.log(list(values)))))
