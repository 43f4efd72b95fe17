"""The main loop of a block whose warpgroups multiply what lies in shared memory, and go on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dlc.model.contraction.main_loop import STEP_INSTRUCTIONS, MainLoop
from dlc.model.contraction.overlap import Floats, slower

_OVERLAP = 8
"""How well hides what takes less: products, copies and the wait for a slice run at once."""
_OVERLAP_OF_TEAMS, _OVERLAP_OF_BLOCKS = 5, 4
"""The same where teams take turns, and where threads copy or other blocks are on the SM."""


@dataclass(frozen=True)
class ProductLoop(MainLoop):
    """What a step takes where no lane loads fragments, in clocks."""

    def step(self, resident: Floats) -> Floats:
        """Return the clocks of a step: the slowest of what blocks share, what one block does in
        order, and the arrival of slices. Where teams take turns in slices that tensor copies bring,
        others multiply meanwhile.
        """
        apart = self.tiles.takes_turns & (self.tiles.tensor > 0)
        own = np.where(apart, 0, self._own_clocks)
        return slower(_OVERLAP, resident * self._shared_clocks, own, self._waiting)

    @cached_property
    def _multiplying(self) -> Floats:
        """The clocks of the products; each has a start that few columns do not hide. Where all SMs
        multiply they are slower.
        """
        it, costs = self.tiles.instruction, self.arch.costs
        flops = it.flops / it.n * self.tiles.columns
        least = flops / self.arch.flops_per_clock_per_sm[it.unit]
        one = np.maximum(least, costs.product_clocks + costs.product_overlap * least)
        busy = np.minimum(1, self.tiles.blocks / self.arch.sm_count)
        loaded = 1 + (costs.product_loaded - 1) * busy
        return self.tiles.step_flops / flops * one * loaded

    @cached_property
    def _products(self) -> Floats:
        """The clocks of the products, which read shared memory as they go."""
        return slower(self._overlap, self._multiplying, self._moving)

    @cached_property
    def _issuing_products(self) -> Floats:
        return self.tiles.warps * STEP_INSTRUCTIONS / self.arch.issue_per_clock_per_sm

    @cached_property
    def _shared_clocks(self) -> Floats:
        """The clocks of a step that one block takes of what all blocks of an SM share."""
        return slower(self._overlap, self._products, self._issuing, self._supply.arriving)

    @property
    def _overlap(self) -> Floats:
        tiles = self.tiles
        blocks = np.where(tiles.walking > 0, tiles.walking, tiles.blocks)
        alone = (blocks <= self.arch.sm_count) & (tiles.tensor > 0)
        of_walk = np.where(tiles.takes_turns, _OVERLAP_OF_TEAMS, _OVERLAP)
        return np.where(alone, of_walk, _OVERLAP_OF_BLOCKS)

    @cached_property
    def _own_clocks(self) -> Floats:
        """The clocks of a step of one block alone. From three slices at a time on, products are
        under way while the next slice is waited for and copies are issued.
        """
        in_turn = self._products + self._between
        return np.where(self.tiles.stages > 2, slower(4, self._products, self._between), in_turn)

    @cached_property
    def _between(self) -> Floats:
        """The clocks of a step that are no products: wait, barrier, copies."""
        return (
            self.arch.costs.product_step_clocks + self._own_issuing + self._supply.through_registers
        )

    @cached_property
    def _waiting(self) -> Floats:
        """The clocks of a step in which slices are waited for: each takes that long from its copies
        on, and some are under way at a time. Producers bring one as soon as its slot is free.
        """
        stages, alone = self.tiles.stages, self.tiles.producers > 0
        ahead = np.where(alone | (stages <= 2), stages - 1, stages - 2)
        slice = self.arch.costs.slice_clocks + self._supply.latency
        return (slice + np.where(alone, 0, self._between)) / np.maximum(1, ahead)
