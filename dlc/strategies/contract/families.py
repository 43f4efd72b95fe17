"""The schedules of a space by the family of their instruction, as the model takes them: found once
for all contractions that have the same space, and for all spaces that have a part in common.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import chain
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlc.model.contraction.overlap import Floats
from dlc.strategies.contract.schedule import ContractOnGpu

Places = npt.NDArray[np.intp]


class Family(NamedTuple):
    """Schedules whose instructions differ in their columns at most, with as many products in a
    tile.

    name: of the instructions. groups: the products. instruction: of one of the schedules. places:
    in the space. numbers: a row of ``TileNumbers`` for each.
    """

    name: str
    groups: int
    instruction: str
    places: Places
    numbers: Floats


class Families(tuple[ContractOnGpu, ...]):
    """The schedules of a space."""

    @staticmethod
    def of(schedules: Sequence[ContractOnGpu]) -> "Families":
        """Return schedules with their families."""
        return schedules if isinstance(schedules, Families) else Families(schedules)

    @staticmethod
    def joined(parts: Iterable["Families"]) -> "Families":
        """Return the schedules of all parts, with what is known of each part."""
        parts = list(parts)
        whole = Families(chain.from_iterable(parts))
        whole.each = _joined(parts)
        return whole

    @cached_property
    def each(self) -> list[Family]:
        """The families."""
        places: dict[tuple[str, int], list[int]] = defaultdict(list)
        for place, schedule in enumerate(self):
            places[schedule.family, schedule.groups].append(place)
        return [self._family(name, groups, own) for (name, groups), own in places.items()]

    def _family(self, name: str, groups: int, places: list[int]) -> Family:
        numbers = np.array([self[place].numbers for place in places], float)
        instruction = self[places[0]].instruction
        return Family(name, groups, instruction, np.array(places, np.intp), numbers)


def _joined(parts: Sequence[Families]) -> list[Family]:
    """Return the families of parts that stand one after the other."""
    found: dict[tuple[str, int], list[Family]] = defaultdict(list)
    start = 0
    for part in parts:
        for own in part.each:
            moved = own._replace(places=own.places + start)
            found[own.name, own.groups].append(moved)
        start += len(part)
    return [_one(own) for own in found.values()]


def _one(families: Sequence[Family]) -> Family:
    """Return the schedules of families of one name as one."""
    places = np.concatenate([each.places for each in families])
    numbers = np.concatenate([each.numbers for each in families])
    return families[0]._replace(places=places, numbers=numbers)
