"""The tiles of a GPU contraction that are tried, by who does the instruction."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import NamedTuple

from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope
from dlc.model.contraction import Contraction


class Tile(NamedTuple):
    """The rows and columns of a block's tile, and the warps of the block as a grid over it."""

    m: int
    n: int
    warps_m: int
    warps_n: int

    @property
    def columns(self) -> int:
        """The columns of a warp."""
        return self.n // self.warps_n

    @property
    def sums(self) -> int:
        """The sums of a warp."""
        return self.m * self.n // (self.warps_m * self.warps_n)


@dataclass(frozen=True)
class Space:
    """Tiles of one kind of instruction. slice_bytes: of a line of a slice, along the reduction.
    stages: slices at a time. most_rows: of a product that they are for.
    """

    tiles: tuple[Tile, ...]
    slice_bytes: tuple[int, ...]
    stages: tuple[int, ...]
    most_rows: int | None = None

    def tiles_for(self, work: Contraction) -> Iterable[Tile]:
        """Return the tiles for a product; where it is to have few rows, those of which a smaller
        one would not have them all.
        """
        if self.most_rows is None:
            return self.tiles
        few = work.m <= self.most_rows
        return (tile for tile in self.tiles if few and tile.m < 2 * work.m)


_OF_WARPS = Space(
    tiles=(
        Tile(128, 256, 2, 4),
        Tile(256, 128, 4, 2),
        Tile(128, 128, 2, 4),
        Tile(128, 128, 2, 2),
        Tile(64, 256, 1, 4),
        Tile(64, 128, 2, 2),
        Tile(128, 64, 2, 2),
        Tile(128, 64, 2, 1),
        Tile(64, 64, 2, 2),
        Tile(128, 32, 4, 1),
        Tile(32, 128, 1, 4),
        Tile(64, 32, 2, 2),
        Tile(32, 64, 2, 2),
        Tile(32, 32, 2, 2),
        Tile(32, 32, 1, 2),
        Tile(16, 128, 1, 4),
        Tile(16, 64, 1, 4),
        Tile(16, 32, 1, 2),
    ),
    slice_bytes=(64, 128),
    stages=(2, 3, 4, 5),
)

_DEEP_OF_WARPS = Space(
    tiles=(Tile(64, 64, 2, 2), Tile(32, 128, 1, 4), Tile(32, 32, 2, 2)),
    slice_bytes=(256,),
    stages=(3, 4),
)
"""For products of one round of blocks, which have few slices: each of them waits once."""

_OF_THREADS = Space(
    tiles=(
        Tile(128, 128, 2, 4),
        Tile(128, 64, 2, 2),
        Tile(64, 128, 2, 2),
        Tile(64, 64, 2, 2),
        Tile(32, 64, 1, 4),
        Tile(64, 32, 2, 2),
        Tile(32, 32, 1, 2),
        Tile(16, 64, 1, 4),
        Tile(16, 32, 1, 2),
    ),
    slice_bytes=(32, 64),
    stages=(1, 2, 3, 4),
)

_DEEP_OF_THREADS = Space(tiles=(Tile(128, 128, 2, 4),), slice_bytes=(128,), stages=(2, 3))

_OF_COLUMNS = Space(
    tiles=tuple(
        Tile(rows, columns, 1, warps)
        for rows in (1, 2, 4, 8)
        for columns, warps in ((32, 1), (64, 2), (128, 4), (128, 2))
    ),
    slice_bytes=(64, 128),
    stages=(1, 2, 3, 4),
    most_rows=8,
)

OF_WARPGROUPS = Space(
    tiles=(
        Tile(128, 256, 8, 1),
        Tile(256, 128, 8, 1),
        Tile(128, 192, 8, 1),
        Tile(128, 128, 8, 1),
        Tile(128, 128, 4, 1),
        Tile(64, 256, 4, 1),
        Tile(64, 128, 4, 1),
        Tile(256, 64, 8, 1),
        Tile(128, 64, 8, 1),
        Tile(128, 64, 4, 1),
        Tile(64, 64, 4, 1),
    ),
    slice_bytes=(128,),
    stages=(2, 3, 4, 5, 6),
)


PRODUCER_REGISTERS = 40
"""A warpgroup can give registers away; tensor copies, and the order of tiles, need that many."""

