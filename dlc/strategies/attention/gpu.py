"""``attention`` on a GPU: how schedules are rated, and what makes the strategy up."""

from collections.abc import Iterator
from itertools import product

from dlc.arch import GpuArch, instructions
from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope
from dlc.errors import CompileError
from dlc.model.attention import AttentionKernel, estimate_s
from dlc.model.upper_bound import KernelWork, gpu_bound
from dlc.strategies._implementation import Implementation
from dlc.strategies._rated import Rated
from dlc.strategies.attention.lowering import lower
from dlc.strategies.attention.schedule import INSTRUCTIONS, AttentionOnGpu
from dlc.strategies.attention.work import AttentionWork, describe, work_of

_BLOCKS = {
    Scope.WARP: ((16, 1), (32, 2), (64, 4), (128, 8), (64, 2), (128, 4), (256, 8)),
    Scope.WARPGROUP: ((64, 4), (128, 8), (128, 4), (192, 12)),
}
"""Rows and warps of blocks, by who multiplies together."""

_STEPS = {
    Scope.WARP: (32, 48, 64, 80, 96, 112, 128),
    Scope.WARPGROUP: (64, 80, 96, 112, 128, 160, 224),
}

_STAGES = (1, 2, 3)


def candidates(work: AttentionWork, arch: GpuArch) -> Iterator[AttentionOnGpu]:
    """Yield the schedules; none for factors that the chip has no instruction for."""
    for row in _instructions(work, arch):
        for (rows, warps), step, stages, exchange in product(
            _BLOCKS[row.scope], _STEPS[row.scope], _STAGES, (False, True)
        ):
            schedule = AttentionOnGpu(rows, step, warps, row.name, stages, exchange)
            # A single step has nothing to come ahead.
            if (stages == 1 or step < work.keys) and _reads_lines(work, schedule):
                yield schedule


def _reads_lines(work: AttentionWork, schedule: AttentionOnGpu) -> bool:
    """Return whether the instruction finds lines that it reads."""
    lengths = schedule.padded_depth(work.depth), schedule.padded_columns(work.columns)
    try:
        schedule.check_lines(work.element_bytes, *lengths)
    except CompileError:
        return False
    return True


def _instructions(work: AttentionWork, arch: GpuArch) -> list[Instruction]:
    """Return the instructions of schedules that the chip has for these factors."""
    fitting = instructions.multiplying(work.element, work.compute, arch.capabilities)
    return [row for row in fitting if row.name in INSTRUCTIONS]


def rate(work: AttentionWork, schedule: AttentionOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    kernel = kernel_of(work, schedule, arch)
    queries = kernel.element_bytes * kernel.rows * kernel.depth
    bound = gpu_bound(
        KernelWork(
            unit=kernel.instruction.unit,
            flops=work.flops,
            issued_flops=work.flops,
            global_bytes=work.read_bytes + work.written_bytes,
            l2_bytes=work.read_bytes + work.written_bytes,
            shared_bytes=kernel.blocks * (queries + kernel.steps * kernel.step_bytes),
            blocks=kernel.blocks,
            block=kernel.block,
        ),
        arch,
    )
    return Rated(schedule, bound, lambda: estimate_s(kernel, arch))


def kernel_of(work: AttentionWork, schedule: AttentionOnGpu, arch: GpuArch) -> AttentionKernel:
    """Return the kernel of a schedule, as the model takes it; raises CompileError where the chip
    has no such instruction for these factors.
    """
    fitting = [row for row in _instructions(work, arch) if row.name == schedule.instruction]
    if not fitting:
        raise CompileError(
            f"{schedule.instruction} does not multiply {work.element} on {arch.target}; use the "
            "schedules of the ops apart"
        )
    depth, columns = schedule.padded_depth(work.depth), schedule.padded_columns(work.columns)
    schedule.check_lines(work.element_bytes, depth, columns)
    return AttentionKernel(
        instruction=fitting[0],
        element_bytes=work.element_bytes,
        blocks=work.batch * -(-work.rows // schedule.rows),
        rows=schedule.rows,
        keys=schedule.step,
        warps=schedule.warps,
        stages=schedule.stages,
        steps=-(-work.keys // schedule.step),
        depth=depth,
        columns=columns,
        operations=work.operations,
        reads=work.reads,
        exchange=schedule.exchange,
        read_bytes=work.read_bytes,
        written_bytes=work.written_bytes,
    )


IMPLEMENTATION = Implementation(AttentionOnGpu, work_of, candidates, rate, describe, lower)
