"""How long a kernel takes whose blocks go through steps together."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.model.occupancy import BlockResources, limit_violation
from dlc.model.violation import Resource, Violation


@dataclass(frozen=True)
class RecurrentPhase:
    """A phase of a step: an exchange, and the products of what is exchanged.

    state_bytes: that a block asks for. pieces: of 16 bytes that a thread asks for, pieces_at_once:
    together. products: instructions of a warp, one after the other in ``chunks`` whose factors are
    loaded before. parts: partial sums that a cell adds up. shared_weight_bytes: of a block's
    weights, those in shared memory. moved_bytes: of states and of sums that warps move from and to
    shared memory.
    """

    state_bytes: int
    pieces: int
    pieces_at_once: int
    products: int
    chunks: int
    parts: int
    shared_weight_bytes: int
    moved_bytes: int


@dataclass(frozen=True)
class RecurrentKernel:
    """A kernel of ``recurrent``.

    clocks: of an instruction, where all warps of an SM have some; chunk_clocks: of a chunk alone.
    cells: of a thread. weight_bytes: that a block loads once.
    """

    steps: int
    phases: Sequence[RecurrentPhase]
    blocks: int
    threads: int
    registers: int
    shared_bytes: int
    clocks: float
    chunk_clocks: float
    cells: int
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


def violation(kernel: RecurrentKernel, arch: GpuArch) -> Violation | None:
    """Return which limit of the chip a launch exceeds, or ``None``: all blocks run at once."""
    if kernel.blocks > arch.sm_count:
        return Violation(
            Resource.BLOCKS,
            f"needs {kernel.blocks} blocks at a time, {arch.target} has {arch.sm_count} SMs",
        )
    block = BlockResources(kernel.threads, kernel.registers, kernel.shared_bytes)
    return limit_violation(block, arch)


def least_s(kernel: RecurrentKernel, arch: GpuArch) -> float:
    """Return the least seconds of a launch: a trip over the L2 and the products of each phase."""
    products = sum(phase.products for phase in kernel.phases)
    product_s = products * kernel.warps * kernel.clocks / arch.clock_hz
    step_s = len(kernel.phases) * arch.l2_latency_s + product_s
    return arch.launch_floor_us * 1e-6 + kernel.steps * step_s


def estimate_s(kernel: RecurrentKernel, arch: GpuArch) -> float:
    """Return the seconds that a kernel probably takes."""
    step_s = sum(_phase_s(kernel, phase, arch) for phase in kernel.phases)
    weights_s = (
        kernel.blocks * kernel.weight_bytes / (arch.dram_bytes_per_s * arch.costs.dram_efficiency)
    )
    return arch.costs.start_us * 1e-6 + weights_s + kernel.steps * step_s


def _phase_s(kernel: RecurrentKernel, phase: RecurrentPhase, arch: GpuArch) -> float:
    """Return the seconds of a phase."""
    costs = arch.costs
    waits = ceil(phase.pieces / phase.pieces_at_once)
    waiting_us = costs.hop_us + waits * costs.await_us + phase.pieces_at_once * costs.piece_us
    bringing_s = kernel.blocks * phase.state_bytes / (arch.l2_bytes_per_s * costs.states_of_l2)
    moved = _SHARED_WEIGHT * phase.shared_weight_bytes + _OVERLAPPED * phase.moved_bytes
    reading = moved / arch.shared_bytes_per_clock_per_sm
    multiplying = reading + max(
        phase.products * kernel.warps * kernel.clocks, phase.chunks * kernel.chunk_clocks
    )
    finishing = kernel.cells * (_CELL_CLOCKS + phase.parts * _PART_CLOCKS)
    meeting_us = kernel.warps * costs.meeting_warp_us
    return (waiting_us + meeting_us) * 1e-6 + bringing_s + (multiplying + finishing) / arch.clock_hz
