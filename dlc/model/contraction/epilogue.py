"""The epilogue of a block: what is computed from its sums, and how they are stored."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import LINE_BYTES
from dlc.model.contraction.overlap import Floats
from dlc.model.contraction.tiles import EXCHANGE_RUN, Tiles

_EXCHANGE_BYTES = 64
"""What a warp stores to a row in the time of a piece, where its lanes are neighbours."""

_RUN_INSTRUCTIONS = 8
_NEIGHBOUR_INSTRUCTIONS = 2
"""Of a run of such neighbours (place, guard, load, store), and of each of them (conversion)."""


@dataclass(frozen=True)
class Epilogue:
    """What the end of a block takes, in clocks."""

    tiles: Tiles
    arch: GpuArch

    @cached_property
    def clocks(self) -> Floats:
        """The clocks of computing and storing the results of one block of ``split``."""
        tiles, costs, work = self.tiles, self.arch.costs, self.tiles.work
        single = 1.0 if work.together > 1 else costs.single_store
        row_bytes = tiles.n / tiles.warps_n * work.factor_bytes
        wide = np.where(row_bytes >= LINE_BYTES, costs.wide_row, 1.0)
        pieces = tiles.results / tiles.stored_beside
        stored = pieces * costs.store_clocks * single * wide
        stored = np.where(tiles.exchange > 0, self._exchange, stored)
        points = work.batch * work.m * work.n
        read = (
            tiles.results
            * work.read_bytes
            / points
            / (self.arch.l2_bytes_per_clock / self.arch.sm_count)
        )
        return (stored + read + self._computed) / tiles.split

    @property
    def _computed(self) -> Floats:
        """The clocks of the arithmetic. A team that finishes its tile while another one multiplies
        leaves its schedulers idle where few warps of it wait for their special functions.
        """
        tiles, schedulers = self.tiles, self.arch.issue_per_clock_per_sm
        beside = np.maximum(1.0, tiles.warps / schedulers)
        alone = 1 + (self.arch.costs.lone_warp_clocks - 1) / beside
        each = np.where(tiles.takes_turns, alone, 1.0)
        return tiles.results * tiles.work.operations / (schedulers * WARP_LANES) * each

    @property
    def _exchange(self) -> Floats:
        """The clocks of bringing a tile of sums through shared memory, and of storing its rows."""
        tiles, costs, arch, work = self.tiles, self.arch.costs, self.arch, self.tiles.work
        moved = 2 * tiles.m * tiles.n * work.compute_bytes / arch.shared_bytes_per_clock_per_sm
        run = min(EXCHANGE_RUN, work.together)
        instructions = tiles.results / run * (_RUN_INSTRUCTIONS + run * _NEIGHBOUR_INSTRUCTIONS)
        issued = instructions / (arch.issue_per_clock_per_sm * WARP_LANES)
        bytes = tiles.results * work.written_bytes / (work.batch * work.m * work.n)
        stored = bytes / _EXCHANGE_BYTES * costs.store_clocks
        return moved + issued + stored

    @property
    def sent_clocks(self) -> Floats:
        """The clocks of sending a block's sums to the blocks of a cluster that finish them."""
        tiles, arch = self.tiles, self.arch
        bytes = tiles.m * tiles.n * tiles.work.compute_bytes * (1 - 1 / tiles.split)
        return bytes / (arch.shared_bytes_per_clock_per_sm * arch.costs.remote_share)

    @property
    def part_clocks(self) -> Floats:
        """The clocks of writing or reading a block's partial sums."""
        return self.tiles.part_pieces * self.arch.costs.part_piece_clocks
