"""The main loop of a block whose lanes multiply and add, each for itself."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dlc.model.contraction.main_loop import MainLoop
from dlc.model.contraction.overlap import Floats, slower

_LOAD_BYTES = 512
"""What one instruction of a warp loads from shared memory: 16 bytes a lane. Its place is a constant
beside that of the slice.
"""

_SAME = 0.5
"""Cost of loads in which neighbouring lanes ask for the same 16 bytes, in units of others: half a
warp is served at once, else a quarter.
"""

_ARRIVAL = 4
"""How well a slice arrives under the work of all blocks."""

_STEP_INSTRUCTIONS = 20
_RING_INSTRUCTIONS = 25
"""Of a warp in a step beside these and multiply-adds, and how many more where slices have more than
two places: with two, two steps are written out one after the other, so that places are constants.
Both from the machine code of nine kernels for sm_90a.
"""

_OVERLAP = 2.2
"""How well multiply-adds of some warps hide the loads of others."""

_NOT_AHEAD = 0.55
"""The part of its loads that a warp waits for which has a scheduler for itself."""

_WAYS = 5
"""How well hides what takes less: the work of all blocks, of one, and the wait for a slice. This,
``_OVERLAP`` and ``_NOT_AHEAD`` were fitted to 488 schedules of 15 products in fp32
(``contraction-space-7-h200.jsonl.gz`` and the fp32 ones of ``products-2-h200.jsonl.gz``).
"""


@dataclass(frozen=True)
class LaneLoop(MainLoop):
    """What a step takes where multiply-adds are instructions as loads are, in clocks."""

    def step(self, resident: Floats) -> Floats:
        """Return the clocks of a step: the slowest of what several blocks do together, what one
        does in order, and the arrival of a slice; then what the ring of slices costs.
        """
        work = np.where(resident > 1, slower(_OVERLAP, self._issuing, self._moving), 0)
        shared = resident * slower(_ARRIVAL, work, self._supply.arriving)
        return slower(_WAYS, shared, self._own_clocks, self._supply.waiting)

    @cached_property
    def _moving(self) -> Floats:
        """The clocks of shared memory, less what neighbouring lanes get together."""
        lhs, _ = self.tiles.read_by_factor
        together = (1 - _SAME) * lhs if self.tiles.instruction.lhs_readers > 1 else 0 * lhs
        return super()._moving - together / self.arch.shared_bytes_per_clock_per_sm

    @cached_property
    def _issuing_products(self) -> Floats:
        tiles, schedulers = self.tiles, self.arch.issue_per_clock_per_sm
        multiply = tiles.step_flops / tiles.instruction.flops / schedulers
        each = _STEP_INSTRUCTIONS + np.where(tiles.stages > 2, _RING_INSTRUCTIONS, 0)
        others = tiles.read_bytes / _LOAD_BYTES + tiles.warps * each
        return np.maximum(multiply, self._multiplying) + others / schedulers

    @property
    def _working(self) -> Floats:
        """The clocks of a block's warps. Where a scheduler has one of them, some of its loads and
        its multiply-adds follow each other.
        """
        beside = self.tiles.warps / self.arch.issue_per_clock_per_sm
        alone = self._own_issuing / np.minimum(1, beside) + _NOT_AHEAD * self._moving
        both = slower(_OVERLAP, self._own_issuing, self._moving)
        return np.where(beside > 1, both, alone)
