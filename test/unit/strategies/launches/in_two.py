"""Strategy ``in_two``: what the last op reads is computed by a kernel of its own.

Lives with the tests: it shows that a group may become several launches.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role
from dlc.analysis.traffic import traffic_bytes, work
from dlc.arch import CpuArch, GpuArch
from dlc.dialects.fused_group import YieldOp
from dlc.lowering.job import Job
from dlc.model.occupancy import BlockResources
from dlc.model.upper_bound import cpu_bound, gpu_bound, streaming_work
from dlc.strategies import Rated, Schedule
from dlc.strategies._implementation import Implementation
from dlc.strategies._key import size
from dlc.strategies._strategy import FOREIGN, Strategy
from dlc.strategies.map.cores import lower_on_cores
from dlc.strategies.map.threads import lower_on_threads

Work = tuple[float, int]
"""Scalar operations and bytes."""


@dataclass(frozen=True)
class InTwoOnCpu(Schedule, strategy="in_two", target="cpu"):
    """One core computes both halves."""


@dataclass(frozen=True)
class InTwoOnGpu(Schedule, strategy="in_two", target="gpu"):
    """A thread computes an element of each half."""

    threads: int = size("threads per block")


def _obstacles(cluster: Cluster) -> Iterator[str]:
    if cluster.kinds - {Role.ELEMENTWISE}:
        yield FOREIGN
    if len(cluster.ops) < 2 or len(cluster.results) > 1:
        yield "no two halves"


def _halves(job: Job) -> list[Job]:
    """Return the jobs of both halves: the values that the last op reads stand between them."""
    first = job.add_earlier()
    *_, last, end = job.group.body.block.ops
    assert isinstance(end, YieldOp)
    for value in dict.fromkeys(last.operands):
        if value not in job.buffers:
            job.compute_earlier(value, first)
    return [first, job]


def _lower_on_cpu(job: Job, _: InTwoOnCpu) -> None:
    for half in _halves(job):
        lower_on_cores(half, cores=False)


def _lower_on_gpu(job: Job, schedule: InTwoOnGpu) -> None:
    for half in _halves(job):
        lower_on_threads(half, schedule.threads, 1)


def _rate_on_cpu(work: Work, schedule: InTwoOnCpu, arch: CpuArch) -> Rated:
    bound = cpu_bound(*work, 4, 1, arch)
    return Rated(schedule, bound, lambda: bound.time_s)


def _rate_on_gpu(work: Work, schedule: InTwoOnGpu, arch: GpuArch) -> Rated:
    block = BlockResources(schedule.threads, 32)
    bound = gpu_bound(streaming_work(work[0], work[0], work[1], 1, block), arch)
    return Rated(schedule, bound, lambda: 0.0)


def _work_of(cluster: Cluster) -> Work:
    return work(cluster), traffic_bytes(cluster)


STRATEGY = Strategy(
    "elementwise ops, the last one apart",
    "none",
    _obstacles,
    {
        "cpu": Implementation(
            InTwoOnCpu,
            _work_of,
            lambda work, arch: [InTwoOnCpu()],
            _rate_on_cpu,
            lambda _: "two halves",
            _lower_on_cpu,
        ),
        "gpu": Implementation(
            InTwoOnGpu,
            _work_of,
            lambda work, arch: [InTwoOnGpu(64)],
            _rate_on_gpu,
            lambda _: "two halves",
            _lower_on_gpu,
        ),
    },
    precedence=1,
)
