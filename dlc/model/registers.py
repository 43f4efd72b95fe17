"""Registers per thread of a contraction, as the assembler allots them.

The assembler unrolls, keeps addresses and loads ahead as it sees fit; these lines were fitted to
what it said about 2,652 kernels (``test/data/contraction-space-h200.jsonl.gz``). With them the
blocks that an SM holds are right for 83 % of the kernels, and off by at most one for 94 %.
"""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from dlc.arch.fragments import WARP_LANES

if TYPE_CHECKING:
    from dlc.model.contraction import Tiles

_FIXED = 28.0
"""Addresses and loop counters."""

_OF_ACCUMULATOR = 1.3
"""Of an accumulator: its register, and what the epilogue makes of it."""

_OF_FRAGMENT = -0.76
"""Of a register of fragments: large ones leave the assembler less to load ahead."""

_OF_GUARD = 7.6
_OF_GUARDED_COPY = 4.3
"""Of a position in the padding, and of each copy that looks at it."""

_OF_SPLIT = 0.4
"""Of an accumulator whose sum is cut among blocks: the other parts of it."""

_FMA_FIXED = 56.0

_LEAST, _MOST = 24.0, 255.0


def registers(tiles: "Tiles") -> npt.NDArray[np.float64]:
    """Return the registers per thread of each tiling."""
    rows, columns = tiles.m / tiles.warps_m, tiles.n / tiles.warps_n
    accumulators = rows * columns / WARP_LANES
    if not tiles.instruction.spreads_fragments:
        words = tiles.work.compute_bytes / 4
        return words * (accumulators + rows // 8 + columns // 4) + _FMA_FIXED
    found = _FIXED + _OF_ACCUMULATOR * accumulators + _OF_FRAGMENT * (rows + columns) / 4
    work = tiles.work
    if work.guarded and work.lhs_copy:
        copies = tiles.m * tiles.line_bytes / work.lhs_copy / (WARP_LANES * tiles.warps)
        found = found + _OF_GUARD + _OF_GUARDED_COPY * copies
    found = found + np.where(tiles.split > 1, _OF_SPLIT * accumulators, 0)
    return np.clip(found, _LEAST, _MOST)
