"""In which order schedules are taken: the rule for estimates that no measurement tells apart."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from itertools import chain, groupby

import numpy as np

from dlc.arch import Arch
from dlc.plan.candidate import Candidate
from dlc.strategies import AnyImplementation, Schedule, Space, space_of

TIE = 1.005
"""Estimates that differ by less are equal: no model is that exact."""

MOST = 10
"""So many schedules of a cluster are kept."""


def in_order(space: Space[Schedule], most: int = MOST) -> list[int]:
    """Return the places of the ``most`` best schedules of a space, the best one first; those that
    do not fit are left out.

    All whose estimates are within 0.5 % of the least are a tie, then all of the rest that are
    within 0.5 % of the least of these, and so on. In a tie the schedule goes first that needs least
    of the chip (``Schedule.thrift``), then that of the least bound, then that which stands first.
    """
    places = np.argsort(space.seconds, kind="stable")
    seconds = space.seconds[places]
    end = int(np.searchsorted(seconds, np.inf))
    found: list[int] = []
    while len(found) < min(most, end):
        start = len(found)
        stop = min(end, int(np.searchsorted(seconds, seconds[start] * TIE, "right")))
        found += _untied(space, sorted(map(int, places[start:stop])))
    return found[:most]


def _untied(space: Space[Schedule], tied: list[int]) -> Iterator[int]:
    """Yield the places of schedules that take equally long, in order."""

    def thrift(place: int) -> tuple[int, ...]:
        return space.schedules[place].thrift

    for _, group in groupby(sorted(tied, key=thrift), key=thrift):
        equals = list(group)
        if len(equals) > 1:
            equals.sort(key=lambda place: space.rate(place).bound.time_s)
        yield from equals


@lru_cache(4096)  # the layers of a model do the same
def ranked(own: AnyImplementation, work: object, chip: Arch) -> tuple[Candidate, ...]:
    """Return the best schedules of an implementation for a work; none where none fits."""
    space = space_of(own, work, chip)
    return tuple(
        Candidate(
            space.schedules[place],
            float(space.seconds[place]),
            partial(own.rate, work, space.schedules[place], chip),
        )
        for place in in_order(space)
    )


def best_of(each: Sequence[Sequence[Candidate]]) -> tuple[Candidate, ...]:
    """Return the best of several implementations' best schedules."""
    together = tuple(chain(*each))
    if len(each) < 2:
        return together
    seconds = np.array([candidate.estimate_s for candidate in together], np.float64)
    schedules = [candidate.schedule for candidate in together]
    space = Space(schedules, seconds, lambda place: together[place].rated)
    return tuple(together[place] for place in in_order(space))
