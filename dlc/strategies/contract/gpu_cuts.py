"""The schedules of a tile of a GPU contraction, by how its reduction is cut: kept, since
contractions of different sizes have most of them in common.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from math import ceil, gcd
from typing import NamedTuple

from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import Instruction
from dlc.strategies.contract.families import Families
from dlc.strategies.contract.gpu_keys import schedule_of
from dlc.strategies.contract.gpu_tiles import Tile
from dlc.strategies.contract.schedule import ContractOnGpu

SENT_TOGETHER = 2
"""Panels whose columns take turns where sums are sent to other blocks: 16 bytes at once."""

_MOST_SPLIT_SUMS = 96 * WARP_LANES
"""Of a warp: where the parts of a sum are added, as many registers again hold another part."""

_SPLITS = (1, 2, 3, 4, 6, 8, 12, 16, 32)


class TileKeys(NamedTuple):
    """What the schedules of a tile have in common.

    exchanges: whether some exchange sums. clusters: the numbers of parts of a sum that may meet in
    a cluster.
    """

    tile: Tile
    instruction: str
    order: str
    copies: str
    interleave: int
    exchanges: bool
    clusters: tuple[int, ...]


def cuts(
    keys: TileKeys, depth: int, slices: int, splits: Sequence[int], stages: Sequence[int]
) -> Families:
    """Return the schedules of a tile for a reduction of ``slices`` of ``depth``.

    splits: numbers of parts that the reduction may have. stages: numbers of slices at a time.
    """
    most = max(splits) * max(stages)  # each part of more slices has as many as it can use
    return _cuts(keys, depth, min(slices, most), tuple(splits), tuple(stages))


@lru_cache(4096)
def _cuts(
    keys: TileKeys, depth: int, slices: int, splits: Sequence[int], stages: Sequence[int]
) -> Families:
    return Families(
        schedule
        for split in splits
        for each in _stages(stages, ceil(slices / split))
        for schedule in _ways(keys, depth, split, each)
    )


def _ways(keys: TileKeys, depth: int, split: int, stages: int) -> Iterator[ContractOnGpu]:
    """Yield the schedules that differ in how sums leave their threads."""
    make = partial(
        schedule_of,
        keys.tile,
        depth,
        keys.instruction,
        stages=stages,
        split=split,
        order=keys.order,
        copies=keys.copies,
    )
    yield make(interleave=keys.interleave)
    if split == 1 and keys.exchanges:
        yield make(exchange=True)
    elif split in keys.clusters:
        yield make(exchange=True, interleave=gcd(keys.interleave, SENT_TOGETHER))


def splits_of(instruction: Instruction, sums: int, slices: int) -> list[int]:
    """Return the numbers of parts of a reduction of ``slices``. sums: of a warp."""
    too_many = instruction.is_asynchronous and sums > _MOST_SPLIT_SUMS
    return [s for s in _SPLITS if s == 1 or (slices >= 2 * s and not too_many)]


def _stages(stages: Sequence[int], slices: int) -> Iterator[int]:
    """Yield the stages that a block of ``slices`` can use: all of them ahead, at most, and one."""
    least = min(stages)
    return (s for s in stages if s == least or s <= slices + 1)
