"""The schedules of ``stitched`` that there are to choose from."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from math import fsum, inf

from dlc.arch import GpuArch
from dlc.arch.scope import CLUSTER_BLOCKS
from dlc.strategies._implementation import AnyImplementation, space_of
from dlc.strategies._schedule import Schedule
from dlc.strategies.stitched.meeting import may_gain, meetings_s
from dlc.strategies.stitched.schedule import (
    BLOCK,
    CLUSTER,
    GRID,
    NONE,
    StitchedOnGpu,
    stage_text,
)
from dlc.strategies.stitched.work import Stage, StitchedWork

_THREADS = (128, 256, 512)


def candidates(work: StitchedWork, arch: GpuArch) -> Iterator[StitchedOnGpu]:
    """Yield the schedules of the space: for each number of threads of a block that all stages can
    have, all of the chip, a cluster and a block, of which each takes the schedules that are best on
    that part of the chip.

    A part is left out where the bytes alone, which its SMs take in, need more time than the start
    of a kernel for each stage and the bytes on all of the chip.
    """
    return _made(work, arch, _parts(work, arch))


def gaining(work: StitchedWork, arch: GpuArch) -> Iterator[StitchedOnGpu]:
    """Yield those schedules of the space that may take less than the stages as kernels: a search
    has no use for others, which take most of the time that rating the space needs.
    """
    return _made(work, arch, (way for way in _parts(work, arch) if may_gain(way[0], arch)))


def _made(
    work: StitchedWork, arch: GpuArch, ways: Iterable[tuple[str, int]]
) -> Iterator[StitchedOnGpu]:
    for carry, blocks in ways:
        part = arch.part(blocks)
        for threads in _THREADS:
            found = [best_of_stage(stage, threads, part) for stage in work.stages]
            stages = [schedule for schedule in found if schedule is not None]
            if len(stages) == len(found):
                yield _schedule(work, stages, threads, blocks, carry)


def least_s(stages: Sequence[tuple[float, int]], arch: GpuArch) -> tuple[float, float]:
    """Return the least seconds that a kernel may take whose meetings may gain, and those of one
    whose do not, of stages that each take so many alone and move so many bytes: no fewer SMs are
    faster, and none takes in more than it can.
    """
    start_s = arch.costs.start_us * 1e-6

    def of_way(carry: str, blocks: int) -> float:
        rate = arch.part(blocks).l2_bytes_per_s
        own_s = fsum(max(seconds - start_s, bytes / rate) for seconds, bytes in stages)
        return start_s + own_s + meetings_s([carry] * (len(stages) - 1), arch)

    found = {way: of_way(*way) for way in _ways(arch)}
    gaining, others = (
        [s for (carry, _), s in found.items() if may_gain(carry, arch) is wanted]
        for wanted in (True, False)
    )
    return min(gaining, default=inf), min(others, default=inf)


def _ways(arch: GpuArch) -> Iterator[tuple[str, int]]:
    """Yield who may meet between stages, and how many blocks that are."""
    yield GRID, arch.sm_count
    if arch.cluster_sms:
        yield CLUSTER, max(CLUSTER_BLOCKS)
    yield BLOCK, 1


def _parts(work: StitchedWork, arch: GpuArch) -> Iterator[tuple[str, int]]:
    """Yield how stages may be connected, and how many blocks there are then."""
    all_s, starts_s = _least_s(work, arch), len(work.stages) * arch.costs.start_us * 1e-6
    for carry, blocks in _ways(arch):
        if carry == GRID or _least_s(work, arch.part(blocks)) < starts_s + all_s:
            yield carry, blocks


def _least_s(work: StitchedWork, arch: GpuArch) -> float:
    """Return the seconds in which a chip takes in the bytes of all stages."""
    return sum(stage.bytes for stage in work.stages) / arch.l2_bytes_per_s


def _schedule(
    work: StitchedWork, stages: Sequence[Schedule], threads: int, blocks: int, carry: str
) -> StitchedOnGpu:
    carries = tuple(carry if stage.waits else NONE for stage in work.stages[1:])
    return StitchedOnGpu(threads, blocks, carries, tuple(map(stage_text, stages)))


def best_of_stage(stage: Stage, threads: int, arch: GpuArch) -> Schedule | None:
    """Return the fastest schedule of a stage whose blocks have so many threads."""
    ways = (_fastest(own, work, arch).get(threads) for own, work in stage.ways)
    found = sorted(filter(None, ways), key=lambda way: way[0])
    return found[0][1] if found else None


@lru_cache(4096)  # stages are those of many clusters
def _fastest(
    own: AnyImplementation, work: object, arch: GpuArch
) -> Mapping[int, tuple[float, Schedule]]:
    """Return the seconds and the schedule of the fastest kernel that may be a stage, by the threads
    of a block.
    """
    space = space_of(own, work, arch)
    found: dict[int, tuple[float, Schedule]] = {}
    for seconds, schedule in zip(space.seconds.tolist(), space.schedules, strict=True):
        threads = schedule.stage_threads
        if threads in _THREADS and seconds < found.get(threads, (float("inf"),))[0]:
            found[threads] = seconds, schedule
    return found
