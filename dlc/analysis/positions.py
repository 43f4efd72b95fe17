"""Where elements of a tensor are, in numbers that are made only when somebody looks at them.

An index that is followed through the ops of a cluster is known by how it was made: what was found
for one need not be computed for another one that was made alike.
"""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import count
from math import prod

import numpy as np
import numpy.typing as npt
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from dlc.analysis.element_profile import Read

Places = npt.NDArray[np.int64]

_MOST_POINTS = 64
"""Points of a reduction that are looked at; the others are like them."""


@dataclass(frozen=True, eq=False)
class Axis:
    """The positions along one axis of a tensor.

    made: a number, equal for axes that were made alike. points: of a reduction. make: gives the
    positions, an array of axes (sample, position, point of a reduction), at least one of each.
    """

    made: int
    points: int
    make: Callable[[], Places]

    @cached_property
    def places(self) -> Places:
        """The positions."""
        return self.make()

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The first and the last position."""
        return int(self.places.min()), int(self.places.max())


Index = tuple[Axis, ...]
"""For each axis of a tensor the positions along it."""

_numbers = count()


@lru_cache(50_000)
def _made(how: Hashable) -> int:
    """Return a number for a way to make an axis; another one for each way."""
    return next(_numbers)


def axes(how: Hashable, arrays: Sequence[Places]) -> Index:
    """Return an index that starts somewhere: arrays of axes (sample, position).

    how: equal where the arrays are.
    """
    return tuple(_start(how, number, array) for number, array in enumerate(arrays))


def _start(how: Hashable, number: int, array: Places) -> Axis:
    return Axis(_made((how, number)), 1, lambda: array[..., np.newaxis])


def zero() -> Axis:
    """Return the first position of an axis."""
    return _constant(0)


def _constant(value: int) -> Axis:
    return Axis(_made(("constant", value)), 1, lambda: np.full((1, 1, 1), value, np.int64))


def read_index(read: Read, dims: Index) -> Index:
    """Return where a read is. A place that data decide is taken to be the first."""
    return tuple(_read_axis(expr, dims, read.map.num_symbols) for expr in read.map.results)


def _read_axis(expr: AffineExpr, dims: Index, symbols: int) -> Axis:
    if isinstance(expr, AffineDimExpr):
        return dims[expr.position]
    used = sorted(expr.used_dims())
    if not used:
        return _constant(expr.eval([0] * len(dims), [0] * symbols))

    def make() -> Places:
        values = [axis.places if number in used else 0 for number, axis in enumerate(dims)]
        # xDSL's eval is typed for integers; its arithmetic is that of arrays, too.
        return np.asarray(expr.eval(values, [0] * symbols))  # pyright: ignore[reportArgumentType]

    how = (expr, *(dims[number].made for number in used))
    return Axis(_made(how), max(dims[number].points for number in used), make)


def opened(index: Index, reduction: Sequence[int]) -> tuple[Index, float]:
    """Return the index at some points of a reduction, with the index of the point, and how many
    points each of them stands for.
    """
    if not prod(reduction) or not reduction:
        return index, 1.0
    some = min(prod(reduction), _MOST_POINTS)
    before = max((axis.points for axis in index), default=1)
    own = range(len(reduction))
    points = [_point_axis(tuple(reduction), number, before, some) for number in own]
    spread = [_spread(axis, before, some) for axis in index]
    return (*spread, *points), prod(reduction) / some


def _spread(axis: Axis, before: int, some: int) -> Axis:
    """Return the axis repeated ``some`` times for each of the points ``before``."""

    def make() -> Places:
        outer = axis.places.shape[:-1]
        places = np.broadcast_to(axis.places[..., np.newaxis], (*outer, before, some))
        return places.reshape(*outer, -1)

    return Axis(_made(("spread", axis.made, before, some)), before * some, make)


def _point_axis(reduction: tuple[int, ...], number: int, before: int, some: int) -> Axis:
    """Return where the first ``some`` points of a reduction are along one of its axes."""

    def make() -> Places:
        places = np.unravel_index(np.arange(some), reduction)[number]
        return np.broadcast_to(places, (1, 1, before, some)).reshape(1, 1, -1)

    return Axis(_made(("point", reduction, number, before)), before * some, make)
