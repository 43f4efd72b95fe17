"""The main loop of a block whose warpgroups multiply what lies in shared memory, and go on."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dlc.model.contraction.main_loop import STEP_INSTRUCTIONS, MainLoop
from dlc.model.contraction.overlap import Floats, slower

_POWER = 3
"""Of what overlaps well: products, copies and the instructions that start them."""


@dataclass(frozen=True)
class ProductLoop(MainLoop):
    """What a step takes where no lane loads fragments, in clocks."""

    @cached_property
    def _multiplying(self) -> Floats:
        """The clocks of the products; each has a start that few columns do not hide."""
        it, costs = self.tiles.instruction, self.arch.costs
        least = it.flops / self.arch.flops_per_clock_per_sm[it.unit]
        one = max(least, costs.product_clocks + costs.product_overlap * least)
        return self.tiles.step_flops / it.flops * one

    @cached_property
    def _issuing(self) -> Floats:
        steps = self.tiles.warps * STEP_INSTRUCTIONS / self.arch.issue_per_clock_per_sm
        return steps + self._supply.staging

    @cached_property
    def _shared_clocks(self) -> Floats:
        """The clocks of a step that one block takes of what all blocks of an SM share: products
        read shared memory as they go.
        """
        return slower(_POWER, self._multiplying, self._moving, self._issuing, self._supply.arriving)

    @cached_property
    def _own_clocks(self) -> Floats:
        """The clocks of a step of one block alone. With two slices at a time the next one is
        brought under the products of a step, from three on those are under way over its end. The
        first slice is brought before there are products.
        """
        step = self.arch.costs.step_clocks
        products = slower(_POWER, self._multiplying, self._moving)
        bringing = self._issuing + self._supply.through_registers
        ways = (
            products + step + bringing,
            step + slower(_POWER, products, bringing) + bringing / self.tiles.steps,
            slower(_POWER, products, step + bringing) + bringing / self.tiles.steps,
        )
        return np.choose(np.clip(self.tiles.stages, 1, 3).astype(int) - 1, ways)
