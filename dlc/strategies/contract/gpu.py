"""``contract`` on a GPU: block tile, warps, instruction, pipeline stages, split."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import ceil, gcd

import numpy as np

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import Instruction
from dlc.arch.matrix_descriptor import TRANSPOSED_BYTES
from dlc.arch.scope import Scope
from dlc.model.contraction import Contraction, Tiles, estimate_s
from dlc.model.upper_bound import gpu_bound
from dlc.strategies._implementation import Implementation
from dlc.strategies._key import LARGEST
from dlc.strategies._rated import Rated, Seconds
from dlc.strategies.contract.gpu_lowering import lower
from dlc.strategies.contract.schedule import TENSOR, ContractOnGpu
from dlc.strategies.contract.tiling import Tiling, instruction_named, instructions_for
from dlc.strategies.contract.work import describe, work_of


@dataclass(frozen=True)
class _Space:
    """Tiles of one kind of instruction: (tile m, tile n, warps m, warps n), slices of the reduction
    in bytes, and their number at a time. most_rows: of a product that they are for.
    """

    tiles: tuple[tuple[int, int, int, int], ...]
    slice_bytes: tuple[int, ...]
    stages: tuple[int, ...]
    most_rows: int | None = None

    def tiles_for(self, work: Contraction) -> Iterable[tuple[int, int, int, int]]:
        """Return the tiles for a product; where it is to have few rows, those of which a smaller
        one would not have them all.
        """
        if self.most_rows is None:
            return self.tiles
        few = work.m <= self.most_rows
        return (tile for tile in self.tiles if few and tile[0] < 2 * work.m)


_OF_WARPS = _Space(
    tiles=(
        (128, 256, 2, 4),
        (256, 128, 4, 2),
        (128, 128, 2, 4),
        (128, 128, 2, 2),
        (64, 256, 1, 4),
        (64, 128, 2, 2),
        (128, 64, 2, 2),
        (128, 64, 2, 1),
        (64, 64, 2, 2),
        (128, 32, 4, 1),
        (32, 128, 1, 4),
        (64, 32, 2, 2),
        (32, 64, 2, 2),
        (32, 32, 2, 2),
        (32, 32, 1, 2),
        (16, 128, 1, 4),
        (16, 64, 1, 4),
        (16, 32, 1, 2),
    ),
    slice_bytes=(64, 128),
    stages=(2, 3, 4, 5),
)

_DEEP_OF_WARPS = _Space(
    tiles=((64, 64, 2, 2), (32, 128, 1, 4), (32, 32, 2, 2)), slice_bytes=(256,), stages=(3, 4)
)
"""For products of one round of blocks, which have few slices: each of them waits once."""

_OF_THREADS = _Space(
    tiles=(
        (128, 128, 2, 4),
        (128, 64, 2, 2),
        (64, 128, 2, 2),
        (64, 64, 2, 2),
        (32, 64, 1, 4),
        (64, 32, 2, 2),
        (32, 32, 1, 2),
        (16, 64, 1, 4),
        (16, 32, 1, 2),
    ),
    slice_bytes=(32, 64),
    stages=(1, 2, 3, 4),
)

_DEEP_OF_THREADS = _Space(tiles=((128, 128, 2, 4),), slice_bytes=(128,), stages=(2, 3))

_OF_COLUMNS = _Space(
    tiles=tuple(
        (rows, columns, 1, warps)
        for rows in (1, 2, 4, 8)
        for columns, warps in ((32, 1), (64, 2), (128, 4), (128, 2))
    ),
    slice_bytes=(64, 128),
    stages=(1, 2, 3, 4),
    most_rows=8,
)

_OF_WARPGROUPS = _Space(
    tiles=(
        (128, 256, 8, 1),
        (256, 128, 8, 1),
        (128, 192, 8, 1),
        (128, 128, 8, 1),
        (128, 128, 4, 1),
        (64, 256, 4, 1),
        (64, 128, 4, 1),
        (256, 64, 8, 1),
        (128, 64, 8, 1),
        (128, 64, 4, 1),
        (64, 64, 4, 1),
    ),
    slice_bytes=(128,),
    stages=(2, 3, 4, 5, 6),
)

_WALKING = (
    (128, 128, 4, 1, 2, 5),
    (64, 128, 4, 1, 2, 8),
    (128, 64, 4, 1, 2, 8),
    (64, 64, 4, 1, 2, 8),
    (128, 256, 8, 1, 1, 4),
)
"""Tiles of warpgroups in blocks that walk over them: (tile m, tile n, warps m, warps n, turns,
slices at a time).
"""
_PRODUCERS = 4
_PRODUCER_REGISTERS = 40
"""A warpgroup can give registers away; tensor copies, and the order of tiles, need that many."""

_SPACES = {
    (Scope.WARPGROUP, (1, 1)): (_OF_WARPGROUPS,),
    (Scope.WARP, (1, 1)): (_OF_WARPS, _DEEP_OF_WARPS),
    (Scope.THREAD, (8, 4)): (_OF_THREADS, _DEEP_OF_THREADS),
    (Scope.THREAD, (1, 32)): (_OF_COLUMNS,),
}
"""By who does an instruction, and how the lanes of a warp stand over its part of a tile, each for
itself or all together.
"""

_HALF_A_TILE = 32
"""Of the least rows and columns of warpgroups. With no more, warps are as fast: they multiply tiles
that are half as large.
"""

_EXCHANGED_BELOW = 4
"""Neighbours of a result that a lane stores at once, below which it may pay to exchange sums."""

_LEAST_OF_WARPGROUPS = 64
"""Rows and columns of a tile that warps make slower than warpgroups, where copies bring both
factors: in all of nine contractions that were measured, by 1.2 to 1.9 times.
"""

_MOST_SPLIT_SUMS = 96 * WARP_LANES
"""Of a warp: where the parts of a sum are added, as many registers again hold another part."""

_BOX_BYTES = 16
"""What a tensor copy brings starts at a multiple of (PTX ISA, "cp.async.bulk.tensor")."""

_TENSOR_COPIES = frozenset({"tma", "mbarrier", "setmaxnreg"})

_GROUPED_ROWS = 8
_SPLITS = (1, 2, 3, 4, 6, 8, 12, 16, 32)


def candidates(work: Contraction, arch: GpuArch) -> Sequence[ContractOnGpu]:
    """Return the schedules of the space for the fastest instruction that computes ``work``
    exactly; where warpgroups have one, for the fastest of warps, too.
    """
    return _candidates(
        replace(work, read_bytes=0, written_bytes=0, lhs_operations=0, operations=0), arch
    )


@lru_cache(512)  # what is before and after a contraction does not change its space
def _candidates(work: Contraction, arch: GpuArch) -> tuple[ContractOnGpu, ...]:
    return tuple(_space_of(work, arch))


def _space_of(work: Contraction, arch: GpuArch) -> Iterator[ContractOnGpu]:
    fitting = instructions_for(work, arch)
    others = [row for row in fitting if not row.is_asynchronous]
    fastest = [row for row in others if row.unit == others[0].unit]
    of_warpgroups = [row for row in fitting if _is_faster(row) and _suits_warpgroups(work)]
    is_copied = work.lhs_copy > 0 and work.rhs_copy > 0
    least = _LEAST_OF_WARPGROUPS if of_warpgroups and is_copied else LARGEST
    for instruction in {row.lanes: row for row in reversed(fastest)}.values():
        yield from _tiles_of(work, [instruction], arch, least)
    if of_warpgroups:
        yield from _tiles_of(work, of_warpgroups, arch)
        yield from _walking(work, of_warpgroups, arch)


def _is_faster(row: Instruction) -> bool:
    """Return whether an instruction is that of warpgroups, and reads factors as copies bring them.

    Factors that are rounded on the way, tf32, take a warpgroup as long as warps need that round
    fragments: 773 and 709 us at 4096 x 4096 x 4096, 205 and 212 at 8192 x 3072 x 768 on an H200.
    """
    return row.is_asynchronous and not row.cuts_factors


def _suits_warpgroups(work: Contraction) -> bool:
    """Return whether half a tile of warpgroups has results, and whether their instructions take
    factors the way round in which they lie in memory.
    """
    along_k = work.lhs_along_k and work.rhs_along_k
    as_it_lies = along_k or work.factor_bytes == TRANSPOSED_BYTES
    return as_it_lies and min(work.m, work.n) > _HALF_A_TILE


def _tiles_of(
    work: Contraction, instructions: Sequence[Instruction], arch: GpuArch, least: int = LARGEST
) -> Iterator[ContractOnGpu]:
    """Yield the schedules of instructions that differ in their columns at most; of those, the one
    that has all columns of a warpgroup. least: tiles with as many rows and columns are left out.
    """
    for space in _SPACES[instructions[0].scope, instructions[0].lanes]:
        yield from _tiles_in(space, work, instructions, arch, least)


def _tiles_in(
    space: _Space,
    work: Contraction,
    instructions: Sequence[Instruction],
    arch: GpuArch,
    least: int,
) -> Iterator[ContractOnGpu]:
    most_stages = max(space.stages) if "cp.async" in arch.capabilities else 2
    for m, n, warps_m, warps_n in space.tiles_for(work):
        if min(m, n) >= least:
            continue
        wide = (row for row in instructions if row.n == n // warps_n)
        instruction = next(wide, instructions[0])
        order, interleave = _order(work, m, n, arch), _interleave(work, instruction, n // warps_n)
        for slice_bytes in space.slice_bytes:
            depth = slice_bytes // work.factor_bytes
            slices = ceil(work.k / depth)
            for split in _splits(instruction, m * n // (warps_m * warps_n), slices):
                for stages in _stages(space, ceil(slices / split), most_stages):
                    tile, warps = (m, n, depth), (warps_m, warps_n)
                    first = tile, warps, instruction.name, stages, split, order
                    yield _schedule(*first, interleave, False)
                    if split == 1 and _may_exchange(work, instruction, interleave):
                        yield _schedule(*first, 1, True)


def _walking(
    work: Contraction, instructions: Sequence[Instruction], arch: GpuArch
) -> Iterator[ContractOnGpu]:
    """Yield the schedules whose blocks walk over tiles, with producers that start tensor copies;
    where these can bring both factors, the rhs in the order of wide stores.
    """
    is_aligned = min(work.lhs_copy, work.rhs_copy) == _BOX_BYTES
    if not work.in_rows or not is_aligned or not arch.capabilities >= _TENSOR_COPIES:
        return
    for m, n, warps_m, warps_n, turns, stages in _WALKING:
        instruction = next(row for row in instructions if row.n == n // warps_n)
        interleave = _interleave(work, instruction, n // warps_n)
        if work.n % (interleave * instruction.n // instruction.panels) == 0:
            depth = _OF_WARPGROUPS.slice_bytes[0] // work.factor_bytes
            first = (m, n, depth), (warps_m, warps_n), instruction.name, stages, 1
            stores = _order(work, m, n, arch), interleave, False
            blocks = min(arch.sm_count, ceil(work.m / m) * ceil(work.n / n))
            yield _schedule(*first, *stores, _PRODUCERS, turns, _PRODUCER_REGISTERS, blocks, TENSOR)


_schedule = lru_cache(20_000)(ContractOnGpu)  # spaces of different sizes have most in common


def _splits(instruction: Instruction, sums: int, slices: int) -> Iterator[int]:
    """Yield the numbers of parts of a reduction of ``slices``. sums: of a warp."""
    too_many = instruction.is_asynchronous and sums > _MOST_SPLIT_SUMS
    return (s for s in _SPLITS if s == 1 or (slices >= 2 * s and not too_many))


def _stages(space: _Space, slices: int, most: int) -> Iterator[int]:
    """Yield the stages that a block of ``slices`` can use: all of them ahead, at most, and one."""
    least = min(space.stages)
    return (s for s in space.stages if s == least or s <= min(most, slices + 1))


def _order(work: Contraction, tile_m: int, tile_n: int, arch: GpuArch) -> str:
    rows, columns = ceil(work.m / tile_m), ceil(work.n / tile_n)
    many = rows * columns > arch.sm_count and rows > _GROUPED_ROWS and columns > 1
    return ContractOnGpu.order_of(_GROUPED_ROWS if many else 0)


def _interleave(work: Contraction, instruction: Instruction, columns: int) -> int:
    """Return how many instructions of a warp's ``columns`` make a store as wide as it can be.

    It costs nothing where lines of the rhs are staged along the reduction, in any order; along the
    columns they would be copied in pieces.
    """
    if not work.rhs_along_k and instruction.spreads_fragments:
        return 1
    held = 1 if instruction.c.place is None else instruction.c.place.pack
    panels = columns // instruction.least[1] * instruction.panels
    return gcd(max(1, work.together // held), panels)


def _may_exchange(work: Contraction, instruction: Instruction, interleave: int) -> bool:
    """Return whether lanes hold few neighbours that they can store together, where these are
    neighbours in memory.
    """
    if instruction.c.place is None or not work.adjacent:
        return False
    return min(interleave * instruction.c.place.pack, work.together) < _EXCHANGED_BELOW


def rate(work: Contraction, schedule: ContractOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    tiling = Tiling.of(work, schedule, arch)
    bound = gpu_bound(tiling.kernel_work(), arch)

    def latency_s() -> float:
        return float(estimate_s(tiling.tiles(), arch)[0])

    return Rated(schedule, bound, latency_s)


def tiles(work: Contraction, schedules: Sequence[ContractOnGpu], arch: GpuArch) -> Tiles:
    """Return the tilings of schedules with instructions of one family, as the model takes them."""
    instruction = instruction_named(schedules[0].instruction, work, arch)
    return Tiles.of(work, instruction, [each.numbers for each in schedules])


def estimate(work: Contraction, schedules: Sequence[ContractOnGpu], arch: GpuArch) -> Seconds:
    """Return the seconds of schedules."""
    seconds = np.empty(len(schedules))
    of_family: dict[str, list[int]] = defaultdict(list)
    for place, schedule in enumerate(schedules):
        of_family[schedule.family].append(place)
    for places in of_family.values():
        seconds[places] = estimate_s(tiles(work, [schedules[i] for i in places], arch), arch)
    return seconds


IMPLEMENTATION = Implementation(ContractOnGpu, work_of, candidates, rate, describe, lower, estimate)
