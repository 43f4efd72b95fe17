"""How slices of the factors come to the shared memory of a block."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import LINE_BYTES
from dlc.model.contraction.overlap import Floats, slower
from dlc.model.contraction.tiles import Tiles

_COPY_INSTRUCTIONS = 10
_GUARD_INSTRUCTIONS = 6
"""Of one asynchronous copy: two addresses, the copy; where it may be in the padding."""

_GUARDED_STEP_INSTRUCTIONS = 14
"""Of a warp in a step that finds a place of the reduction in an image. All of these are medians of
the machine code of 460 kernels for sm_90a.
"""

_CONVERSION_INSTRUCTIONS = 1
"""Of an element of a run that is loaded."""

_UNDER_LOADS = 4
"""Operations on an element of the lhs that are done while others are loaded: what
``staged_operation`` was fitted with.
"""

_ROUNDS_TOGETHER = 8
"""Elements that a thread brings one after the other without a loop."""

_BURST = 4
"""How well lines that an SM waits for hide that the L2 sends others."""

_PIECE_BYTES = 64
"""Of a line that come from the L2 together: convolutions in groups of 4 to 32 channels take as long
as if it were so.
"""


@dataclass(frozen=True)
class Supply:
    """What bringing a slice takes, in clocks."""

    tiles: Tiles
    arch: GpuArch

    @cached_property
    def latency(self) -> float:
        """The clocks until data arrive: of the L2, or of the memory where it holds not all."""
        arch, costs = self.arch, self.arch.costs
        if self.tiles.work.global_bytes > arch.l2_bytes:
            return costs.loaded_dram_latency * arch.dram_latency_s * arch.clock_hz
        return costs.loaded_l2_latency * arch.l2_latency_s * arch.clock_hz

    @cached_property
    def half_lines(self) -> Floats:
        """The cost of a byte, in units of one that is read in whole lines. Slices of all of the
        reduction lie one after the other.
        """
        is_short = (self.tiles.line_bytes < LINE_BYTES) & (self.tiles.depth < self.tiles.work.k)
        return np.where(is_short, self.arch.costs.half_line, 1.0)

    @property
    def l2_bytes_per_clock(self) -> float:
        """What the L2 gives an SM while all ask."""
        return self.arch.l2_bytes_per_clock / self.arch.sm_count

    @cached_property
    def arriving(self) -> Floats:
        """The clocks in which a slice comes from the L2, by whole pieces of lines; by tensor
        copies, by lines, of which those outside of the tensor, or partly, take longer, and not
        faster than the L2 sends to all that ask for everything at once.
        """
        tiles, costs = self.tiles, self.arch.costs
        lhs, rhs = tiles.loaded_bytes
        bytes = lhs * self._pieces + rhs
        arriving = bytes * self.half_lines / self.l2_bytes_per_clock
        partly = 1 + (costs.partly_outside_lines - 1) * tiles.partly_outside
        lines = (tiles.m + tiles.n) * partly + costs.outside_lines * tiles.outside
        bytes = (tiles.m + tiles.n / tiles.work.beside) * tiles.line_bytes
        burst = bytes * self._asking / (costs.l2_burst * self.arch.l2_bytes_per_clock)
        together = slower(_BURST, lines * costs.tensor_line_clocks, burst)
        return np.where(tiles.tensor > 0, together, arriving)

    @property
    def _asking(self) -> Floats:
        """The SMs that ask the L2 for all of their slices before the first has come: of blocks that
        make one tile each, and hold the whole reduction.
        """
        tiles = self.tiles
        at_once = (tiles.blocks <= self.arch.sm_count) & (tiles.steps <= tiles.stages)
        return np.where(at_once, tiles.blocks, 0)

    @property
    def _pieces(self) -> float:
        """The cost of a byte of the lhs whose neighbours in its piece are not asked for."""
        piece = self.tiles.work.lhs_piece
        return max(1.0, _PIECE_BYTES / piece) if piece else 1.0

    @cached_property
    def staging(self) -> Floats:
        """The clocks in which the instructions that bring a slice are issued."""
        tiles, work, costs = self.tiles, self.tiles.work, self.arch.costs
        lhs, rhs = tiles.single_elements()
        computing = max(
            work.lhs_operations, costs.staged_operation * (work.lhs_operations - _UNDER_LOADS)
        )
        of_lhs = work.lhs_reads * _of_run(self._element_instructions, work.lhs_run) + computing
        of_rhs = _of_run(costs.plain_element_instructions, work.rhs_run)
        thread = lhs * of_lhs + rhs * of_rhs
        lhs_copies, rhs_copies = tiles.copies()
        thread = thread + (lhs_copies + rhs_copies) * _COPY_INSTRUCTIONS
        if work.guarded:
            thread = thread + lhs_copies * _GUARD_INSTRUCTIONS + _GUARDED_STEP_INSTRUCTIONS
        return tiles.bringing * thread / self.arch.issue_per_clock_per_sm

    @property
    def _element_instructions(self) -> Floats:
        """The instructions for one element, or run, of the lhs: its row is found anew unless those
        that a thread brings one after the other are in the same line of the image, and for runs
        only where it may be in the padding.
        """
        tiles, costs = self.tiles, self.arch.costs
        if tiles.work.lhs_run > 1 and not tiles.work.guarded:
            return 0 * tiles.m + costs.plain_element_instructions
        rows = _ROUNDS_TOGETHER * np.ceil(WARP_LANES * tiles.bringing / tiles.depth)
        in_line = tiles.work.row_loop % rows == 0
        return np.where(in_line, costs.plain_element_instructions, costs.element_instructions)

    @cached_property
    def waiting(self) -> Floats:
        """The clocks of a step in which asynchronous copies are waited for: once for as many slices
        as are under way, the first ones left out.
        """
        tiles = self.tiles
        rounds = np.ceil(tiles.steps / np.maximum(1, tiles.stages - 1)) - 1
        waiting = self.latency * np.maximum(0, rounds) / tiles.steps
        return np.where(sum(tiles.single_elements()) > 0, 0, waiting)

    @cached_property
    def through_registers(self) -> Floats:
        """The clocks of a step in which a thread waits for elements that go through its registers,
        and where there is one stage, for all: nothing runs meanwhile.
        """
        tiles, costs = self.tiles, self.arch.costs
        lhs, rhs = tiles.single_elements()
        work = tiles.work
        single = lhs * work.lhs_reads / work.lhs_run + rhs / work.rhs_run
        latency = costs.run_stage_clocks if work.lhs_run > 1 else costs.register_stage_clocks
        loading = latency + single * costs.element_clocks
        arrival = np.where(tiles.stages == 1, self.latency, 0)
        return np.where(single > 0, loading, 0) + arrival


def _of_run(instructions: Floats | float, run: int) -> Floats | float:
    """Return the instructions for each of ``run`` elements that are found and moved together."""
    return instructions / run + (_CONVERSION_INSTRUCTIONS if run > 1 else 0)
