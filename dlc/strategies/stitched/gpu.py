"""``stitched`` on a GPU: how schedules are rated, and what makes the strategy up."""

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, fsum

from dlc.arch import GpuArch
from dlc.errors import CompileError
from dlc.model.upper_bound import UpperBound
from dlc.strategies._implementation import Implementation
from dlc.strategies._rated import Rated
from dlc.strategies._schedule import Schedule
from dlc.strategies.stitched.lowering import lower
from dlc.strategies.stitched.meeting import meetings_s
from dlc.strategies.stitched.schedule import NONE, StitchedOnGpu
from dlc.strategies.stitched.space import candidates, gaining
from dlc.strategies.stitched.work import Stage, StitchedWork, work_of


def rate(work: StitchedWork, schedule: StitchedOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule: the stages follow each other on that part
    of the chip which the blocks have, and meet in between.
    """
    schedule.check_chip(arch)
    per_sm = ceil(schedule.blocks / arch.sm_count)
    if schedule.is_cooperative and per_sm > 1:
        raise CompileError(
            f"blocks = {schedule.blocks} that meet are rated with one on each of {arch.sm_count} "
            "SMs at most; lower blocks"
        )
    part = arch.part(min(schedule.blocks, arch.sm_count), per_sm)
    pairs = zip(work.stages, schedule.parts, strict=True)
    rated = [_stage(number, own, each, part) for number, (own, each) in enumerate(pairs)]

    def latency_s() -> float:
        start_s = arch.costs.start_us * 1e-6
        stages_s = fsum(max(0.0, each.latency_s() - start_s) for each in rated)
        return start_s + stages_s + meetings_s(schedule.carry, arch)

    return Rated(schedule, _bound([each.bound for each in rated], arch), latency_s)


def _stage(number: int, stage: Stage, schedule: Schedule, part: GpuArch) -> Rated:
    """Return what the models say of a stage; raises CompileError where it is not computed so."""
    own = next((x for x in stage.ways if x[0].schedule.strategy == schedule.strategy), None)
    if own is None:
        ways = " or ".join(sorted({each.schedule.strategy for each, _ in stage.ways}))
        raise CompileError(
            f"stage {number} is not lowered by strategy {schedule.strategy!r}, but by {ways}"
        )
    implementation, work = own
    if implementation.check is not None:
        implementation.check(work, schedule)
    return implementation.rate(work, schedule, part)


def _bound(stages: Sequence[UpperBound], arch: GpuArch) -> UpperBound:
    """Return the bound of a kernel of stages: one launch, and the rest of each."""
    floor_s = arch.launch_floor_us * 1e-6
    longest = max(stages, key=lambda each: each.time_s)
    time_s = floor_s + fsum(each.time_s - floor_s for each in stages)
    beyond = next((each.violation for each in stages if each.violation is not None), None)
    return replace(longest, time_s=time_s, violation=beyond)


def _check(work: StitchedWork, schedule: StitchedOnGpu) -> None:
    """Raise CompileError for a schedule with other stages than the work, or too few meetings."""
    if len(schedule.stages) != len(work.stages):
        raise CompileError(
            f"stages has {len(schedule.stages)} items, this group has {len(work.stages)} stages"
        )
    for number, (stage, carry) in enumerate(zip(work.stages[1:], schedule.carry, strict=True), 1):
        if stage.waits and carry == NONE:
            raise CompileError(
                f'stage {number} reads what stages before it give: carry = "{NONE}" does not do'
            )


IMPLEMENTATION = Implementation(
    StitchedOnGpu,
    work_of,
    candidates,
    rate,
    lambda work: f"a kernel of {len(work.stages)} stages",
    lower,
    check=_check,
)
GAINING = replace(IMPLEMENTATION, candidates=gaining)
