"""The schedules of a contraction whose rows are needed whole, by a block or a cluster of blocks.

A row of many columns has too many sums for the threads of a block; the blocks of a cluster have
them together.
"""

from collections.abc import Iterator, Sequence
from itertools import groupby, product
from math import ceil

from dlc.arch import GpuArch
from dlc.arch.instruction import Instruction
from dlc.model.contraction import Contraction
from dlc.strategies.contract.gpu_keys import (
    LINE_BYTES,
    are_boxes,
    can_exchange,
    interleave_of,
    interleave_of_boxes,
    is_box_in_order,
    schedule_of,
)
from dlc.strategies.contract.gpu_tiles import PRODUCER_REGISTERS, Tile
from dlc.strategies.contract.schedule import ContractOnGpu
from dlc.strategies.contract.schedule_keys import TENSOR, THREADS

_MOST_COLUMNS = 256
"""Of a tile: those of the widest instruction."""

_OF_WARPGROUPS = ((64, 4, 1), (128, 8, 1))
_OF_WARPS = ((16, 1, 4), (32, 2, 2), (32, 1, 4), (64, 2, 2), (64, 2, 4), (128, 4, 2))
"""Rows of a tile and the warps over it."""

_SLICE_BYTES = (64, 128)
_STAGES = (1, 2, 3, 4)
_PRODUCED_STAGES = (2, 3, 4, 6, 8)
"""Slices at a time: with few of them several blocks share an SM, and one multiplies while another
one totals its rows.
"""

_PRODUCERS = 4


def whole_rows(
    work: Contraction, instructions: Sequence[Instruction], arch: GpuArch
) -> Iterator[ContractOnGpu]:
    """Yield the schedules by instructions that the work can have."""
    for _, rows in groupby(instructions, key=lambda row: (row.family, row.lanes)):
        family = list(rows)
        for tile in _tiles(work, family, arch):
            fitting = (row for row in family if row.n == tile.columns)
            instruction = next(fitting, family[0])
            yield from _by_all_threads(work, tile, instruction, arch)
            if instruction.is_asynchronous and are_boxes(work, arch):
                yield from _with_producers(work, tile, instruction)


def _tiles(work: Contraction, family: Sequence[Instruction], arch: GpuArch) -> Iterator[Tile]:
    """Yield the narrowest tiles of which one, or the blocks of a cluster, have all columns.

    family: instructions that differ in their columns.
    """
    first, widths = family[0], sorted(row.n for row in family)
    for m, warps_m, warps_n in _OF_WARPGROUPS if first.is_asynchronous else _OF_WARPS:
        for blocks in (1, *arch.cluster_sms):
            least = ceil(work.n / blocks)
            if first.is_asynchronous:
                n = next((width for width in widths if width >= least), 0)
            else:
                unit = first.least[1] * warps_n
                n = ceil(least / unit) * unit
            is_whole = m % (warps_m // first.warps * first.least[0]) == 0
            if is_whole and 0 < n <= _MOST_COLUMNS and ceil(work.n / n) == blocks:
                yield Tile(m, n, warps_m, warps_n)


def _by_all_threads(
    work: Contraction, tile: Tile, instruction: Instruction, arch: GpuArch
) -> Iterator[ContractOnGpu]:
    """Yield the schedules in which those who multiply bring slices."""
    copies = TENSOR if instruction.cuts_factors else THREADS
    interleave = interleave_of(work, instruction, tile.columns)
    if copies == TENSOR and not is_box_in_order(work, instruction, interleave):
        interleave = 1
    for line, stages in product(_SLICE_BYTES, _STAGES):
        is_line = line == LINE_BYTES or not instruction.is_asynchronous
        if not is_line or (stages > 2 and "cp.async" not in arch.capabilities):
            continue
        for exchange in {False, can_exchange(work, instruction, interleave)}:
            if copies == THREADS or stages > 1:
                yield schedule_of(
                    tile,
                    line // work.factor_bytes,
                    instruction.name,
                    stages=stages,
                    interleave=1 if exchange else interleave,
                    exchange=exchange,
                    copies=copies,
                    row_blocks=_blocks(work, tile),
                )


def _with_producers(
    work: Contraction, tile: Tile, instruction: Instruction
) -> Iterator[ContractOnGpu]:
    """Yield the schedules in which producers start tensor copies of slices."""
    interleave = interleave_of_boxes(work, instruction, tile.columns)
    for stages in _PRODUCED_STAGES if interleave else ():
        yield schedule_of(
            tile,
            LINE_BYTES // work.factor_bytes,
            instruction.name,
            stages=stages,
            interleave=interleave,
            producers=_PRODUCERS,
            producer_registers=PRODUCER_REGISTERS,
            copies=TENSOR,
            row_blocks=_blocks(work, tile),
        )


def _blocks(work: Contraction, tile: Tile) -> int:
    return ceil(work.n / tile.n)
