"""How many blocks of a kernel an SM holds at a time."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from dlc.arch import GpuArch
from dlc.model.violation import Resource, Violation

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class BlockResources:
    """What one thread block occupies."""

    threads: int
    registers_per_thread: int = 32
    shared_bytes: int = 0


def limit_violation(block: BlockResources, arch: GpuArch) -> Violation | None:
    """Return which limit of the chip a block exceeds, or ``None``."""
    shared = block.shared_bytes
    each, most_each = block.registers_per_thread, arch.max_registers_per_thread
    for resource, what, used, most in (
        (Resource.THREADS, "threads", block.threads, arch.max_threads_per_block),
        (Resource.MEMORY, "bytes of shared memory", shared, arch.shared_bytes_per_block),
        (Resource.REGISTERS, "registers per thread", each, most_each),
        (Resource.REGISTERS, "registers", _registers(block, arch), arch.registers_per_sm),
    ):
        if used > most:
            return Violation(resource, f"needs {used} {what}, {arch.target} has {most}")
    return None


def blocks_per_sm(block: BlockResources, arch: GpuArch) -> int:
    """Return how many blocks run on an SM at a time, 0 when not one fits.

    ``min(threads, registers, shared memory, block slots)``; a warp's registers are allocated in
    units, and each block takes some shared memory for the system (CUDA C++ Programming Guide,
    "Hardware Multithreading").
    """
    if limit_violation(block, arch):
        return 0
    warps = -(-block.threads // arch.warp_threads)
    shared = block.shared_bytes + arch.shared_reserved_bytes_per_block
    limits = [
        arch.max_threads_per_sm // (warps * arch.warp_threads),
        arch.registers_per_sm // _registers(block, arch),
        arch.max_blocks_per_sm,
    ]
    if shared:
        limits.append(arch.shared_bytes_per_sm // shared)
    return min(limits)


def resident_blocks(threads: Floats, registers: Floats, shared: Floats, arch: GpuArch) -> Floats:
    """Return ``blocks_per_sm`` for many kinds of blocks at once.

    threads: of a block, whole warps. registers: per thread. shared: bytes of shared memory.
    """
    warps = threads / arch.warp_threads
    unit = arch.register_allocation_unit
    allotted = warps * np.ceil(registers * arch.warp_threads / unit) * unit
    taken = shared + arch.shared_reserved_bytes_per_block  # no limit where it is 0
    limits = [
        arch.max_threads_per_sm // threads,
        arch.registers_per_sm // allotted,
        arch.shared_bytes_per_sm // np.maximum(taken, 1),
        np.full_like(threads, arch.max_blocks_per_sm),
    ]
    too_large = (threads > arch.max_threads_per_block) | (shared > arch.shared_bytes_per_block)
    return np.where(too_large, 0.0, np.minimum.reduce(limits))


def most_registers(threads: int, blocks: int, arch: GpuArch) -> int:
    """Return the most registers per thread with which an SM holds ``blocks`` blocks of ``threads``
    threads.
    """
    warps = blocks * -(-threads // arch.warp_threads)
    units = arch.registers_per_sm // (warps * arch.register_allocation_unit)
    return min(
        units * arch.register_allocation_unit // arch.warp_threads, arch.max_registers_per_thread
    )


def _registers(block: BlockResources, arch: GpuArch) -> int:
    """Return the registers of a block, each warp's rounded up to the allocation unit."""
    warps = -(-block.threads // arch.warp_threads)
    per_warp = block.registers_per_thread * arch.warp_threads
    unit = arch.register_allocation_unit
    return warps * -(-per_warp // unit) * unit
