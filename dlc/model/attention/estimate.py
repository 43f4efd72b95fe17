"""The seconds of a kernel: the steps of its blocks, and what is around them."""

from math import ceil

from dlc.arch import GpuArch
from dlc.model.attention.ends import between_tiles_clocks, ends_clocks, first_clocks
from dlc.model.attention.kernel import AttentionKernel, violation
from dlc.model.attention.step import step_clocks
from dlc.model.contraction.overlap import slower
from dlc.model.occupancy import blocks_per_sm

_STEPS_POWER, _ROUND_POWER = 3, 1.56
"""How sharply the longer one counts, of what blocks share and what one does in order; and where
blocks begin and end while others work, beside this: fitted to 300 kernels of 47 shapes.
"""


def estimate_s(kernel: AttentionKernel, arch: GpuArch) -> float:
    """Return the seconds that a kernel probably takes whose blocks have all keys of their rows;
    infinite where a block does not fit.
    """
    if violation(kernel, arch):
        return float("inf")
    costs = arch.costs
    resident = min(blocks_per_sm(kernel.block, arch), ceil(kernel.blocks / arch.sm_count))
    if kernel.walking:
        clocks = _walk_clocks(kernel, arch)
    else:
        clocks = max(_rounds_clocks(kernel, resident, arch), _longest_clocks(kernel, arch))
    bandwidth = arch.dram_bytes_per_s * costs.dram_efficiency
    memory_s = (kernel.read_bytes + kernel.written_bytes) / bandwidth
    starts_s = kernel.blocks / arch.sm_count * costs.block_clocks / arch.clock_hz
    return costs.start_us * 1e-6 + float(slower(4, clocks / arch.clock_hz, memory_s, starts_s))


def _walk_clocks(kernel: AttentionKernel, arch: GpuArch) -> float:
    """Return the clocks of a block that walks over tiles: only before the first one it waits for
    what comes.
    """
    step = float(slower(_STEPS_POWER, *step_clocks(kernel, arch)))
    tile = kernel.mean_steps * step + between_tiles_clocks(kernel, arch)
    return first_clocks(kernel, 0, arch) + ceil(kernel.blocks / kernel.walking) * tile


def _rounds_clocks(kernel: AttentionKernel, resident: int, arch: GpuArch) -> float:
    """Return the clocks of an SM that always has ``resident`` blocks, fewer at last: of a round the
    ends lie under the work of others, but for the last one's. Where all blocks run at once, an SM
    has the one with the most steps, and keeps it: the longest come first, one to each SM.
    """
    rounds, rest = divmod(kernel.blocks, arch.sm_count * resident)
    last = ceil(rest / arch.sm_count) if rest else resident
    before = rounds if rest else rounds - 1
    shared, own = step_clocks(kernel, arch)
    most = kernel.mean_steps if before else kernel.steps
    steps = (last - 1) * kernel.mean_steps + most
    ends, mean = ends_clocks(kernel, resident, arch), kernel.mean_steps
    clocks = before * float(slower(_ROUND_POWER, resident * mean * shared, mean * own + ends))
    clocks += float(slower(_STEPS_POWER, steps * shared, most * own))
    return clocks + ends_clocks(kernel, last, arch)


def _longest_clocks(kernel: AttentionKernel, arch: GpuArch) -> float:
    """Return the clocks of the block that has the most steps, if all others were done."""
    step = float(slower(_STEPS_POWER, *step_clocks(kernel, arch)))
    return kernel.steps * step + ends_clocks(kernel, 1, arch)
