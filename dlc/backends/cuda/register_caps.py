"""More registers for kernels whose registers spill to memory.

Left alone, the assembler sometimes spills a few bytes to let one more block run on an SM, and it
does not know that the shared memory of a block lets fewer run anyway.
"""

from collections.abc import Mapping, Sequence
from math import ceil, prod

from xdsl.dialects.builtin import IntegerAttr, i64

from dlc.arch import GpuArch
from dlc.core.nvrtc import Resources
from dlc.dialects.gpu import KernelOp
from dlc.model.occupancy import BlockResources, blocks_per_sm, most_registers


def raise_caps(
    kernels: Sequence[KernelOp], used: Mapping[str, Resources], chip: GpuArch
) -> list[KernelOp]:
    """Set ``max_registers`` of the kernels that spill to the next higher cap; return those that
    have one.

    used: what the assembler said about them.
    """
    raised: list[KernelOp] = []
    for kernel in kernels:
        said = used[kernel.sym_name.data]
        before = kernel.max_registers.value.data if kernel.max_registers else 0
        had = max(said.registers, before)  # some spill without using all that they may
        cap = next_cap(kernel, had, chip) if said.spill_bytes else None
        if cap is not None:
            kernel.max_registers = IntegerAttr(cap, i64)
            raised.append(kernel)
    return raised


def next_cap(kernel: KernelOp, registers: int, chip: GpuArch) -> int | None:
    """Return the most registers per thread that leave as many blocks on an SM as ``registers`` do,
    or, if that is no more, the fewest blocks less; ``None`` where one block has them all, or where
    the blocks of a cooperative kernel would have no room together.
    """
    shared = 0 if kernel.shared_bytes is None else kernel.shared_bytes.value.data
    blocks = blocks_per_sm(BlockResources(kernel.threads, registers, shared), chip)
    fewest = 1 if kernel.cooperative is None else ceil(prod(kernel.grid_size) / chip.sm_count)
    caps = (most_registers(kernel.threads, count, chip) for count in range(blocks, fewest - 1, -1))
    return next((cap for cap in caps if cap > registers), None)
