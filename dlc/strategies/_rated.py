"""What the models say about schedules."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt

from dlc.model.upper_bound import UpperBound
from dlc.strategies._schedule import Schedule

S = TypeVar("S", bound=Schedule, covariant=True)
Seconds = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Rated:
    """A schedule, the least time that it can take, and how to estimate what it probably takes."""

    schedule: Schedule
    bound: UpperBound
    latency_s: Callable[[], float]


@dataclass(frozen=True)
class Space(Generic[S]):
    """Schedules to choose from.

    seconds: what each probably takes; infinite where a block does not fit on the chip. rate: what
    else the models say about the schedule at a place.
    """

    schedules: Sequence[S]
    seconds: Seconds
    rate: Callable[[int], Rated]
