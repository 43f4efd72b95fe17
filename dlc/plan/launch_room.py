"""What launches take of a chip, and whether they gain by running at the same time."""

from collections.abc import Sequence
from math import prod

from dlc.arch import GpuArch
from dlc.dialects.gpu import KernelOp
from dlc.model.occupancy import BlockResources, blocks_per_sm

REGISTERS = 128
"""Of a thread, where the kernel does not say how many blocks an SM has: what products of tiles
have, which leave an SM the least blocks. The assembler has not run yet.
"""

LEAST_GAIN = 0.95
"""Of the time of a line; what is nearer cannot be told apart."""


def share(kernel: KernelOp, chip: GpuArch) -> float:
    """Return the part of the chip's places that the blocks of a kernel take; above 1 where they
    come in several rounds.
    """
    shared = 0 if kernel.shared_bytes is None else kernel.shared_bytes.value.data
    registers = min(REGISTERS, chip.registers_per_sm // kernel.threads)
    fit = blocks_per_sm(BlockResources(kernel.threads, registers, shared), chip)
    if kernel.resident_blocks is not None:
        fit = min(fit, kernel.resident_blocks.value.data)
    return prod(kernel.grid_size) / (chip.sm_count * max(fit, 1))


def gains_side_by_side(shares: Sequence[float], longest: int) -> bool:
    """Return whether launches take less time at the same time than one after the other.

    longest: how many of them the longest way has. Each is taken for as long as any other. Side by
    side they take as long as the longest way, and as long as their blocks need the whole chip.
    """
    return max(longest, sum(min(1.0, part) for part in shares)) < LEAST_GAIN * len(shares)
