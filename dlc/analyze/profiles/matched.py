"""A profile whose calls are matched with the layers of a model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from dlc.analyze.profiles.names import Layer
from dlc.analyze.profiles.profile import Profile, Row


@dataclass(frozen=True)
class Matched:
    """layers: for each row the places of the layers that it computes, none where it has none."""

    profile: Profile
    layers: Sequence[Sequence[int]]

    @property
    def matched_us(self) -> float:
        """The time of calls that compute layers."""
        return sum(row.us for row, of in zip(self.profile.rows, self.layers, strict=True) if of)

    @property
    def unmatched(self) -> list[Row]:
        """The calls that compute no layer."""
        return [row for row, of in zip(self.profile.rows, self.layers, strict=True) if not of]

    def rows_of(self, layer: int) -> list[Row]:
        """Return the calls that compute a layer."""
        return self._by_layer.get(layer, [])

    @cached_property
    def _by_layer(self) -> dict[int, list[Row]]:
        found: dict[int, list[Row]] = {}
        for row, layers in zip(self.profile.rows, self.layers, strict=True):
            for layer in layers:
                found.setdefault(layer, []).append(row)
        return found


def shares_us(matched: Matched, layers: Sequence[Layer]) -> Mapping[int, float]:
    """Return what a profile says of each layer, by place: a call of several gives each of them a
    part of its time, in proportion to what they take by our kernels.
    """
    found: dict[int, float] = {}
    for row, places in zip(matched.profile.rows, matched.layers, strict=True):
        weights = [layers[place]["time_us"] for place in places]
        total = sum(weights)
        for place, weight in zip(places, weights, strict=True):
            part = weight / total if total else 1 / len(places)
            found[place] = found.get(place, 0.0) + part * row.us
    return found
