"""The schedules of a contraction on a GPU that are rated."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from itertools import product
from math import ceil, gcd

from dlc.arch import GpuArch
from dlc.arch.instruction import Instruction
from dlc.arch.matrix_descriptor import ROW_BYTES, TRANSPOSED_BYTES
from dlc.model.contraction import Contraction
from dlc.strategies._key import LARGEST
from dlc.strategies.contract.families import Families
from dlc.strategies.contract.gpu_cuts import SENT_TOGETHER, TileKeys, cuts, splits_of
from dlc.strategies.contract.gpu_groups import sharing
from dlc.strategies.contract.gpu_keys import (
    LINE_BYTES,
    are_boxes,
    can_exchange,
    interleave_of,
    interleave_of_boxes,
    is_box_in_order,
    is_long,
    may_walk,
    order_of_tiles,
    schedule_of,
)
from dlc.strategies.contract.gpu_rows import whole_rows
from dlc.strategies.contract.gpu_tiles import (
    DIVIDED,
    PRODUCER_REGISTERS,
    Space,
    Tile,
    spaces_of,
    walks_for,
)
from dlc.strategies.contract.schedule import ContractOnGpu
from dlc.strategies.contract.schedule_keys import TENSOR, THREADS
from dlc.strategies.contract.tiling import instructions_for

_PRODUCERS = 4
"""Warps: a whole warpgroup, which can give registers away."""

_HALF_A_TILE = 32
"""Of the least rows and columns of warpgroups. With no more, warps are as fast: they multiply tiles
that are half as large.
"""

_LEAST_OF_WARPGROUPS = 64
"""Rows and columns of a tile that warps make slower than warpgroups, where copies bring both
factors: in all of nine contractions that were measured, by 1.2 to 1.9 times.
"""

_MOST_STAGES = 16
_DIVIDED_STAGES = 8
_MOST_DIVIDED = 6
"""Slices at a time and parts of a sum with producers: of more that were measured none was best."""

_MOST_BLOCKS_OF_AN_SM = 2
"""Of kernels whose parts of a sum meet in a cluster: none of more was best of its product."""


def candidates(work: Contraction, arch: GpuArch) -> Sequence[ContractOnGpu]:
    """Return the schedules of the space for the fastest instruction that computes ``work``
    exactly; where warpgroups have one, for the fastest of warps, too.
    """
    return _candidates(
        replace(work, read_bytes=0, written_bytes=0, lhs_operations=0, operations=0), arch
    )


@lru_cache(512)  # what is before and after a contraction does not change its space
def _candidates(work: Contraction, arch: GpuArch) -> Families:
    return Families.joined(_parts_of_space(work, arch))


def _parts_of_space(work: Contraction, arch: GpuArch) -> Iterator[Families]:
    fitting = instructions_for(work, arch)
    others = [row for row in fitting if not row.is_asynchronous]
    fastest = [row for row in others if row.unit == others[0].unit]
    of_warpgroups = [row for row in fitting if _is_of_warpgroups(row, work, arch)]
    is_copied = work.lhs_copy > 0 and work.rhs_copy > 0
    least = _LEAST_OF_WARPGROUPS if of_warpgroups and is_copied else LARGEST
    if work.row_totals:
        yield Families(whole_rows(work, [*fastest, *of_warpgroups], arch))
        return
    for instruction in {row.lanes: row for row in reversed(fastest)}.values():
        yield from _tiles_of(work, [instruction], arch, least)
    yield Families(sharing(work, [row for row in fitting if row.spreads_fragments]))
    if of_warpgroups and min(work.m, work.n) > _HALF_A_TILE:
        yield from _tiles_of(work, of_warpgroups, arch)
    if of_warpgroups and work.m > _HALF_A_TILE:
        yield Families(_walking(work, of_warpgroups, arch))
        yield Families(_divided(work, of_warpgroups, arch))


def _is_of_warpgroups(row: Instruction, work: Contraction, arch: GpuArch) -> bool:
    """Return whether an instruction is that of warpgroups, and copies bring factors as it reads
    them.

    Factors that threads round on the way, tf32, take a warpgroup as long as warps need that round
    fragments: 773 and 709 us at 4096 x 4096 x 4096, 205 and 212 at 8192 x 3072 x 768 on an H200.
    Tensor copies round them, too.
    """
    as_copied = not row.cuts_factors or are_boxes(work, arch)
    return row.is_asynchronous and as_copied and _lies_for_warpgroups(work)


def _lies_for_warpgroups(work: Contraction) -> bool:
    """Return whether instructions of warpgroups take factors the way round in which they lie in
    memory.
    """
    along_k = work.lhs_along_k and work.rhs_along_k
    return along_k or work.factor_bytes == TRANSPOSED_BYTES


def _tiles_of(
    work: Contraction, instructions: Sequence[Instruction], arch: GpuArch, least: int = LARGEST
) -> Iterator[Families]:
    """Yield the schedules of instructions that differ in their columns at most; of those, the one
    that has all columns of a warpgroup. least: tiles with as many rows and columns are left out.
    """
    for space in spaces_of(instructions[0]):
        yield from _tiles_in(space, work, instructions, arch, least)


def _tiles_in(
    space: Space,
    work: Contraction,
    instructions: Sequence[Instruction],
    arch: GpuArch,
    least: int,
) -> Iterator[Families]:
    most = max(space.stages) if "cp.async" in arch.capabilities else 2
    stages = [each for each in space.stages if each <= max(most, min(space.stages))]
    for tile in space.tiles_for(work):
        if min(tile.m, tile.n) >= least:
            continue
        wide = (row for row in instructions if row.n == tile.columns)
        instruction = next(wide, instructions[0])
        keys = _keys_of(tile, work, instruction, arch)
        for slice_bytes in _slices(space, work):
            depth = slice_bytes // work.factor_bytes
            slices = ceil(work.k / depth)
            yield cuts(keys, depth, slices, splits_of(instruction, tile.sums, slices), stages)


def _keys_of(tile: Tile, work: Contraction, instruction: Instruction, arch: GpuArch) -> TileKeys:
    interleave = interleave_of(work, instruction, tile.columns)
    copies = TENSOR if instruction.cuts_factors else THREADS
    if copies == TENSOR and not is_box_in_order(work, instruction, interleave):
        interleave = 1
    return TileKeys(
        tile,
        instruction.name,
        order_of_tiles(work, tile, arch),
        copies,
        interleave,
        can_exchange(work, instruction, interleave),
        tuple(_clusters(work, tile, arch)),
    )


def _walking(
    work: Contraction, instructions: Sequence[Instruction], arch: GpuArch
) -> Iterator[ContractOnGpu]:
    """Yield the schedules whose blocks walk over tiles, with producers that start tensor copies;
    where these can bring both factors, the rhs in the order of wide stores, or sums are exchanged.
    """
    if not may_walk(work, arch):
        return
    for line, walk in product(_lines(work), walks_for(work.n)):
        tile = walk.tile
        instruction = next(row for row in instructions if row.n == tile.columns)
        interleave = interleave_of_boxes(work, instruction, tile.columns)
        exchange = can_exchange(work, instruction, interleave)
        if exchange == walk.exchange and (exchange or interleave):
            yield schedule_of(
                tile,
                line // work.factor_bytes,
                instruction.name,
                stages=min(walk.stages * LINE_BYTES // line, _MOST_STAGES),
                order=order_of_tiles(work, tile, arch),
                interleave=1 if exchange else interleave,
                exchange=exchange,
                producers=_PRODUCERS,
                turns=walk.turns,
                producer_registers=walk.producer_registers,
                blocks=min(arch.sm_count, _tile_count(work, tile)),
                copies=TENSOR,
            )


def _lines(work: Contraction) -> Iterator[int]:
    """Yield the bytes of lines of slices: the longest, and the shortest that ends where the
    reduction does, or nearer to it. What of a line is outside of the tensor takes longer than what
    is inside.
    """
    yield work.mapped_line
    last = work.k * work.factor_bytes % work.mapped_line
    fitting = [line for line in ROW_BYTES if line >= last > 0 and is_long(work, line)]
    yield from {min(fitting, default=work.mapped_line)} - {work.mapped_line}


def _divided(
    work: Contraction, instructions: Sequence[Instruction], arch: GpuArch
) -> Iterator[ContractOnGpu]:
    """Yield the schedules of few tiles whose sums are cut into parts, each with a block, and
    producers that start its tensor copies as far ahead as shared memory goes. Not measured for
    pixels of convolutions.
    """
    if not are_boxes(work, arch) or work.guarded:
        return
    depth = LINE_BYTES // work.factor_bytes
    slices = ceil(work.k / depth)
    for tile in DIVIDED:
        instruction = next(row for row in instructions if row.n == tile.columns)
        interleave = interleave_of(work, instruction, tile.columns)
        few = _tile_count(work, tile) < arch.sm_count
        if not few or not is_box_in_order(work, instruction, interleave):
            continue
        for split in splits_of(instruction, tile.sums, slices):
            make = partial(
                schedule_of,
                tile,
                depth,
                instruction.name,
                stages=min(_DIVIDED_STAGES, max(3, ceil(slices / split))),
                split=split,
                order=order_of_tiles(work, tile, arch),
                producers=_PRODUCERS,
                producer_registers=PRODUCER_REGISTERS,
                copies=TENSOR,
            )
            if 1 < split <= _MOST_DIVIDED:
                yield make(interleave=interleave)
            if split in _clusters(work, tile, arch):
                yield make(exchange=True, interleave=gcd(interleave, SENT_TOGETHER))


def _clusters(work: Contraction, tile: Tile, arch: GpuArch) -> Sequence[int]:
    """Return the parts of a sum that meet in a cluster: in kernels of few blocks."""
    most = _MOST_BLOCKS_OF_AN_SM * arch.sm_count // (work.batch * _tile_count(work, tile))
    return [blocks for blocks in arch.cluster_sms if blocks <= min(most, tile.m)]


def _tile_count(work: Contraction, tile: Tile) -> int:
    return ceil(work.m / tile.m) * ceil(work.n / tile.n)


def _slices(space: Space, work: Contraction) -> Iterable[int]:
    """Return the bytes of a line of a slice: where the shortest line that there is holds all of the
    reduction, no longer one.
    """
    whole = (line for line in sorted(ROW_BYTES) if line >= work.k * work.factor_bytes)
    most = next(whole, LARGEST)
    return [each for each in space.slice_bytes if each <= most] or [most]
