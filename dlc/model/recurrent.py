"""How long a kernel takes whose blocks go through steps together."""

from dataclasses import dataclass
from math import ceil

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.model.occupancy import BlockResources, limit_violation


@dataclass(frozen=True)
class RecurrentKernel:
    """A kernel of ``recurrent``.

    state_bytes: of the states that a block asks for in a step. pieces: of 16 bytes that a thread
    asks for in a step, pieces_at_once: together. products: instructions of a warp in a step, one
    after the other in ``chunks`` whose factors are loaded before. clocks: of an instruction, where
    all warps of an SM have some; chunk_clocks: of a chunk alone. cells: of a thread. parts: partial
    sums that a cell adds up. weight_bytes: that a block loads once; shared_weight_bytes: of these,
    what it has in shared memory. moved_bytes: of states and of sums that warps move from and to
    shared memory in a step.
    """

    steps: int
    blocks: int
    threads: int
    registers: int
    shared_bytes: int
    state_bytes: int
    pieces: int
    pieces_at_once: int
    products: int
    chunks: int
    clocks: float
    chunk_clocks: float
    shared_weight_bytes: int
    moved_bytes: int
    cells: int
    parts: int
    weight_bytes: int

    @property
    def warps(self) -> int:
        """The warps of a block."""
        return self.threads // WARP_LANES


_SHARED_WEIGHT = 2.5
"""Of a byte of weights that comes from shared memory in each step, in units of its transfer:
between that of a prototype of two layers at batch 1 (none) and of one at batch 64 (4).
"""
_OVERLAPPED = 0.5
"""Of a byte of states and sums, which warps move while others multiply."""
_PART_CLOCKS = 4.0
_CELL_CLOCKS = 60.0


def violation(kernel: RecurrentKernel, arch: GpuArch) -> str | None:
    """Return which limit of the chip a launch exceeds, or ``None``: all blocks run at once."""
    if kernel.blocks > arch.sm_count:
        return f"needs {kernel.blocks} blocks at a time, {arch.target} has {arch.sm_count} SMs"
    block = BlockResources(kernel.threads, kernel.registers, kernel.shared_bytes)
    return limit_violation(block, arch)


def least_s(kernel: RecurrentKernel, arch: GpuArch) -> float:
    """Return the least seconds of a launch: a trip over the L2 and the products of each step."""
    products = kernel.products * kernel.warps * kernel.clocks / arch.clock_hz
    return arch.launch_floor_us * 1e-6 + kernel.steps * (arch.l2_latency_s + products)


def estimate_s(kernel: RecurrentKernel, arch: GpuArch) -> float:
    """Return the seconds that a kernel probably takes."""
    costs = arch.costs
    waits = ceil(kernel.pieces / kernel.pieces_at_once)
    waiting_us = costs.hop_us + waits * costs.await_us + kernel.pieces_at_once * costs.piece_us
    bringing_s = kernel.blocks * kernel.state_bytes / (arch.l2_bytes_per_s * costs.states_of_l2)
    moved = _SHARED_WEIGHT * kernel.shared_weight_bytes + _OVERLAPPED * kernel.moved_bytes
    reading = moved / arch.shared_bytes_per_clock_per_sm
    multiplying = reading + max(
        kernel.products * kernel.warps * kernel.clocks, kernel.chunks * kernel.chunk_clocks
    )
    finishing = kernel.cells * (_CELL_CLOCKS + kernel.parts * _PART_CLOCKS)
    meeting_us = kernel.warps * costs.meeting_warp_us
    step_s = (waiting_us + meeting_us) * 1e-6 + bringing_s
    step_s += (multiplying + finishing) / arch.clock_hz
    weights_s = (
        kernel.blocks * kernel.weight_bytes / (arch.dram_bytes_per_s * costs.dram_efficiency)
    )
    return costs.start_us * 1e-6 + weights_s + kernel.steps * step_s
