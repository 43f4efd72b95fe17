"""How long attention as one kernel probably takes on a GPU.

A block has some rows of queries and goes through the keys step by step. Its warps multiply, take
exponentials and multiply again; one warp's products run under another one's exponentials.
"""

from dataclasses import dataclass
from math import ceil, sqrt

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import Instruction
from dlc.arch.memory import PIECE_BYTES, REGISTER_BYTES
from dlc.ir.weighed_row import ROW_MARGIN
from dlc.model.contraction import EXCHANGE_MARGIN, EXCHANGE_RUN
from dlc.model.contraction.overlap import slower
from dlc.model.occupancy import BlockResources, blocks_per_sm, limit_violation
from dlc.model.registers import OTHER_REGISTERS

_FIXED_REGISTERS = 27
_ROW_REGISTERS = 26
"""Addresses and loop counters; largest score, total and address of the rows of a part: fitted to
152 kernels for sm_90a.
"""

_WARPGROUP_REGISTERS, _WARPGROUP_HELD = 20, 1.15
"""The same of instructions that read shared memory, and how many more than scores and sums a thread
has: fitted to 14 kernels for sm_90a.
"""

_ELEMENT_INSTRUCTIONS = 6.0
"""Of a score: largest, difference, exponential, total, half a conversion, and its move. Counted in
the machine code of kernels for sm_90a, as the next ones.
"""

_SUM_INSTRUCTIONS = 1.0
"""Of a sum in a step behind the first: it is rescaled."""

_STEP_INSTRUCTIONS = 120.0
"""Of a warp in a step, beside these: largest scores of its rows, addresses."""

_SETUP = 0.5
"""Before the first copies of a block, in units of a contraction's: the places of three tensors.
With it 12 cases of 8 to 16 schedules each are chosen 3 % off the best on average, 10 % at most.
"""

_COPY_INSTRUCTIONS = 3.0
"""Of a copy of 16 bytes a lane, with its place."""

_COPY_BYTES = PIECE_BYTES * WARP_LANES

_ALONE = 0.5
"""Instructions that a warp issues in a clock where its scheduler has no other; not measured."""

_GROUP_ALONE = 0.26
"""The same of warps that multiply together: each instruction waits for the one before. Fitted with
the root below to 99 kernels of 14 shapes, whose times lie 14 % off the estimates.
"""

_IN_STEP = 1.1
"""What a step takes longer where two warpgroups begin it together: fitted, as the next two, to 15
kernels with producers.
"""

_TILE_CLOCKS = 2000.0
"""Between two tiles of a walk, beside the stores."""

_START_CLOCKS = 7000.0
"""Of a block with producers that is alone on an SM: nothing goes on under its beginning and end."""

_OBJECT_BYTES = 8
"""Of an ``mbarrier`` object."""


