"""A schedule with what the models say about it."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

from dlc.analysis.upper_bound import UpperBound
from dlc.errors import CompileError

Value = bool | int | float | str | tuple["Value", ...]
Record = Mapping[str, Value]
"""The keys and values of a schedule."""


@dataclass(frozen=True)
class Rated:
    """A schedule, the least time that it can take, and how to estimate what it probably takes."""

    schedule: Record
    bound: UpperBound
    latency_s: Callable[[], float]


def best(candidates: Iterable[Rated], what: str) -> Rated:
    """Return the candidate with the least latency.

    They are estimated in the order of their bounds (of the space where these are equal), until the
    bounds show that the rest cannot win. Raises CompileError when none fits on the chip.
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
        if latency_s < least_s:
            winner, least_s = candidate, latency_s
    return winner


def sizes_of(schedule: Record, key: str, count: int) -> tuple[int, ...]:
    """Return a key that holds ``count`` positive integers; raises CompileError where it does
    not.
    """
    value = schedule.get(key)
    numbers = [n for n in value if type(n) is int and n > 0] if isinstance(value, tuple) else []
    if not isinstance(value, tuple) or not len(numbers) == len(value) == count:
        raise CompileError(f"schedule key {key} should be {count} positive integers, is {value!r}")
    return tuple(numbers)


def size_of(schedule: Record, key: str, default: int = 0) -> int:
    """Return a key that holds one positive integer; raises CompileError where it does not."""
    value = schedule.get(key, default)
    if type(value) is not int or value < 1:
        raise CompileError(f"schedule key {key} should be a positive integer, is {value!r}")
    return value