_NARROW = 64
"""Columns of tiles; with fewer, those of results that have no more."""

_OF_FOURS = 32
"""Columns of four instructions of the least width that take turns."""

_FEW = 4
"""Tiles beside each other."""

_MOST_BESIDE = 33 / 32
"""Columns of tiles, in units of the fewest that any have."""


@dataclass(frozen=True)
class Walk:
    """A tile of warpgroups in blocks that walk over tiles.

    turns: teams of warps. stages: slices at a time. exchange: whether sums change threads.
    producer_registers: of a thread that brings slices.
    """

    tile: Tile
    turns: int
    stages: int
    exchange: bool = False
    producer_registers: int = PRODUCER_REGISTERS


def _in_turns(rows: int, *columns: tuple[int, int]) -> Iterator[Walk]:
    """Yield the tiles of two teams of a warpgroup. columns: of a tile, and its slices at a time."""
    return (Walk(Tile(rows, n, 4, 1), 2, stages) for n, stages in columns)


WALKING = (
    *_in_turns(256, (64, 5), (32, 5)),
    *_in_turns(128, (128, 5), (64, 8), (96, 7), (160, 5), (192, 4), (48, 8), (32, 8)),
    *_in_turns(128, (80, 8), (112, 7)),
    *_in_turns(64, (128, 8), (64, 8), (160, 7), (192, 6), (224, 5), (112, 8)),
    Walk(Tile(128, 256, 8, 1), turns=1, stages=4),
    Walk(Tile(192, 192, 12, 1), turns=1, stages=4),
    Walk(Tile(256, 128, 8, 1), turns=1, stages=4),
    Walk(Tile(256, 160, 8, 1), turns=1, stages=4),
    Walk(Tile(256, 192, 8, 1), turns=1, stages=3),
    Walk(Tile(128, 192, 8, 1), turns=1, stages=4),
    Walk(Tile(128, 128, 8, 1), turns=2, stages=5, producer_registers=32),
    Walk(Tile(64, 128, 4, 1), turns=2, stages=6, exchange=True),
    Walk(Tile(128, 96, 4, 1), turns=2, stages=6, exchange=True),
    Walk(Tile(128, 128, 4, 1), turns=2, stages=4, exchange=True),
)

DIVIDED = (Tile(64, 64, 4, 1), Tile(64, 128, 4, 1), Tile(128, 64, 4, 1))
"""Tiles of warpgroups whose sums are cut into parts that producers bring."""


def walks_for(columns: int) -> Sequence[Walk]:
    """Return those of a result of so many columns: whose tiles have the fewest beside them, almost.

    Lines of a copy outside of its tensor take longer than those inside: 512 columns by tiles of 160
    take as long as 900 would.
    """
    wide = [
        walk for walk in WALKING if walk.tile.n >= min(columns, _NARROW) and _fits(walk, columns)
    ]
    made = {walk: ceil(columns / walk.tile.n) * walk.tile.n for walk in wide}
    most = min(made.values()) * _MOST_BESIDE
    return [walk for walk in wide if made[walk] <= most]


def _fits(walk: Walk, columns: int) -> bool:
    """Return whether instructions take turns in fours, or few tiles have all columns. Many tiles of
    80, 112 and 144 columns take 1.5 to 1.9 times their estimate in seven products, others 1.0 to
    1.4; few of them are the fastest.
    """
    return walk.tile.n % _OF_FOURS == 0 or columns <= _FEW * walk.tile.n


_SPACES: Mapping[tuple[Scope, tuple[int, int]], Sequence[Space]] = {
    (Scope.WARPGROUP, (1, 1)): (OF_WARPGROUPS,),
    (Scope.WARP, (1, 1)): (_OF_WARPS, _DEEP_OF_WARPS),
    (Scope.THREAD, (8, 4)): (_OF_THREADS, _DEEP_OF_THREADS),
    (Scope.THREAD, (1, 32)): (_OF_COLUMNS,),
}
"""By who does an instruction, and how the lanes of a warp stand over its part of a tile, each for
itself or all together.
"""


def spaces_of(instruction: Instruction) -> Sequence[Space]:
    """Return the tiles for an instruction."""
    return _SPACES[instruction.scope, instruction.lanes]
