"""How long attention as one kernel probably takes on a GPU.

A block has some rows of queries and goes through the keys step by step. Its warps multiply, take
exponentials and multiply again; one warp's products run under another one's exponentials.
"""

from dataclasses import dataclass
from math import ceil

from dlc.arch import GpuArch
from dlc.model.contraction.overlap import slower
from dlc.model.occupancy import BlockResources, blocks_per_sm

_FLOPS = 4096
"""Of an instruction: 16 x 8 x 16 multiply-adds."""

_FIXED_REGISTERS = 27
_ROW_REGISTERS = 26
"""Addresses and loop counters; largest score, total and address of the rows of a part: fitted to
152 kernels for sm_90a.
"""

_ELEMENT_INSTRUCTIONS = 6.0
"""Of a score: largest, difference, exponential, total, half a conversion, and its move. Counted in
the machine code of kernels for sm_90a, as the next ones.
"""

_SUM_INSTRUCTIONS = 1.0
"""Of a sum in a step: it is rescaled."""

_STEP_INSTRUCTIONS = 120.0
"""Of a warp in a step, beside these: largest scores of its rows, addresses."""

_SETUP = 0.5
"""Before the first copies of a block, in units of a contraction's: the places of three tensors.
With it 12 cases of 8 to 16 schedules each are chosen 3 % off the best on average, 10 % at most.
"""

_COPY_INSTRUCTIONS = 3.0
"""Of a copy of 16 bytes a lane, with its place."""

_COPY_BYTES = 512

_ALONE = 0.5
"""Instructions that a warp issues in a clock where its scheduler has no other."""


@dataclass(frozen=True)
class AttentionKernel:
    """Attention by a schedule.

    blocks: of the kernel. rows, keys: of a block and a step. warps, stages: of a block. steps: of a
    block. depth, columns: elements of a query and of a value, padded. element: the factors' type.
    operations, reads: of a score between the products. exchange: whether results change threads.
    read_bytes, written_bytes: each tensor once.
    """

    blocks: int
    rows: int
    keys: int
    warps: int
    stages: int
    steps: int
    depth: int
    columns: int
    element: str
    operations: float
    reads: int
    exchange: bool
    read_bytes: int
    written_bytes: int

    @property
    def step_flops(self) -> float:
        """The operations of both products in a step of a block."""
        return 2.0 * self.rows * self.keys * (self.depth + self.columns)

    @property
    def step_bytes(self) -> int:
        """The bytes of keys and values of a step."""
        return 2 * self.keys * (self.depth + self.columns)

    @property
    def registers(self) -> int:
        """The registers of a thread: scores, sums and queries of its rows. Of a single step the
        sums are there when the scores are not any more.
        """
        rows = self.rows / (16 * self.warps)
        sums = self.columns / 2 if self.steps > 1 else self.columns / 8
        held = self.keys / 2 + self.depth / 4 + sums
        return ceil(_FIXED_REGISTERS + rows * (held + _ROW_REGISTERS))

    @property
    def least_registers(self) -> float:
        """The buffers of a thread, as ``gpu-check-limits`` counts them: scores, weights in 16 bits,
        queries, sums, and three numbers of each of four rows.
        """
        rows = self.rows / (16 * self.warps)
        return rows * (3 * self.keys / 4 + self.depth / 4 + self.columns / 2 + 12)

    @property
    def shared_bytes(self) -> int:
        """The shared memory of a block."""
        slots = 2 * self.rows * self.depth + self.stages * self.step_bytes
        return max(slots, 4 * self.rows * (self.columns + 4)) if self.exchange else slots

    @property
    def block(self) -> BlockResources:
        """What a block occupies."""
        return BlockResources(32 * self.warps, self.registers, self.shared_bytes)


def estimate_s(kernel: AttentionKernel, arch: GpuArch) -> float:
    """Return the seconds that a kernel probably takes; infinite where a block does not fit."""
    fits = blocks_per_sm(kernel.block, arch)
    if not fits or kernel.least_registers > arch.max_registers_per_thread:
        return float("inf")
    costs, each = arch.costs, ceil(kernel.blocks / arch.sm_count)
    resident = min(fits, each)
    whole, rest = divmod(kernel.blocks, arch.sm_count * resident)
    clocks = whole * _round_clocks(kernel, resident, arch)
    if rest:
        clocks += _round_clocks(kernel, ceil(rest / arch.sm_count), arch)
    memory_s = (kernel.read_bytes + kernel.written_bytes) / (
        arch.dram_bytes_per_s * costs.dram_efficiency
    )
    starts_s = kernel.blocks / arch.sm_count * costs.block_clocks / arch.clock_hz
    return costs.start_us * 1e-6 + float(slower(4, clocks / arch.clock_hz, memory_s, starts_s))


def _round_clocks(kernel: AttentionKernel, resident: int, arch: GpuArch) -> float:
    """Return the clocks of ``resident`` blocks that share an SM."""
    costs = arch.costs
    latency = arch.l2_latency_s * arch.clock_hz * costs.loaded_l2_latency
    arriving = resident * kernel.step_bytes / arch.l2_bytes_per_clock_into_sm
    first = _SETUP * costs.setup_clocks + 2 * latency + arriving
    stored = 2 * kernel.rows * kernel.columns / costs.stored_bytes_per_clock
    end = resident * stored * (1.0 if kernel.exchange else costs.half_line)
    return first + kernel.steps * _step_clocks(kernel, resident, arch) + end


def _step_clocks(kernel: AttentionKernel, resident: int, arch: GpuArch) -> float:
    """Return the clocks of a step: what blocks share, and what one does in order."""
    costs, schedulers = arch.costs, arch.issue_per_clock_per_sm
    scores = kernel.rows * kernel.keys
    multiplying = kernel.step_flops / arch.flops_per_clock_per_sm[f"mma.{kernel.element}"]
    moved = (kernel.warps + 1) * kernel.step_bytes
    moving = moved / arch.shared_bytes_per_clock_per_sm
    each = _ELEMENT_INSTRUCTIONS + kernel.operations * costs.operation_instructions
    each += kernel.reads * costs.load_instructions
    instructions = (
        scores * each / 32
        + kernel.rows * kernel.columns * _SUM_INSTRUCTIONS / 32
        + kernel.step_flops / _FLOPS
        + kernel.warps * _STEP_INSTRUCTIONS
        + kernel.step_bytes / _COPY_BYTES * _COPY_INSTRUCTIONS
    )
    issuing = instructions / schedulers
    exponentials = scores / arch.flops_per_clock_per_sm["special"]
    arriving = kernel.step_bytes / arch.l2_bytes_per_clock_into_sm
    shared = resident * slower(4, multiplying, moving, issuing, exponentials, arriving)
    alone = min(1.0, kernel.warps / schedulers)
    working = (multiplying + issuing / _ALONE + exponentials) / alone + moving
    return float(slower(3, shared, costs.step_clocks + working + _waiting(kernel, working, arch)))


def _waiting(kernel: AttentionKernel, working: float, arch: GpuArch) -> float:
    """Return the clocks in which a block waits for the keys and values of a step, on average: they
    come while those before are worked on, if there is room for both. The first ones count apart.
    """
    latency = arch.l2_latency_s * arch.clock_hz * arch.costs.loaded_l2_latency
    latency += kernel.step_bytes / arch.l2_bytes_per_clock_into_sm
    behind_first = (kernel.steps - 1) / kernel.steps
    return behind_first * max(0.0, latency - (kernel.stages - 1) * working)
