"""The schedules of a space by the family of their instruction, as the model takes them: found once
for all contractions that have the same space.
"""

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from dlc.model.contraction.overlap import Floats
from dlc.strategies.contract.schedule import ContractOnGpu


class Family(NamedTuple):
    """Schedules whose instructions differ in their columns at most, with as many products in a
    tile.

    instruction: of one of them. groups: the products. places: in the space. numbers: a row of
    ``TileNumbers`` for each.
    """

    instruction: str
    groups: int
    places: list[int]
    numbers: Floats


class Families(tuple[ContractOnGpu, ...]):
    """The schedules of a space."""

    @staticmethod
    def of(schedules: Sequence[ContractOnGpu]) -> "Families":
        """Return schedules with their families."""
        return schedules if isinstance(schedules, Families) else Families(schedules)

    @cached_property
    def each(self) -> list[Family]:
        """The families."""
        places: dict[tuple[str, int], list[int]] = defaultdict(list)
        for place, schedule in enumerate(self):
            places[schedule.family, schedule.groups].append(place)
        return [self._family(own) for own in places.values()]

    def _family(self, places: list[int]) -> Family:
        first, numbers = self[places[0]], [self[place].numbers for place in places]
        return Family(first.instruction, first.groups, places, np.array(numbers, float))
