"""Tables of a resize along one axis, and the line that their places follow."""

from dataclasses import dataclass
from functools import cached_property
from math import gcd

import numpy as np
from numpy.typing import NDArray
from xdsl.ir import Attribute

from dlc.frontends.onnx.ops.resampling import Positions
from dlc.ir.tensor import numpy_dtype

Line = tuple[int, int, int]


@dataclass(frozen=True)
class Table:
    """An axis of ``length`` elements: which of them make up each element of the result, a row for
    each, and with what weights.
    """

    length: int
    places: NDArray[np.int64]
    weights: Positions

    @cached_property
    def line(self) -> Line | None:
        """``a, b, c`` with ``places[p, t] = (a * p + b) floordiv c + t``, taken to the nearest
        element; ``None`` where there are no such numbers.

        The step ``a / c`` is that of the sizes, or where the outermost elements lie on each other
        that of what is between them. ``c`` is twice the rows after which places begin again.
        """
        places, last = self.places, self.length - 1
        at, taps = np.arange(len(places)), np.arange(places.shape[1])
        inside = (places[:, 0] > 0) & (places[:, -1] < last)
        for less in (0, 1) if inside.any() else ():
            sizes = self.length - less, len(places) - less
            a, c = (2 * size // gcd(*sizes) for size in sizes)
            b = int((c * places[:, 0] - a * at)[inside].max())
            line = ((a * at + b) // c)[:, np.newaxis] + taps
            if np.array_equal(np.clip(line, 0, last), places):
                return a, b, c
        return None

    def rows(self, element: Attribute) -> NDArray[np.generic]:
        """Return the weights in a type: the first rows, where the others repeat them; else all."""
        weights = self.weights.astype(numpy_dtype(element))
        if not self.line:
            return weights
        first = weights[: self.line[2] // 2]
        return first if np.array_equal(np.resize(first, weights.shape), weights) else weights
