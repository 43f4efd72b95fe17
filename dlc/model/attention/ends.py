"""The clocks of blocks before their first step and behind their last one."""

from dlc.arch import GpuArch
from dlc.model.attention.kernel import AttentionKernel

_SETUP = 0.5
"""Before the first copies of a block, in units of a contraction's: the places of three tensors.
With it 12 cases of 8 to 16 schedules each are chosen 3 % off the best on average, 10 % at most.
"""

_TILE_CLOCKS = 2850.0
"""Between two tiles of a walk, beside the stores; fitted to kernels with producers, as the next."""

_START_CLOCKS = 4900.0
"""Of a block with producers that is alone on an SM: nothing goes on under its beginning and end."""


def ends_clocks(kernel: AttentionKernel, resident: int, arch: GpuArch) -> float:
    """Return the clocks of ``resident`` blocks that share an SM."""
    first, stored = first_clocks(kernel, resident, arch), resident * stored_clocks(kernel, arch)
    end = stored * (1.0 if kernel.exchange else arch.costs.half_line)
    if kernel.producers:
        end += _START_CLOCKS
    return first + end


def first_clocks(kernel: AttentionKernel, resident: int, arch: GpuArch) -> float:
    """Return those until queries and the first keys are there."""
    arriving = resident * kernel.step_bytes / arch.l2_bytes_per_clock_into_sm
    waits = 2 if kernel.steps > kernel.stages == 1 else 1  # for queries, and for the first keys
    return _SETUP * arch.costs.setup_clocks + waits * latency_clocks(arch) + arriving


def between_tiles_clocks(kernel: AttentionKernel, arch: GpuArch) -> float:
    """Return those from the last step of a tile to the first one of the next, in a walk."""
    return _TILE_CLOCKS + stored_clocks(kernel, arch) * arch.costs.half_line


def stored_clocks(kernel: AttentionKernel, arch: GpuArch) -> float:
    """Return those in which a block's rows leave the SM."""
    bytes = kernel.element_bytes * kernel.rows * kernel.columns
    return bytes / arch.costs.stored_bytes_per_clock


def latency_clocks(arch: GpuArch) -> float:
    """Return the clocks until keys arrive from the L2, where they are for other blocks, too."""
    return arch.l2_latency_s * arch.clock_hz * arch.costs.loaded_l2_latency
