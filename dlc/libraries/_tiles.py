"""What the SMs of a GPU take for products of matrices, tile by tile, in the kernels of others."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

_TILES = ((128, 256), (128, 128), (64, 128), (64, 64), (16, 128))
"""Rows and columns of what a block computes."""

_STEP = 64
"""Elements of the reduction that a tile takes at a time."""


@dataclass(frozen=True)
class Rounds:
    """How a library computes tiles, one on each SM at a time.

    efficiency: the part of the peak that a tile reaches in its loop. round_s: what a round of tiles
    takes beside its products, and so does adding up parts. parts: how many blocks may share the
    reduction of a tile. step_s: the least time of a step along the reduction.
    """

    efficiency: float
    round_s: float
    parts: Sequence[int] = (1,)
    step_s: float = 0.0


@dataclass(frozen=True)
class Sizes:
    """So many products of an ``m x k`` and a ``k x n`` matrix."""

    products: int
    m: int
    n: int
    k: int

    @property
    def flops(self) -> float:
        """Multiplications and additions."""
        return 2.0 * self.products * self.m * self.n * self.k

    def seconds(self, rounds: Rounds, flops_per_s: float, sms: int) -> float:
        """Return what they take with the best of all tiles. flops_per_s: the peak of an SM."""
        return min(
            self.tiled_s(tile, parts, rounds, flops_per_s, sms)
            for tile in _TILES
            for parts in rounds.parts
        )

    def tiled_s(
        self, tile: tuple[int, int], parts: int, rounds: Rounds, flops_per_s: float, sms: int
    ) -> float:
        """Return what they take with a tile of rows and columns, with ``parts`` of each sum."""
        rows, columns = tile
        tiles = ceil(self.m / rows) * ceil(self.n / columns) * self.products
        k = ceil(self.k / parts)
        tile_s = 2.0 * rows * columns * k / (flops_per_s * rounds.efficiency)
        tile_s = max(tile_s, ceil(k / _STEP) * rounds.step_s) + rounds.round_s
        return ceil(tiles * parts / sms) * tile_s + (rounds.round_s if parts > 1 else 0.0)
