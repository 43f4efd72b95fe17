"""Tilings of a contraction: what their blocks have, move and do, counted."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from dlc.arch.fragments import ROW_LANES, WARP_LANES
from dlc.arch.instruction import Instruction
from dlc.model.contraction.overlap import Floats
from dlc.model.contraction.work import Contraction

EXCHANGE_MARGIN = 8
"""Elements between two rows of a tile of sums in shared memory: threads that write fragments, pairs
in 8 rows, are then in different banks.
"""

PART_PIECE_BYTES = 32
"""Of partial sums in global memory that come or go together: a sector."""

EXCHANGE_RUN = 4
"""Neighbours of a row that a thread takes from there at once, at most: 16 bytes of sums in 32 bits,
which a warp reads without bank conflicts.
"""


class TileNumbers(NamedTuple):
    """What a schedule says of one tiling.

    m, n, depth: of a block's tile and of a slice of the reduction. warps_m, warps_n: that multiply
    a tile, as a grid over it. columns: of the instruction; the others of its family differ in them
    only. stages: slices at a time. split: parts of the reduction. interleave: instructions whose
    columns take turns. exchange: 1 where sums change threads before they are stored, else 0.
    producers: warps that bring slices beside those that multiply, 0 where these bring them.
    walking: blocks that walk over tiles, 0 where each has one. tensor: 1 where one thread brings a
    slice by tensor copies, else 0. turns: teams of warps that have tiles of their own. kept:
    registers of a thread that multiplies, where others give theirs to it; 0 where they do not.
    row_blocks: blocks of a cluster that have the columns of the same rows.
    """

    m: int
    n: int
    depth: int
    warps_m: int
    warps_n: int
    columns: int
    stages: int = 1
    split: int = 1
    interleave: int = 1
    exchange: int = 0
    producers: int = 0
    walking: int = 0
    tensor: int = 0
    turns: int = 1
    kept: int = 0
    row_blocks: int = 1


@dataclass(frozen=True)
class Tiles:
    """Tilings of one contraction: the ``TileNumbers`` as arrays, an element for each."""

    work: Contraction
    instruction: Instruction
    m: Floats
    n: Floats
    depth: Floats
    warps_m: Floats
    warps_n: Floats
    stages: Floats
    split: Floats
    interleave: Floats
    exchange: Floats
    producers: Floats
    walking: Floats
    tensor: Floats
    turns: Floats
    columns: Floats
    kept: Floats
    row_blocks: Floats

    @staticmethod
    def of(
        work: Contraction,
        instruction: Instruction,
        numbers: Sequence[TileNumbers] | Floats,
    ) -> "Tiles":
        """Return tilings of a contraction by instructions of one family."""
        if instruction.cuts_factors:
            work = work.through_registers()
        arrays = np.asarray(numbers, np.float64).T
        return Tiles(work, instruction, **dict(zip(TileNumbers._fields, arrays, strict=True)))

    # Counts ---------------------------------------------------------------------------------------

    @cached_property
    def warps(self) -> Floats:
        """The warps of a block that multiply a tile."""
        return self.warps_m * self.warps_n

    @cached_property
    def bringing(self) -> Floats:
        """The warps of a block that bring slices."""
        return np.where(self.producers > 0, self.producers, self.warps)

    @cached_property
    def grid(self) -> tuple[Floats, Floats]:
        """The rows and columns of tiles in the result."""
        return np.ceil(self.work.m / self.m), np.ceil(self.work.n / self.n)

    @cached_property
    def blocks(self) -> Floats:
        """The blocks, as many as tiles and parts of them where each has one."""
        return self.grid[0] * self.grid[1] * self.work.batch * self.split

    @cached_property
    def takes_turns(self) -> npt.NDArray[np.bool_]:
        """Whether teams of a block have tiles in turns: of one tile, one team makes it all."""
        return (self.turns > 1) & (self.blocks > self.walking)

    @cached_property
    def steps(self) -> Floats:
        """The slices of one block."""
        return np.ceil(np.ceil(self.work.k / self.depth) / self.split)

    @cached_property
    def line_bytes(self) -> Floats:
        """The bytes of a line of a slice."""
        return self.depth * self.work.factor_bytes

    @cached_property
    def slice_bytes(self) -> Floats:
        """The bytes of a slice of both factors in shared memory."""
        return (self.m + self.n / self.work.beside) * self.line_bytes

    @cached_property
    def exchange_bytes(self) -> Floats:
        """The bytes of sums in shared memory: of a tile, or of a strip of it at a time where a
        warpgroup has all of its rows.
        """
        is_alone = self.instruction.is_asynchronous & (self.warps_m == self.instruction.warps)
        rows = np.where(is_alone & ~self.meets_in_cluster, self.instruction.m, self.m)
        return self.exchange * rows * (self.n + EXCHANGE_MARGIN) * self.work.compute_bytes

    @cached_property
    def shared_bytes(self) -> Floats:
        """The bytes of shared memory of a block: of slices, then of sums; of both where producers
        bring slices while sums are exchanged, or other blocks send sums.
        """
        slices, sums = self.stages * self.slice_bytes, self.exchange_bytes
        together = slices + self.turns * sums
        at_once = (self.producers > 0) | self.meets_in_cluster
        return np.where(at_once, together, np.maximum(slices, sums)) + self.row_total_bytes

    @cached_property
    def row_total_bytes(self) -> Floats:
        """The bytes of shared memory for totals of rows, and for their parts."""
        parts = self.row_blocks * self.warps_n
        return self.work.row_totals * (parts + 1) * self.m * self.work.compute_bytes

    @cached_property
    def cluster(self) -> Floats:
        """The blocks of a cluster: those with parts of a sum, or of a row."""
        return np.where(self.meets_in_cluster, self.split, self.row_blocks)

    @cached_property
    def meets_in_cluster(self) -> npt.NDArray[np.bool_]:
        """Whether the parts of a sum meet in the shared memory of a cluster."""
        return (self.split > 1) & (self.exchange > 0)

    @cached_property
    def meets_in_scratch(self) -> npt.NDArray[np.bool_]:
        """Whether the parts of a sum meet in global memory."""
        return (self.split > 1) & (self.exchange == 0)

    @cached_property
    def read_bytes(self) -> Floats:
        """The bytes that the lanes of a block get from shared memory in one step, or instructions
        that read there themselves.
        """
        lhs, rhs = self.read_by_factor
        return lhs + rhs

    @cached_property
    def read_by_factor(self) -> tuple[Floats, Floats]:
        """The same of each factor."""
        across, down = self.warps_n, self.warps_m
        if self.instruction.is_asynchronous:
            across = self.n / self.work.beside / self.columns
            down = self.m / self.instruction.m
        lhs = self.m * across * self.instruction.lhs_readers
        rhs = self.n * down * self.instruction.rhs_readers / self.work.beside
        return lhs * self.line_bytes, rhs * self.line_bytes

    @cached_property
    def step_flops(self) -> Floats:
        """The operations of one block in one step."""
        return 2.0 * self.m * self.n * self.depth / self.work.beside

    @cached_property
    def loaded_bytes(self) -> tuple[Floats, Floats]:
        """The bytes of each factor that a block asks of the L2 for a slice."""
        rows, columns = np.minimum(self.m, self.work.m), np.minimum(self.n, self.work.n)
        return rows * self.line_bytes, columns / self.work.beside * self.line_bytes

    @cached_property
    def outside(self) -> Floats:
        """The columns of a tile that the result has not, in the mean over its tiles."""
        columns = self.grid[1]
        return self.n - self.work.n / columns

    @cached_property
    def partly_outside(self) -> Floats:
        """The slices whose lines end outside of the reduction, in the mean over its slices."""
        return (self.work.k % self.depth > 0) / np.ceil(self.work.k / self.depth)

    @cached_property
    def results(self) -> Floats:
        """The results that a block stores."""
        return np.minimum(self.m, self.work.m) * np.minimum(self.n, self.work.n)

    @cached_property
    def stored_beside(self) -> Floats:
        """The results of a row that the lanes of a warp store at once; what each of them stores for
        itself is counted as pairs at least.
        """
        held = self.interleave * self._pairs
        together = np.maximum(self._pairs, np.minimum(held, self.work.together))
        return self._lanes_of_row * together

    @cached_property
    def part_pieces(self) -> Floats:
        """The pieces of 32 bytes in which a block's partial sums are written or read: they lie in
        the order of its threads, whatever these hold.
        """
        return self.m * self.n * self.work.compute_bytes / PART_PIECE_BYTES

    @property
    def _pairs(self) -> int:
        """The neighbours of a row that a lane holds of the sum of one instruction."""
        place = self.instruction.c.place
        return 1 if place is None else place.pack

    @property
    def _lanes_of_row(self) -> int:
        """The lanes of a warp that stand over one row of the sum."""
        return self.instruction.lanes[1] if self.instruction.c.place is None else ROW_LANES

    def single_elements(self) -> tuple[Floats, Floats]:
        """Return the elements of each factor's slice that a thread brings through registers."""
        lhs = np.minimum(self.m, self.work.m) * (self.work.lhs_copy == 0)
        rhs = self.n / self.work.beside * (self.work.rhs_copy == 0)
        each = (1 - self.tensor) * self.depth / (WARP_LANES * self.bringing)
        return lhs * each, rhs * each

    def copies(self) -> tuple[Floats, Floats]:
        """Return the asynchronous copies of a thread for a slice of each factor."""
        work, bytes = self.work, (1 - self.tensor) * self.line_bytes
        each = bytes / (WARP_LANES * self.bringing)
        lhs = self.m / work.lhs_copy if work.lhs_copy else 0 * self.m
        rhs = self.n / work.beside / work.rhs_copy if work.rhs_copy else 0 * self.n
        return lhs * each, rhs * each
