"""The clocks of a step: some keys with all rows of a block."""

from dataclasses import dataclass, replace

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import PIECE_BYTES
from dlc.model.attention.ends import latency_clocks
from dlc.model.attention.kernel import AttentionKernel
from dlc.model.contraction.overlap import slower

_ELEMENT_INSTRUCTIONS = 6.0
"""Of a score: largest, difference, exponential, total, half a conversion, and its move. Counted in
the machine code of kernels for sm_90a, as the next ones.
"""

_SUM_INSTRUCTIONS = 1.0
"""Of a sum in a step behind the first: it is rescaled."""

_STEP_INSTRUCTIONS = 120.0
"""Of a warp in a step, beside these: largest scores of its rows, addresses."""

_COPY_INSTRUCTIONS = 3.0
"""Of a copy of 16 bytes a lane, with its place."""

_COPY_BYTES = PIECE_BYTES * WARP_LANES

_ALONE = 0.5
"""Instructions that a warp issues in a clock where its scheduler has no other; not measured."""

_GROUP_ISSUE, _GROUP_ALONE, _GROUP_POWER = 0.63, 0.36, 0.165
"""Of warps that multiply together: the instructions that a scheduler issues in a clock, those that
a warp does where it is alone, and what power of the number of warps helps: each instruction waits
for the one before. Fitted, as the next ones, to 300 kernels of 47 shapes.
"""

_ONE_STEP = 0.9
"""What a single step takes of what one of several does: nothing is kept for the next."""

_IN_STEP = 1.14
"""What a step takes longer where two warpgroups with producers begin it together. These issue one
instruction in a clock.
"""


_AHEAD = 0.88
"""What a step takes in order whose product with values runs under the next softmax, of what it
takes without: measured on 11 shapes, in pairs of 64 and 128 rows by threads and by producers.
"""


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


def step_clocks(kernel: AttentionKernel, arch: GpuArch) -> tuple[float, float]:
    """Return the clocks of a step that blocks on an SM share, and those of what one does in order,
    waiting for keys included.
    """
    work, alone = step_work(kernel, arch), kernel.all_warps / arch.issue_per_clock_per_sm
    if kernel.reads_shared:  # it multiplies and copies meanwhile; groups wait for each other
        working = work.issuing / _GROUP_ALONE / alone**_GROUP_POWER
        working *= _AHEAD if kernel.ahead else 1.0
        if kernel.producers:  # what comes is there, if its slot was empty in time
            waiting = _waiting(kernel, working, arch) if kernel.ahead else 0.0
            return _IN_STEP * work.shared(1), _IN_STEP * working + waiting
        working += work.moving
        shared = replace(work, issuing=work.issuing / _GROUP_ISSUE).shared(1)
        shared *= _ONE_STEP if kernel.steps == 1 else 1.0
    else:
        shared = work.shared(1)
        working = (work.multiplying + work.issuing / _ALONE + work.exponentials) / min(1.0, alone)
        working += work.moving + arch.costs.step_clocks
    return shared, working + _waiting(kernel, working, arch)


def _waiting(kernel: AttentionKernel, working: float, arch: GpuArch) -> float:
    """Return the clocks in which a block waits for the keys and values of a step, on average: they
    come while those before are worked on, if there is room for both. The first ones count apart.
    """
    latency = latency_clocks(arch) + kernel.step_bytes / arch.l2_bytes_per_clock_into_sm
    behind_first = (kernel.steps - 1) / kernel.steps
    before = kernel.stages - (2 if kernel.ahead else 1)
    return behind_first * max(0.0, latency - before * working)
