"""Layers whose images may be stored in either layout."""

from collections.abc import Mapping
from dataclasses import replace

from dlc.analyze.rating import Rated, Rating
from dlc.analyze.ways import Ways

_NONE = Ways(best=float("inf"))


def in_either(own: Rating, other: Rating) -> Rating:
    """Return what layers take where each call has its images in the layout that is faster for it.

    What changes a layout between two calls is not counted: a bound may leave it out. own: in the
    layout that our kernels have, which stay as they are. other: calls in the other layout.
    """
    ways = {
        name: each.or_calls_of(other.layers.ways[name], has_other_layout=True)
        for name, each in own.layers.ways.items()
    }
    together = {
        names: each.or_calls_of(other.together.get(names, _NONE), has_other_layout=True)
        for names, each in own.together.items()
    }
    measured: Mapping[str, bool] = {**other.is_measured, **own.is_measured}
    return replace(
        own, layers=Rated(ways, own.layers.needs), together=together, is_measured=measured
    )
