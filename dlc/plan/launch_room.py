"""What launches that run beside each other take of a chip."""

from collections.abc import Iterable
from math import prod

from dlc.arch import GpuArch
from dlc.dialects.gpu import KernelOp
from dlc.model.occupancy import BlockResources, blocks_per_sm

REGISTERS = 128
"""Of a thread, where the kernel does not say how many blocks an SM has: what products of tiles
have, which leave an SM the least blocks. The assembler has not run yet.
"""


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


def fit_together(shares: Iterable[float]) -> bool:
    """Return whether kernels have room beside each other."""
    return sum(shares) <= 1
