"""How long a contraction in tiles probably takes on a GPU, for many tilings at once.

The whole kernel counts: the first slice, the main loop, the meeting of partial sums, the stores,
and the rounds of blocks that an SM runs one after the other. Quantities of one block are counted
from the code that is generated; how they overlap is measured (``dlc.arch.gpu_costs``).
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import WARPGROUP_WARPS
from dlc.model.contraction.epilogue import Epilogue
from dlc.model.contraction.lanes import LaneLoop
from dlc.model.contraction.main_loop import MainLoop
from dlc.model.contraction.overlap import Floats, slower
from dlc.model.contraction.products import ProductLoop
from dlc.model.contraction.supply import Supply
from dlc.model.contraction.tiles import Tiles
from dlc.model.occupancy import resident_blocks
from dlc.model.registers import registers, spills


def residents(tiles: Tiles, arch: GpuArch) -> Floats:
    """Return how many blocks an SM holds at a time, 0 where not one fits without spills."""
    threads = (tiles.warps * tiles.turns + tiles.producers) * WARP_LANES
    fits = resident_blocks(threads, registers(tiles), tiles.shared_bytes, arch)
    return np.where(spills(tiles), 0, fits)


def estimate_s(tiles: Tiles, arch: GpuArch) -> Floats:
    """Return the seconds that each tiling probably takes; infinite where a block does not fit."""
    fits = residents(tiles, arch)
    seconds = _Estimate(tiles, arch, np.maximum(fits, 1)).seconds()
    return np.where(fits > 0, seconds, np.inf)


@dataclass(frozen=True)
class _Estimate:
    """The times of a block's parts, in clocks. fits: blocks that an SM can hold at a time."""

    tiles: Tiles
    arch: GpuArch
    fits: Floats

    def seconds(self) -> Floats:
        """Return launch and the slower of the SMs' rounds, the memory and the starts of blocks."""
        costs, arch = self.arch.costs, self.arch
        work = self.tiles.work
        factors = (work.lhs_bytes + work.rhs_bytes) * self._supply.half_lines
        bytes = factors + work.read_bytes + work.written_bytes
        memory_s = bytes / (arch.dram_bytes_per_s * costs.dram_efficiency)
        stores_s = work.written_bytes / (arch.dram_bytes_per_s * costs.dram_store_efficiency)
        walks = self.tiles.walking > 0
        starts = np.where(walks, self.fits, self.tiles.blocks / arch.sm_count) * costs.block_clocks
        clocks = np.where(walks, self._walk(), self._rounds()) if walks.any() else self._rounds()
        rounds_s, starts_s = clocks / arch.clock_hz, starts / arch.clock_hz
        return costs.start_us * 1e-6 + slower(4, rounds_s, memory_s, stores_s, starts_s)

    def _walk(self) -> Floats:
        """Return the clocks of blocks that walk over tiles: the first slice of a tile arrives under
        the end of the one before. Teams that take turns finish a tile while the next is multiplied.
        """
        tiles, sms = self.tiles, self.arch.sm_count
        walking = np.clip(tiles.walking, 1, np.minimum(tiles.blocks, sms * self.fits))
        resident = np.ceil(walking / sms)
        loop = tiles.steps * self._loop.step(resident)
        end = resident * self._epilogue.clocks
        takes_turns = tiles.takes_turns
        meeting = self.arch.costs.turn_clocks * tiles.warps / WARPGROUP_WARPS
        turn = np.maximum(loop + meeting, (loop + end) / tiles.turns)
        start = self._supply.latency + self.arch.costs.setup_clocks + np.where(takes_turns, end, 0)
        tile = np.where(takes_turns, turn, loop + end)
        return start + np.ceil(tiles.blocks / walking) * tile

    def _rounds(self) -> Floats:
        """Return the rounds of all blocks, as many at a time as fit, and the last, smaller one.

        The last block of a tile adds all parts up.
        """
        tiles, sms, costs = self.tiles, self._sms, self.arch.costs
        each = np.ceil(tiles.blocks / sms)
        resident = np.minimum(self.fits, each)
        steady = np.clip(each / resident - 1, 0, 1)
        whole = np.floor(tiles.blocks / (sms * resident))
        rest = tiles.blocks - whole * sms * resident
        last = np.where(rest > 0, self._round(np.maximum(1, np.ceil(rest / sms)), steady), 0)
        parts = tiles.split * (costs.part_clocks + self._epilogue.part_clocks)
        added = np.where(tiles.meets_in_scratch, parts, 0)
        return whole * self._round(resident, steady) + last + added

    def _round(self, resident: Floats, steady: Floats) -> Floats:
        """Return the clocks of ``resident`` blocks that share an SM.

        steady: 1 where blocks follow others, so that one's first slice arrives under another's
        work; 0 where all start together.
        """
        tiles, costs = self.tiles, self.arch.costs
        first = self._supply.latency + costs.setup_clocks
        first = first * (1 - steady * (1 - 1 / resident))
        epilogue = self._meeting(resident) + resident * self._epilogue.clocks
        return first + tiles.steps * self._loop.step(resident) + epilogue

    def _meeting(self, resident: Floats) -> Floats:
        """Return the clocks until the parts of a sum are where they are added."""
        tiles, costs, epilogue = self.tiles, self.arch.costs, self._epilogue
        in_scratch = costs.meeting_clocks + 2 * resident * epilogue.part_clocks
        in_cluster = costs.cluster_clocks + resident * epilogue.sent_clocks
        apart = np.where(tiles.meets_in_scratch, in_scratch, 0)
        return np.where(tiles.meets_in_cluster, in_cluster, apart) + self._totalling

    @property
    def _totalling(self) -> Floats:
        """The clocks of the totals of rows, each of which blocks or warps wait for."""
        costs = self.arch.costs
        in_cluster = self.tiles.row_blocks > 1
        each = np.where(in_cluster, costs.row_cluster_clocks, costs.row_total_clocks)
        return self.tiles.work.row_totals * each

    @cached_property
    def _sms(self) -> Floats:
        """The SMs that blocks reach."""
        sms, tiles = np.full_like(self.tiles.split, self.arch.sm_count), self.tiles
        for blocks, reached in self.arch.cluster_sms.items():
            sms = np.where(tiles.cluster == blocks, reached, sms)
        return sms

    @cached_property
    def _supply(self) -> Supply:
        return Supply(self.tiles, self.arch)

    @cached_property
    def _loop(self) -> MainLoop:
        instruction = self.tiles.instruction
        if instruction.is_asynchronous:
            return ProductLoop(self.tiles, self.arch)
        loop = MainLoop if instruction.spreads_fragments else LaneLoop
        return loop(self.tiles, self.arch)

    @cached_property
    def _epilogue(self) -> Epilogue:
        return Epilogue(self.tiles, self.arch)
