"""A schedule with what the models say about it."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dlc.errors import CompileError
from dlc.model.upper_bound import UpperBound
from dlc.strategies._schedule import Schedule


@dataclass(frozen=True)
class Rated:
    """A schedule, the least time that it can take, and how to estimate what it probably takes."""

    schedule: Schedule
    bound: UpperBound
    latency_s: Callable[[], float]


_CLEARLY = 0.995


def best(candidates: Iterable[Rated], what: str) -> Rated:
    """Return the candidate with the least latency.

    They are estimated in the order of their bounds (of the space where these are equal), until the
    bounds show that the rest cannot win. A later one wins if it is more than 0.5 % faster: what is
    nearer is a tie, for which the order of the space stands. Raises CompileError when none fits on
    the chip.
    """
    fitting = [c for c in candidates if c.bound.violation is None]
    if not fitting:
        raise CompileError(f"no schedule for {what} fits on the chip")
    fitting.sort(key=lambda c: c.bound.time_s)
    winner, least_s = fitting[0], float("inf")
    for candidate in fitting:
        if candidate.bound.time_s >= least_s:
            break
        latency_s = candidate.latency_s()
        if latency_s < least_s * _CLEARLY:
            winner, least_s = candidate, latency_s
    return winner
