"""``contract`` on a GPU: how schedules are rated, and what makes the strategy up."""

from collections.abc import Sequence

import numpy as np

from dlc.arch import GpuArch
from dlc.model.contraction import Contraction, Tiles, estimate_s
from dlc.model.upper_bound import gpu_bound
from dlc.strategies._implementation import Implementation
from dlc.strategies._rated import Rated, Seconds
from dlc.strategies.contract.families import Families
from dlc.strategies.contract.gpu_lowering import lower
from dlc.strategies.contract.gpu_space import candidates
from dlc.strategies.contract.schedule import ContractOnGpu
from dlc.strategies.contract.tiling import Tiling, check, instruction_named
from dlc.strategies.contract.work import describe, work_of


def rate(work: Contraction, schedule: ContractOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    tiling = Tiling.of(work, schedule, arch)
    bound = gpu_bound(tiling.kernel_work(), arch)

    def latency_s() -> float:
        return float(estimate_s(tiling.tiles(), arch)[0])

    return Rated(schedule, bound, latency_s)


def tiles(work: Contraction, schedules: Sequence[ContractOnGpu], arch: GpuArch) -> Tiles:
    """Return the tilings of schedules with instructions of one family and as many products beside
    each other, as the model takes them.
    """
    instruction = instruction_named(schedules[0].instruction, work, arch)
    joined = work.joined(schedules[0].groups)
    return Tiles.of(joined, instruction, [each.numbers for each in schedules])


def estimate(work: Contraction, schedules: Sequence[ContractOnGpu], arch: GpuArch) -> Seconds:
    """Return the seconds of schedules."""
    seconds = np.empty(len(schedules))
    for family in Families.of(schedules).each:
        instruction = instruction_named(family.instruction, work, arch)
        own = Tiles.of(work.joined(family.groups), instruction, family.numbers)
        seconds[family.places] = estimate_s(own, arch)
    return seconds


IMPLEMENTATION = Implementation(
    ContractOnGpu, work_of, candidates, rate, describe, lower, estimate, check
)
