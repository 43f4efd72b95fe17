"""Keys of a contraction's schedule that follow from the work and the tile."""

from functools import lru_cache
from math import ceil, gcd
from typing import Any

from dlc.arch import GpuArch
from dlc.arch.instruction import Instruction
from dlc.model.contraction import EXCHANGE_RUN, Contraction
from dlc.strategies.contract.gpu_tiles import OF_WARPGROUPS, Tile
from dlc.strategies.contract.schedule import ContractOnGpu
from dlc.strategies.contract.schedule_keys import order_of

_TENSOR_COPIES = frozenset({"tma", "mbarrier", "setmaxnreg"})

LINE_BYTES = OF_WARPGROUPS.slice_bytes[0]
_LEAST_LINE_BYTES = 64
"""A copy takes as long for a shorter line: with 32 bytes it is slower than threads are (1.2 to 2.5
times in three convolutions), unless that is all of the reduction.
"""


_GROUPED_ROWS = 4
"""Of tiles that run together, so that blocks share what they read. In 87 schedules of 38 products
and convolutions, of few tiles and of many, it takes 0.7 % more than the best of six orders in the
geometric mean; 8 rows take 2.0 %, row by row 4.0 % (57 % in one).
"""


def are_boxes(work: Contraction, arch: GpuArch) -> bool:
    """Return whether tensor copies can bring both factors, in slices of whole lines."""
    return may_walk(work, arch) and work.mapped_line == LINE_BYTES


def may_walk(work: Contraction, arch: GpuArch) -> bool:
    """Return whether tensor copies can bring both factors in slices whose lines are long enough."""
    line = work.mapped_line
    return line > 0 and is_long(work, line) and arch.capabilities >= _TENSOR_COPIES


def is_long(work: Contraction, line: int) -> bool:
    """Return whether lines are so long that tensor copies are worth it."""
    return line >= min(_LEAST_LINE_BYTES, work.k * work.factor_bytes)


@lru_cache(20_000)  # spaces of different sizes have most in common
def schedule_of(tile: Tile, depth: int, instruction: str, **keys: Any) -> ContractOnGpu:
    """Return the schedule of a tile; ``keys``: the others of its keys."""
    warps = tile.warps_m, tile.warps_n
    return ContractOnGpu((tile.m, tile.n, depth), warps, instruction, **keys)


def order_of_tiles(work: Contraction, tile: Tile, arch: GpuArch) -> str:
    """Return the order of tiles: several rows of them together. All rows, where the L2 holds the
    lhs and not the rhs, which then comes once from the memory.
    """
    if work.m <= tile.m or work.n <= tile.n:
        return order_of(0)
    streams = work.rhs_bytes > arch.l2_bytes > 2 * work.lhs_bytes and work.batch == 1
    rows = ceil(work.m / tile.m) if streams else 0
    return order_of(max(_GROUPED_ROWS, rows))


def interleave_of(work: Contraction, instruction: Instruction, columns: int) -> int:
    """Return how many instructions of a warp's ``columns`` make a store as wide as it can be.

    It costs nothing where lines of the rhs are staged along the reduction, in any order; along the
    columns they would be copied in pieces.
    """
    if not work.rhs_along_k and instruction.spreads_fragments:
        return 1
    held = 1 if instruction.c.place is None else instruction.c.place.pack
    panels = columns // instruction.least[1] * instruction.panels
    return gcd(max(1, work.together // held), panels)


def interleave_of_boxes(work: Contraction, instruction: Instruction, columns: int) -> int:
    """Return how many instructions make a store as wide as it can be where a copy brings the
    columns of the rhs in their order; 0 where no order is a box.
    """
    most = interleave_of(work, instruction, columns)
    fewer = (most >> shift for shift in range(most.bit_length()))
    return next((n for n in fewer if is_box_in_order(work, instruction, n)), 0)


def is_box_in_order(work: Contraction, instruction: Instruction, interleave: int) -> bool:
    """Return whether the columns of the rhs in the order of wide stores are a box."""
    return work.n % (interleave * instruction.n // instruction.panels) == 0


def can_exchange(work: Contraction, instruction: Instruction, interleave: int) -> bool:
    """Return whether lanes hold fewer neighbours to store together than they would take after an
    exchange, where these are neighbours in memory.
    """
    if instruction.c.place is None or not work.adjacent:
        return False
    return min(interleave * instruction.c.place.pack, work.together) < EXCHANGE_RUN