@dataclass(frozen=True)
class AttentionKernel:
    """Attention by a schedule.

    instruction: what multiplies. element_bytes: of one element of the factors. blocks: of the
    kernel. rows, keys: of a block and a step. warps, stages: of a block. steps, mean_steps: of a
    block, at most and on average. depth, columns: elements of a query and of a value, padded.
    operations, reads: of a score between the products. exchange: whether results change threads.
    read_bytes, written_bytes: each tensor once. split: blocks that have parts of the keys.
    in_cluster: whether these are a cluster, in whose shared memory parts meet. left_rows: of a
    block, that exist. teams: groups of ``warps`` in a block that have parts of the keys of a step.
    producers: warps beside these that bring what comes; then all threads begin with
    ``launch_registers``, and those that multiply have ``own_registers``. walking: blocks of the
    launch, where they walk over ``blocks`` tiles.
    """

    instruction: Instruction
    element_bytes: int
    blocks: int
    rows: int
    keys: int
    warps: int
    stages: int
    steps: int
    mean_steps: float
    depth: int
    columns: int
    operations: float
    reads: int
    exchange: bool
    read_bytes: int
    written_bytes: int
    split: int = 1
    in_cluster: bool = False
    left_rows: int = 0
    teams: int = 1
    producers: int = 0
    launch_registers: int = 0
    own_registers: int = 0
    walking: int = 0

    @property
    def step_flops(self) -> float:
        """The operations of both products in a step of a block."""
        return 2.0 * self.rows * self.keys * (self.depth + self.columns)

    @property
    def step_bytes(self) -> int:
        """The bytes of keys and values of a step."""
        return self.element_bytes * self.keys * (self.depth + self.columns)

    @property
    def reads_shared(self) -> bool:
        """Whether the instruction reads factors in shared memory."""
        return self.instruction.b.place is None

    @property
    def all_warps(self) -> int:
        """The warps of a block."""
        return self.warps * self.teams

    @property
    def moved_bytes(self) -> float:
        """The bytes of shared memory that a step of a block writes and reads: keys and values once
        for each warp, or for each product of warpgroups, and then queries, too.
        """
        if not self.reads_shared:
            return (self.warps + 1) * self.step_bytes
        queries = self.element_bytes * self.rows * self.depth
        return (self.rows / self.instruction.m + 1) * self.step_bytes + queries

    @property
    def _parts(self) -> float:
        """The parts below each other that a warp has of the rows, one of an instruction's each."""
        return self.rows / self.warps / (self.instruction.m / self.instruction.warps)

    @property
    def _scores(self) -> float:
        """The scores of a step that a lane has, a register each."""
        return self.rows * self.keys / self.all_warps / WARP_LANES

    @property
    def _sums(self) -> float:
        return self.rows * self.columns / self.warps / WARP_LANES

    @property
    def _queries(self) -> float:
        """The registers of a lane for its elements of queries; none where the instruction reads
        shared memory.
        """
        if self.reads_shared:
            return 0
        return self._packed * self.rows * self.depth / self.warps / WARP_LANES

    @property
    def _packed(self) -> float:
        """The registers of an element of the factors."""
        return self.element_bytes / REGISTER_BYTES

    @property
    def registers(self) -> int:
        """The registers of a thread: scores, sums and queries of its rows. Of a single step the
        sums are there when the scores are not any more. With producers all have those of a block
        that is alone on an SM.
        """
        if self.producers:
            return self.launch_registers
        sums = self._sums if self.steps > 1 else self._sums / 4
        held = self._scores + self._queries + sums
        if self.reads_shared:
            return ceil(_WARPGROUP_REGISTERS + _WARPGROUP_HELD * held)
        return ceil(_FIXED_REGISTERS + held + self._parts * _ROW_REGISTERS)

    @property
    def least_registers(self) -> float:
        """What ``gpu-check-limits`` counts: what takes turns (scores and keys, scores and weights,
        weights and values); beside them queries, sums, largest score and total of each row. Of a
        single step queries are there in the first product only, and sums and totals after it.
        """
        place = self.instruction.c.place
        rows = self._parts * (place.panels[0] if place else 1)
        weights = self._packed * self._scores
        keys = self.keys // self.teams
        first = self._scores + self._fragments(keys, self.depth)
        second = weights + max(self._scores, self._fragments(self.columns, keys))
        if self.steps == 1:
            after = second + self._sums + (2 if self.split > 1 else 1) * rows
            return OTHER_REGISTERS + max(first + self._queries, after)
        return OTHER_REGISTERS + self._queries + self._sums + 2 * rows + max(first, second)

    def _fragments(self, columns: int, depth: int) -> float:
        """Return the registers of a lane for its elements of a rhs, in the two steps of the
        reduction that are there at a time; none where the instruction reads shared memory.
        """
        it = self.instruction
        each = it.b.place.slots if it.b.place else 0
        return self._packed * min(2, depth // it.k) * (columns // it.n) * each

    @property
    def shared_bytes(self) -> int:
        """The shared memory of a block: queries, keys and values; sums after these, or those of
        teams, with what is beside them.
        """
        slices = self.stages if self.producers else min(self.stages, self.steps)
        queries = self.element_bytes * self.rows * self.depth * (2 if self.walking else 1)
        slots = queries + slices * self.step_bytes
        if self.producers:
            return slots + _OBJECT_BYTES * (2 * slices + (4 if self.walking else 1))
        if self.split > 1:
            row_bytes = REGISTER_BYTES * (self.columns + ROW_MARGIN)
            meeting = self.teams * self.left_rows * row_bytes
            if self.in_cluster:
                return max(slots, meeting) + self.split * self.sent_bytes + _OBJECT_BYTES
            return max(slots, meeting) if self.teams > 1 else slots
        if not self.exchange:
            return slots
        return max(slots, REGISTER_BYTES * self.rows * (self.columns + EXCHANGE_MARGIN))

    @property
    def sent_bytes(self) -> int:
        """The room in a block of a cluster for what another one sends: runs, each with a state."""
        runs = ceil(self.left_rows * self.columns / EXCHANGE_RUN / self.split)
        return REGISTER_BYTES * runs * (EXCHANGE_RUN + ROW_MARGIN)

    @property
    def block(self) -> BlockResources:
        """What a block occupies."""
        threads = WARP_LANES * (self.all_warps + self.producers)
        return BlockResources(threads, self.registers, self.shared_bytes)


def violation(kernel: AttentionKernel, arch: GpuArch) -> str | None:
    """Return which limit of the chip a block exceeds, or ``None``."""
    if beyond := limit_violation(kernel.block, arch):
        return beyond
    needed, most, whose = ceil(kernel.least_registers), arch.max_registers_per_thread, ""
    if kernel.producers:
        most, whose = kernel.own_registers, " for threads that multiply"
    if needed <= most:
        return None
    return f"needs at least {needed} registers per thread, {arch.target} has {most}{whose}"


def estimate_s(kernel: AttentionKernel, arch: GpuArch) -> float:
    """Return the seconds that a kernel probably takes whose blocks have all keys of their rows;
    infinite where a block does not fit.
    """
    if violation(kernel, arch):
        return float("inf")
    fits = blocks_per_sm(kernel.block, arch)
    costs, each = arch.costs, ceil(kernel.blocks / arch.sm_count)
    resident = min(fits, each)
    if kernel.walking:
        clocks = _walk_clocks(kernel, arch)
    else:
        whole, rest = divmod(kernel.blocks, arch.sm_count * resident)
        clocks = whole * _round_clocks(kernel, resident, arch)
        if rest:
            clocks += _round_clocks(kernel, ceil(rest / arch.sm_count), arch)
    bandwidth = arch.dram_bytes_per_s * costs.dram_efficiency
    memory_s = (kernel.read_bytes + kernel.written_bytes) / bandwidth
    starts_s = kernel.blocks / arch.sm_count * costs.block_clocks / arch.clock_hz
    return costs.start_us * 1e-6 + float(slower(4, clocks / arch.clock_hz, memory_s, starts_s))


def _walk_clocks(kernel: AttentionKernel, arch: GpuArch) -> float:
    """Return the clocks of a block that walks over tiles: only before the first one it waits for
    what comes.
    """
    stored = kernel.element_bytes * kernel.rows * kernel.columns / arch.costs.stored_bytes_per_clock
    tile = kernel.mean_steps * _step_clocks(kernel, 1, arch) + _TILE_CLOCKS
    tile += stored * arch.costs.half_line
    first = _SETUP * arch.costs.setup_clocks + _latency_clocks(arch)
    return first + ceil(kernel.blocks / kernel.walking) * tile


def _round_clocks(kernel: AttentionKernel, resident: int, arch: GpuArch) -> float:
    """Return the clocks of ``resident`` blocks that share an SM: before their first step, in their
    steps, and behind the last one.
    """
    costs = arch.costs
    latency = _latency_clocks(arch)
    arriving = resident * kernel.step_bytes / arch.l2_bytes_per_clock_into_sm
    waits = 2 if kernel.steps > kernel.stages == 1 else 1  # for queries, and for the first keys
    first = _SETUP * costs.setup_clocks + waits * latency + arriving
    stored = kernel.element_bytes * kernel.rows * kernel.columns / costs.stored_bytes_per_clock
    end = resident * stored * (1.0 if kernel.exchange else costs.half_line)
    if kernel.producers:
        end += _START_CLOCKS
    return first + kernel.mean_steps * _step_clocks(kernel, resident, arch) + end


@dataclass(frozen=True)
class StepWork:
    """What a step of a block takes of an SM, in clocks: products, shared memory, instructions,
    exponentials, and keys and values that come from the L2.
    """

    multiplying: float
    moving: float
    issuing: float
    exponentials: float
    arriving: float

    def shared(self, resident: int) -> float:
        """Return the clocks of a step of blocks that share an SM, where they wait for nothing."""
        parts = self.multiplying, self.moving, self.issuing, self.exponentials, self.arriving
        return resident * float(slower(4, *parts))


def step_work(kernel: AttentionKernel, arch: GpuArch) -> StepWork:
    """Return what a step of a block takes."""
    costs, scores = arch.costs, kernel.rows * kernel.keys
    each = _ELEMENT_INSTRUCTIONS + kernel.operations * costs.operation_instructions
    each += kernel.reads * costs.load_instructions
    behind_first = (kernel.steps - 1) / kernel.steps
    sums = behind_first * kernel.teams * kernel.rows * kernel.columns
    instructions = (scores * each + sums * _SUM_INSTRUCTIONS) / WARP_LANES
    instructions += kernel.step_flops / kernel.instruction.flops
    if not kernel.producers:
        instructions += kernel.all_warps * _STEP_INSTRUCTIONS
        instructions += kernel.step_bytes / _COPY_BYTES * _COPY_INSTRUCTIONS
    return StepWork(
        kernel.step_flops / arch.flops_per_clock_per_sm[kernel.instruction.unit],
        kernel.moved_bytes / arch.shared_bytes_per_clock_per_sm,
        instructions / arch.issue_per_clock_per_sm,
        scores / arch.flops_per_clock_per_sm["special"],
        kernel.step_bytes / arch.l2_bytes_per_clock_into_sm,
    )


def _step_clocks(kernel: AttentionKernel, resident: int, arch: GpuArch) -> float:
    """Return the clocks of a step: what blocks share, and what one does in order."""
    work = step_work(kernel, arch)
    shared, alone = work.shared(resident), kernel.all_warps / arch.issue_per_clock_per_sm
    if kernel.reads_shared:  # it multiplies and copies meanwhile; groups wait for each other
        working = work.issuing / _GROUP_ALONE / sqrt(alone)
        if kernel.producers:  # what comes is there
            return _IN_STEP * float(slower(3, shared, working))
        working += work.moving
    else:
        working = (work.multiplying + work.issuing / _ALONE + work.exponentials) / min(1.0, alone)
        working += work.moving + arch.costs.step_clocks
    return float(slower(3, shared, working + _waiting(kernel, working, arch)))


def _latency_clocks(arch: GpuArch) -> float:
    """Return the clocks until keys arrive from the L2, where they are for other blocks, too."""
    return arch.l2_latency_s * arch.clock_hz * arch.costs.loaded_l2_latency


def _waiting(kernel: AttentionKernel, working: float, arch: GpuArch) -> float:
    """Return the clocks in which a block waits for the keys and values of a step, on average: they
    come while those before are worked on, if there is room for both. The first ones count apart.
    """
    latency = _latency_clocks(arch)
    latency += kernel.step_bytes / arch.l2_bytes_per_clock_into_sm
    behind_first = (kernel.steps - 1) / kernel.steps
    return behind_first * max(0.0, latency - (kernel.stages - 1) * working)
