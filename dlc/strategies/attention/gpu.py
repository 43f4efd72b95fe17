"""``attention`` on a GPU: how schedules are rated, and what makes the strategy up."""

from collections.abc import Iterator
from itertools import product

from dlc.arch import GpuArch
from dlc.errors import CompileError
from dlc.model.attention import AttentionKernel, estimate_s
from dlc.model.upper_bound import KernelWork, gpu_bound
from dlc.strategies._implementation import Implementation
from dlc.strategies._rated import Rated
from dlc.strategies.attention.lowering import lower
from dlc.strategies.attention.schedule import AttentionOnGpu
from dlc.strategies.attention.sizes import padded_columns, padded_depth
from dlc.strategies.attention.work import AttentionWork, describe, work_of

_BLOCKS = ((16, 1), (32, 2), (64, 4), (128, 8), (64, 2), (128, 4), (256, 8))
"""Rows and warps of blocks."""

_STEPS = (32, 48, 64, 80, 96, 112, 128)

_STAGES = (1, 2, 3)


def candidates(work: AttentionWork, arch: GpuArch) -> Iterator[AttentionOnGpu]:
    """Yield the schedules; none for factors that the chip has no instruction for."""
    if _unit(work) in arch.flops_per_clock_per_sm and _capability(work) in arch.capabilities:
        for (rows, warps), step, stages, exchange in product(
            _BLOCKS, _STEPS, _STAGES, (False, True)
        ):
            yield AttentionOnGpu(rows, step, warps, stages=stages, exchange=exchange)


def _unit(work: AttentionWork) -> str:
    return f"mma.{work.element}"


def _capability(work: AttentionWork) -> str:
    return f"mma.sync.{work.element}"


def rate(work: AttentionWork, schedule: AttentionOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    if _capability(work) not in arch.capabilities or work.element not in ("f16", "bf16"):
        raise CompileError(
            f"{schedule.instruction} does not multiply {work.element} on {arch.target}; use the "
            "schedules of the ops apart"
        )
    kernel = _kernel(work, schedule)
    read = kernel.blocks * (2 * kernel.rows * kernel.depth + kernel.steps * kernel.step_bytes)
    bound = gpu_bound(
        KernelWork(
            unit=_unit(work),
            flops=work.flops,
            issued_flops=work.flops,
            global_bytes=work.read_bytes + work.written_bytes,
            l2_bytes=work.read_bytes + work.written_bytes,
            shared_bytes=read,
            blocks=kernel.blocks,
            block=kernel.block,
        ),
        arch,
    )
    return Rated(schedule, bound, lambda: estimate_s(kernel, arch))


def _kernel(work: AttentionWork, schedule: AttentionOnGpu) -> AttentionKernel:
    """Return the kernel of a schedule, as the model takes it."""
    return AttentionKernel(
        blocks=work.batch * -(-work.rows // schedule.rows),
        rows=schedule.rows,
        keys=schedule.step,
        warps=schedule.warps,
        stages=schedule.stages,
        steps=-(-work.keys // schedule.step),
        depth=padded_depth(work.depth),
        columns=padded_columns(work.columns),
        element=work.element,
        operations=work.operations,
        reads=work.reads,
        exchange=schedule.exchange,
        read_bytes=work.read_bytes,
        written_bytes=work.written_bytes,
    )


IMPLEMENTATION = Implementation(AttentionOnGpu, work_of, candidates, rate, describe, lower)
