"""Layers without a call of their own: each is part of the nearest call beside it."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from dlc.analyze.profiles.names import Layer
from dlc.analyze.profiles.profile import Profile


def fill(
    rows: dict[int, list[int]],
    profile: Profile,
    layers: Sequence[Layer],
    needs: Sequence[Sequence[int]],
) -> None:
    """Give layers without a row of a profile that of the nearest call that may have them in it: the
    last one that computes what they read, or else the first that reads them.

    rows: for each layer the places of the rows that compute it. needs: of each the places of those
    that it reads.
    """
    readers: list[list[int]] = [[] for _ in layers]
    for place, read in enumerate(needs):
        for other in read:
            readers[other].append(place)
    filling = _Filling(rows, profile, layers)
    filling.fill(range(len(layers)), needs, forwards=True)
    filling.fill(reversed(range(len(layers))), readers, forwards=False)


@dataclass
class _Filling:
    rows: dict[int, list[int]]
    profile: Profile
    layers: Sequence[Layer]

    def fill(self, places: Iterable[int], others: Sequence[Sequence[int]], forwards: bool) -> None:
        """Give layers a row of one of their others, which they read (forwards) or which read them.

        A call that computes what reads several others runs behind all of these, and one that
        computes what several read runs before them.
        """
        nearest = max if forwards else min
        for place in places:
            if place not in self.rows and (
                fitting := [*self._that_may_have(place, others[place], forwards)]
            ):
                self.rows[place] = [nearest(fitting)]

    def _that_may_have(self, place: int, others: Iterable[int], forwards: bool) -> Iterator[int]:
        layer = self.layers[place]
        for number in (row for other in others for row in self.rows.get(other, [])[-1:]):
            operator = self.profile.rows[number].operator
            if operator.may_have(layer["op_type"], layer["macs"], forwards):
                yield number
