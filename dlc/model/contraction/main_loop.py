"""The main loop of a block: a step multiplies a slice while others come."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.model.contraction.overlap import Floats, slower
from dlc.model.contraction.supply import Supply
from dlc.model.contraction.tiles import Tiles

_FRAGMENT_INSTRUCTIONS = 3
"""Of a load of 16 bytes a lane from shared memory: its place, of which the swizzle is a part."""

STEP_INSTRUCTIONS = 22
"""Of a warp in a step of the main loop beside these and multiply-adds. Both are medians of the
machine code of 460 kernels for sm_90a.
"""

_ROUNDING_INSTRUCTIONS = 2
"""Of a register of factors whose last bits the hardware would cut off: conversions are issued at
half the rate (CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions").
"""

_FRAGMENT_BYTES = 512
"""What one instruction of a warp loads from shared memory: 16 bytes a lane."""


@dataclass(frozen=True)
class MainLoop:
    """What a step takes, in clocks, where the lanes of a warp hold fragments for each other. Loops
    of other instructions derive from it, and say what differs.
    """

    tiles: Tiles
    arch: GpuArch

    def step(self, resident: Floats) -> Floats:
        """Return the clocks of a step: the slowest of what blocks share, what one block does in
        order, and the arrival of a slice; then what the ring of slices costs.
        """
        work = slower(3, resident * self._shared_clocks, self._own_clocks, self._supply.waiting)
        return work + self._ring_clocks

    @cached_property
    def _supply(self) -> Supply:
        return Supply(self.tiles, self.arch)

    @property
    def _ring_clocks(self) -> Floats:
        """The clocks in which the slices under way do not hide that one comes late, and those of
        the remainder that says where a slice is, for which all of a warp waits.
        """
        stages, costs = self.tiles.stages, self.arch.costs
        late = costs.late_slice_clocks / np.maximum(1, stages - 1)
        is_power = np.log2(stages) == np.floor(np.log2(stages))
        return late + np.where(is_power, 0, costs.remainder_clocks)

    @cached_property
    def _multiplying(self) -> Floats:
        rate = self.arch.flops_per_clock_per_sm[self.tiles.instruction.unit]
        return self.tiles.step_flops / rate

    @cached_property
    def _moving(self) -> Floats:
        """The clocks of shared memory: every fragment read, every slice written."""
        tiles = self.tiles
        moved = (tiles.read_bytes + tiles.slice_bytes) / self.arch.shared_bytes_per_clock_per_sm
        return moved + sum(tiles.copies()) * tiles.bringing * self.arch.costs.copy_clocks

    @cached_property
    def _issuing(self) -> Floats:
        """The clocks in which instructions of a block's warps are issued."""
        return self._issuing_products + self._supply.staging

    @cached_property
    def _own_issuing(self) -> Floats:
        """Those of the warps that multiply."""
        staging = np.where(self.tiles.producers > 0, 0, self._supply.staging)
        return self._issuing_products + staging

    @cached_property
    def _issuing_products(self) -> Floats:
        tiles = self.tiles
        work, multiply = tiles.work, tiles.step_flops / tiles.instruction.flops
        fragments = _FRAGMENT_INSTRUCTIONS * tiles.read_bytes / _FRAGMENT_BYTES
        rounding = _ROUNDING_INSTRUCTIONS * tiles.read_bytes / work.factor_bytes / WARP_LANES
        if not tiles.instruction.ignored_bits:
            rounding = 0 * rounding
        instructions = multiply + fragments + rounding + tiles.warps * STEP_INSTRUCTIONS
        return instructions / self.arch.issue_per_clock_per_sm

    @cached_property
    def _shared_clocks(self) -> Floats:
        """The clocks of a step that one block takes of what all blocks of an SM share."""
        return slower(
            4, slower(2, self._multiplying, self._moving), self._issuing, self._supply.arriving
        )

    @cached_property
    def _own_clocks(self) -> Floats:
        """The clocks of a step of one block alone."""
        return self.arch.costs.step_clocks + self._working + self._supply.through_registers

    @property
    def _working(self) -> Floats:
        """The clocks of a block's warps. Where a scheduler has one of them, its loads and its
        products follow each other.
        """
        tiles, costs = self.tiles, self.arch.costs
        schedulers = self.arch.issue_per_clock_per_sm
        busy = np.minimum(1, tiles.warps / schedulers)
        ahead = (tiles.stages % 2 == 1) | (tiles.split > 1)
        one = self._multiplying / busy + self._moving
        one = one * np.where(ahead, costs.fragments_ahead, 1.0)
        both = slower(2, self._multiplying, self._moving)
        return np.where(tiles.warps > schedulers, both, one) + self._own_issuing
