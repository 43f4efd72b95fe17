"""``attention`` on a GPU: how schedules are rated, and what makes the strategy up."""

from collections.abc import Iterator
from itertools import product
from statistics import fmean

from dlc.arch import GpuArch, instructions
from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope
from dlc.errors import CompileError
from dlc.model.attention import AttentionKernel, estimate_s
from dlc.model.upper_bound import KernelWork, gpu_bound
from dlc.strategies._implementation import Implementation
from dlc.strategies._rated import Rated
from dlc.strategies.attention.lowering import lower
from dlc.strategies.attention.schedule import INSTRUCTIONS, PIECE, AttentionOnGpu
from dlc.strategies.attention.splits import split_candidates
from dlc.strategies.attention.work import AttentionWork, describe, work_of

_BLOCKS = {
    Scope.WARP: dict.fromkeys(
        ((16, 1), (32, 2), (64, 4), (128, 8), (64, 2), (128, 4), (256, 8)),
        (32, 48, 64, 80, 96, 112, 128),
    ),
    Scope.WARPGROUP: {(64, 4): (64, 80, 96, 112, 128, 192, 224, 256), (128, 8): (64, 128)},
}
"""Rows and warps of blocks, and keys of their steps, by who multiplies together. Of warpgroups
those that were among the best of 99 measured ones.
"""

_STAGES = {Scope.WARP: (1, 2, 3), Scope.WARPGROUP: (2, 3)}


def candidates(work: AttentionWork, arch: GpuArch) -> Iterator[AttentionOnGpu]:
    """Yield the schedules; none for factors that the chip has no instruction for."""
    for name, row in _instructions(work, arch).items():
        for (rows, warps), steps in _BLOCKS[row.scope].items():
            for step, exchange in product(steps, (False, True)):
                # A single step has nothing to come ahead.
                for stages in (1,) if step >= work.keys else _STAGES[row.scope]:
                    schedule = AttentionOnGpu(rows, step, warps, name, stages, exchange)
                    if _reads_lines(work, schedule):
                        yield schedule
    if PIECE in _instructions(work, arch):
        yield from split_candidates(work)


def _reads_lines(work: AttentionWork, schedule: AttentionOnGpu) -> bool:
    """Return whether the instruction finds lines that it reads."""
    lengths = schedule.padded_depth(work.depth), schedule.padded_columns(work.columns)
    try:
        schedule.check_lines(work.element_bytes, *lengths)
    except CompileError:
        return False
    return True


def _instructions(work: AttentionWork, arch: GpuArch) -> dict[str, Instruction]:
    """Return the instructions that the chip has for these factors, as schedules name them."""
    fitting = instructions.multiplying(work.element, work.compute, arch.capabilities)
    rows = {row.name: row for row in fitting}
    return {name: rows[narrowest] for name, narrowest in INSTRUCTIONS.items() if narrowest in rows}


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
            shared_bytes=kernel.blocks * (queries + kernel.mean_steps * kernel.step_bytes),
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
    instruction = _instructions(work, arch).get(schedule.instruction)
    if instruction is None:
        raise CompileError(
            f"{schedule.instruction} does not multiply {work.element} on {arch.target}; use the "
            "schedules of the ops apart"
        )
    depth, columns = schedule.padded_depth(work.depth), schedule.padded_columns(work.columns)
    schedule.check_lines(work.element_bytes, depth, columns)
    schedule.check_walk(work.last_seen is not None)
    return AttentionKernel(
        instruction=instruction,
        element_bytes=work.element_bytes,
        blocks=work.batch * -(-work.rows // schedule.rows) * schedule.split,
        rows=schedule.rows,
        keys=schedule.step,
        warps=schedule.warps,
        stages=schedule.stages,
        steps=-(-work.keys // (schedule.step * schedule.split)),
        mean_steps=fmean(_steps(work, schedule)),
        depth=depth,
        columns=columns,
        operations=work.operations,
        reads=work.reads,
        exchange=schedule.exchange,
        read_bytes=work.read_bytes,
        written_bytes=work.written_bytes,
        split=schedule.split,
        left_rows=min(work.rows, schedule.rows),
        teams=schedule.teams,
    )


def _steps(work: AttentionWork, schedule: AttentionOnGpu) -> list[int]:
    """Return the steps of the blocks; those that have parts of the keys go through all of these."""
    if schedule.split > 1:
        return [-(-work.keys // (schedule.step * schedule.split))]
    return work.steps(schedule.rows, schedule.step)


IMPLEMENTATION = Implementation(AttentionOnGpu, work_of, candidates, rate, describe, lower)
