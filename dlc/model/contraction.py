"""How long a contraction in tiles probably takes on a GPU, for many tilings at once.

The whole kernel counts: the first slice, the main loop, the meeting of partial sums, the stores,
and the rounds of blocks that an SM runs one after the other. Quantities of one block are counted
from the code that is generated; how they overlap is measured (``dlc.arch.gpu_costs``).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import Instruction
from dlc.model.occupancy import resident_blocks
from dlc.model.registers import registers

Floats = npt.NDArray[np.float64]

_COPY_INSTRUCTIONS = 10
_GUARD_INSTRUCTIONS = 6
"""Of one asynchronous copy: two addresses, the copy; where it may be in the padding."""

_FRAGMENT_INSTRUCTIONS = 3
"""Of a load of 16 bytes a lane from shared memory: its place, of which the swizzle is a part."""

_STEP_INSTRUCTIONS = 22
_GUARDED_STEP_INSTRUCTIONS = 14
"""Of a warp in a step of the main loop beside these and multiply-adds; more where it finds a place
of the reduction in an image. All of these are medians of the machine code of 460 kernels for
sm_90a.
"""

_ROUNDING_INSTRUCTIONS = 2
"""Of a register of factors whose last bits the hardware would cut off: conversions are issued at
half the rate (CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions").
"""

_LANES_OF_ROW = 4
"""Of a warp, over a row of the sum of an ``mma``: PTX ISA, "Matrix multiply-accumulate"."""

_ROUNDS_TOGETHER = 8
"""Elements that a thread brings one after the other without a loop."""

_LINE_BYTES = 128
"""Bytes of a line of the caches, and what a warp's wide load takes of one row at least."""

_FRAGMENT_BYTES = 512
"""What one instruction of a warp loads from shared memory: 16 bytes a lane."""

EXCHANGE_MARGIN = 8
"""Elements between two rows of a tile of sums in shared memory: threads that write fragments, pairs
in 8 rows, are then in different banks.
"""

_EXCHANGE_BYTES = 64
"""What a warp stores to a row in the time of a piece, where its lanes are neighbours."""

_EXCHANGE_RUN = 4
"""Neighbours of a row that a thread takes from shared memory at once."""

_RUN_INSTRUCTIONS = 8
_NEIGHBOUR_INSTRUCTIONS = 2
"""Of a run of such neighbours (place, guard, load, store), and of each of them (conversion)."""


@dataclass(frozen=True)
class Contraction:
    """What a contraction does, whatever the chip and the schedule.

    row_loop: the innermost loop of the rows (a convolution's last image axis).
    element: the factors' type as units name it (``f16``, ``tf32``). compute: that of sums.
    factor_bytes, compute_bytes: of one element of the factors and of an accumulator. lhs_bytes,
    rhs_bytes: what is read of the factors at least. read_bytes, written_bytes: by the epilogue.
    lhs_copy, rhs_copy: bytes of one asynchronous copy of a factor; 0 where its elements go through
    registers. guarded: whether an element of the lhs may be in the padding.
    lhs_reads: elements that are read for one of the lhs that goes through registers.
    lhs_operations, operations: scalar operations, in units of an addition, for one element of the
    lhs, and of the result beside its sum. together: neighbouring columns that lie together in all
    results, aligned. rhs_along_k: whether lines of the staged rhs are along the reduction.
    lhs_inside: whether the lhs is computed in the kernel. adjacent: whether neighbouring columns
    are neighbours in memory in all results.
    """

    batch: int
    m: int
    n: int
    k: int
    row_loop: int
    element: str
    factor_bytes: int
    compute_bytes: int
    lhs_bytes: int
    rhs_bytes: int
    read_bytes: int
    written_bytes: int
    lhs_copy: int = 16
    rhs_copy: int = 16
    guarded: bool = False
    lhs_reads: int = 1
    lhs_operations: float = 0.0
    operations: float = 0.0
    together: int = 8
    rhs_along_k: bool = True
    compute: str = "f32"
    lhs_inside: bool = False
    adjacent: bool = True

    @property
    def flops(self) -> float:
        """The operations of the result."""
        return 2.0 * self.batch * self.m * self.n * self.k

    @property
    def global_bytes(self) -> int:
        """What crosses the global memory at least."""
        return self.lhs_bytes + self.rhs_bytes + self.read_bytes + self.written_bytes


@dataclass(frozen=True)
class Tiles:
    """Tilings of one contraction: arrays of equal length, an element for each.

    m, n, depth: of a block's tile and of a slice of the reduction. grouped: tile rows that run
    together, 0 where tiles run row by row. interleave: instructions whose columns take turns.
    exchange: 1 where sums change threads before they are stored, else 0.
    """

    work: Contraction
    instruction: Instruction
    m: Floats
    n: Floats
    depth: Floats
    warps_m: Floats
    warps_n: Floats
    stages: Floats
    split: Floats
    grouped: Floats
    interleave: Floats
    exchange: Floats

    @staticmethod
    def of(
        work: Contraction,
        instruction: Instruction,
        rows: Sequence[Sequence[int]],
    ) -> "Tiles":
        """Return tilings, of which a row says the ten numbers in the order of the fields."""
        columns = np.array(rows, np.float64).T
        m, n, depth, warps_m, warps_n, stages, split, grouped, interleave, exchange = columns
        sizes = m, n, depth, warps_m, warps_n
        return Tiles(work, instruction, *sizes, stages, split, grouped, interleave, exchange)

    # Counts ---------------------------------------------------------------------------------------

    @cached_property
    def warps(self) -> Floats:
        """The warps of a block."""
        return self.warps_m * self.warps_n

    @cached_property
    def grid(self) -> tuple[Floats, Floats]:
        """The rows and columns of tiles in the result."""
        return np.ceil(self.work.m / self.m), np.ceil(self.work.n / self.n)

    @cached_property
    def blocks(self) -> Floats:
        """The blocks that have a tile."""
        return self.grid[0] * self.grid[1] * self.work.batch * self.split

    @cached_property
    def launched(self) -> Floats:
        """All blocks; the last group of rows may have some without a tile."""
        rows, columns = self.grid
        together = np.where(columns > 1, np.maximum(self.grouped, 1), 1)
        rows = np.ceil(rows / together) * together
        return rows * columns * self.work.batch * self.split

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
        return (self.m + self.n) * self.line_bytes

    @cached_property
    def exchange_bytes(self) -> Floats:
        """The bytes of a tile of sums in shared memory."""
        return self.exchange * self.m * (self.n + EXCHANGE_MARGIN) * self.work.compute_bytes

    @cached_property
    def shared_bytes(self) -> Floats:
        """The bytes of shared memory of a block: of slices, then of sums."""
        return np.maximum(self.stages * self.slice_bytes, self.exchange_bytes)

    @cached_property
    def read_bytes(self) -> Floats:
        """The bytes that the lanes of a block get from shared memory in one step."""
        lhs = self.m * self.warps_n * self.instruction.lhs_readers
        rhs = self.n * self.warps_m * self.instruction.rhs_readers
        return (lhs + rhs) * self.line_bytes

    @cached_property
    def step_flops(self) -> Floats:
        """The operations of one block in one step."""
        return 2.0 * self.m * self.n * self.depth

    @cached_property
    def loaded_bytes(self) -> Floats:
        """The bytes of both factors that a block asks of the L2 for a slice."""
        rows, columns = np.minimum(self.m, self.work.m), np.minimum(self.n, self.work.n)
        return (rows + columns) * self.line_bytes

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
        """The pieces of rows in which the warps of a block write or read its partial sums."""
        return self.m * self.n / (self._lanes_of_row * self._pairs)

    @property
    def _pairs(self) -> int:
        """The neighbours of a row that a lane holds of the sum of one instruction."""
        place = self.instruction.c.place
        return 1 if place is None else place.pack

    @property
    def _lanes_of_row(self) -> int:
        """The lanes of a warp that stand over one row of the sum."""
        return self.instruction.lanes[1] if self.instruction.c.place is None else _LANES_OF_ROW

    def single_elements(self) -> tuple[Floats, Floats]:
        """Return the elements of each factor's slice that a thread brings through registers."""
        lhs = np.minimum(self.m, self.work.m) * (self.work.lhs_copy == 0)
        rhs = self.n * (self.work.rhs_copy == 0)
        each = self.depth / (WARP_LANES * self.warps)
        return lhs * each, rhs * each

    def copies(self) -> tuple[Floats, Floats]:
        """Return the asynchronous copies of a thread for a slice of each factor."""
        work, each = self.work, self.line_bytes / (WARP_LANES * self.warps)
        lhs = self.m / work.lhs_copy if work.lhs_copy else 0 * self.m
        rhs = self.n / work.rhs_copy if work.rhs_copy else 0 * self.n
        return lhs * each, rhs * each


def residents(tiles: Tiles, arch: GpuArch) -> Floats:
    """Return how many blocks an SM holds at a time, 0 where not one fits."""
    threads = tiles.warps * WARP_LANES
    return resident_blocks(threads, registers(tiles), tiles.shared_bytes, arch)


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
        factors = (work.lhs_bytes + work.rhs_bytes) * self._half_lines
        bytes = factors + work.read_bytes + work.written_bytes
        memory_s = bytes / (arch.dram_bytes_per_s * costs.dram_efficiency)
        starts = self.tiles.launched * costs.block_clocks / arch.sm_count
        rounds_s, starts_s = self._rounds() / arch.clock_hz, starts / arch.clock_hz
        return costs.start_us * 1e-6 + _slower(4, rounds_s, memory_s, starts_s)

    def _rounds(self) -> Floats:
        """Return the rounds of all blocks, as many at a time as fit, and the last, smaller one.

        Blocks that all fit at once stay where they start, those without a tile included; later
        ones go where there is room. The last block of a tile adds all parts up.
        """
        tiles, sms, costs = self.tiles, self.arch.sm_count, self.arch.costs
        at_once = tiles.launched <= sms * self.fits
        blocks = np.where(at_once, tiles.launched, tiles.blocks)
        each = np.ceil(blocks / sms)
        resident = np.minimum(self.fits, each)
        steady = np.clip(each / resident - 1, 0, 1)
        whole = np.floor(blocks / (sms * resident))
        rest = blocks - whole * sms * resident
        last = np.where(rest > 0, self._round(np.maximum(1, np.ceil(rest / sms)), steady), 0)
        parts = tiles.split * (costs.part_clocks + self._part_clocks)
        return whole * self._round(resident, steady) + last + np.where(tiles.split > 1, parts, 0)

    def _round(self, resident: Floats, steady: Floats) -> Floats:
        """Return the clocks of ``resident`` blocks that share an SM.

        steady: 1 where blocks follow others, so that one's first slice arrives under another's
        work; 0 where all start together.
        """
        tiles, costs = self.tiles, self.arch.costs
        first = self._latency + costs.setup_clocks
        first = first * (1 - steady * (1 - 1 / resident))
        meeting = costs.meeting_clocks + 2 * resident * self._part_clocks
        epilogue = np.where(tiles.split > 1, meeting, 0) + resident * self._epilogue
        return first + tiles.steps * self._step(resident) + epilogue

    @property
    def _part_clocks(self) -> Floats:
        """The clocks of writing or reading a block's partial sums."""
        return self.tiles.part_pieces * self.arch.costs.part_piece_clocks

    @property
    def _latency(self) -> float:
        """The clocks until data arrive: of the L2, or of the memory where it holds not all."""
        arch, costs = self.arch, self.arch.costs
        if self.tiles.work.global_bytes > arch.l2_bytes:
            return costs.loaded_dram_latency * arch.dram_latency_s * arch.clock_hz
        return costs.loaded_l2_latency * arch.l2_latency_s * arch.clock_hz

    # The main loop --------------------------------------------------------------------------------

    def _step(self, resident: Floats) -> Floats:
        """Return the clocks of a step: the slowest of what blocks share, what one block does in
        order, and the arrival of a slice; then what the ring of slices costs.
        """
        work = _slower(3, resident * self._shared_clocks, self._own_clocks, self._waiting)
        return work + self._ring_clocks

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
        return moved + sum(tiles.copies()) * tiles.warps * self.arch.costs.copy_clocks

    @cached_property
    def _issuing(self) -> Floats:
        """The clocks in which instructions of a block's warps are issued."""
        tiles = self.tiles
        work, multiply = tiles.work, tiles.step_flops / tiles.instruction.flops
        fragments = _FRAGMENT_INSTRUCTIONS * tiles.read_bytes / _FRAGMENT_BYTES
        rounding = _ROUNDING_INSTRUCTIONS * tiles.read_bytes / work.factor_bytes / WARP_LANES
        if not tiles.instruction.ignored_bits:
            rounding = 0 * rounding
        instructions = multiply + fragments + rounding + tiles.warps * _STEP_INSTRUCTIONS
        return instructions / self.arch.issue_per_clock_per_sm + self._staging

    @cached_property
    def _staging(self) -> Floats:
        """The clocks in which the instructions that bring a slice are issued."""
        tiles, work, costs = self.tiles, self.tiles.work, self.arch.costs
        lhs, rhs = tiles.single_elements()
        element = work.lhs_reads * self._element_instructions + work.lhs_operations
        thread = lhs * element + rhs * costs.plain_element_instructions
        lhs_copies, rhs_copies = tiles.copies()
        thread = thread + (lhs_copies + rhs_copies) * _COPY_INSTRUCTIONS
        if work.guarded:
            thread = thread + lhs_copies * _GUARD_INSTRUCTIONS + _GUARDED_STEP_INSTRUCTIONS
        return tiles.warps * thread / self.arch.issue_per_clock_per_sm

    @property
    def _element_instructions(self) -> Floats:
        """The instructions for one element of the lhs: its row is found anew unless those that a
        thread brings one after the other are in the same line of the image.
        """
        tiles, costs = self.tiles, self.arch.costs
        rows = _ROUNDS_TOGETHER * np.ceil(WARP_LANES * tiles.warps / tiles.depth)
        in_line = tiles.work.row_loop % rows == 0
        return np.where(in_line, costs.plain_element_instructions, costs.element_instructions)

    @cached_property
    def _half_lines(self) -> Floats:
        return np.where(self.tiles.line_bytes < _LINE_BYTES, self.arch.costs.half_line, 1.0)

    @cached_property
    def _shared_clocks(self) -> Floats:
        """The clocks of a step that one block takes of what all blocks of an SM share."""
        loaded = self.tiles.loaded_bytes * self._half_lines
        arriving = loaded / self._l2_bytes_per_clock
        return _slower(4, _slower(2, self._multiplying, self._moving), self._issuing, arriving)

    @property
    def _l2_bytes_per_clock(self) -> float:
        """What the L2 gives an SM while all ask."""
        return self.arch.l2_bytes_per_clock / self.arch.sm_count

    @cached_property
    def _own_clocks(self) -> Floats:
        """The clocks of a step of one block alone. Where a scheduler has one warp of it, loads and
        instructions of tiles follow each other; multiply-adds of lanes are issued between loads.
        """
        tiles, costs = self.tiles, self.arch.costs
        work = self._working_of_warps() if tiles.instruction.spreads_fragments else self._working
        lhs, rhs = tiles.single_elements()
        single = lhs * tiles.work.lhs_reads + rhs
        loading = costs.register_stage_clocks + single * costs.element_clocks
        registers = np.where(single > 0, loading, 0)
        arrival = np.where(tiles.stages == 1, self._latency, 0)  # nothing runs meanwhile
        return costs.step_clocks + work + registers + arrival

    @property
    def _working(self) -> Floats:
        busy = np.minimum(1, self.tiles.warps / self.arch.issue_per_clock_per_sm)
        return _slower(2, self._issuing / busy, self._moving)

    def _working_of_warps(self) -> Floats:
        tiles, costs = self.tiles, self.arch.costs
        schedulers = self.arch.issue_per_clock_per_sm
        busy = np.minimum(1, tiles.warps / schedulers)
        ahead = (tiles.stages % 2 == 1) | (tiles.split > 1)
        one = self._multiplying / busy + self._moving
        one = one * np.where(ahead, costs.fragments_ahead, 1.0)
        both = _slower(2, self._multiplying, self._moving)
        return np.where(tiles.warps > schedulers, both, one) + self._issuing

    @cached_property
    def _waiting(self) -> Floats:
        """The clocks of a step in which asynchronous copies are waited for: once for as many slices
        as are under way, the first ones left out.
        """
        tiles = self.tiles
        rounds = np.ceil(tiles.steps / np.maximum(1, tiles.stages - 1)) - 1
        waiting = self._latency * np.maximum(0, rounds) / tiles.steps
        return np.where(sum(tiles.single_elements()) > 0, 0, waiting)

    # The epilogue ---------------------------------------------------------------------------------

    @cached_property
    def _epilogue(self) -> Floats:
        """The clocks of computing and storing the results of one block of ``split``."""
        tiles, costs, work = self.tiles, self.arch.costs, self.tiles.work
        single = 1.0 if work.together > 1 else costs.single_store
        row_bytes = tiles.n / tiles.warps_n * work.factor_bytes
        wide = np.where(row_bytes >= _LINE_BYTES, costs.wide_row, 1.0)
        pieces = tiles.results / tiles.stored_beside
        stored = pieces * costs.store_clocks * single * wide
        stored = np.where(tiles.exchange > 0, self._exchange, stored)
        points = work.batch * work.m * work.n
        read = tiles.results * work.read_bytes / points / self._l2_bytes_per_clock
        lanes = self.arch.issue_per_clock_per_sm * WARP_LANES
        computed = tiles.results * work.operations / lanes
        return (stored + read + computed) / tiles.split

    @property
    def _exchange(self) -> Floats:
        """The clocks of bringing a tile of sums through shared memory, and of storing its rows."""
        tiles, costs, arch, work = self.tiles, self.arch.costs, self.arch, self.tiles.work
        moved = 2 * tiles.m * tiles.n * work.compute_bytes / arch.shared_bytes_per_clock_per_sm
        run = min(_EXCHANGE_RUN, work.together)
        instructions = tiles.results / run * (_RUN_INSTRUCTIONS + run * _NEIGHBOUR_INSTRUCTIONS)
        issued = instructions / (arch.issue_per_clock_per_sm * WARP_LANES)
        bytes = tiles.results * work.written_bytes / (work.batch * work.m * work.n)
        stored = bytes / _EXCHANGE_BYTES * costs.store_clocks
        return moved + issued + stored


def _slower(power: int, *times: Floats | float) -> Floats:
    """Return a little more than the longest of some times: ``(sum of t^power)^(1/power)``.

    What takes as long as another thing hides under it only in part; the higher the power, the more.
    """
    total = sum(np.asarray(time, np.float64) ** power for time in times)
    return np.asarray(total) ** (1 / power)
