"""Strategy ``flat``: elements of results of one shape, run by run in the order of memory.

Lives with the tests: it shows that a strategy is its file.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from xdsl.ir.affine import AffineExpr

from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role
from dlc.analysis.traffic import traffic_bytes, work
from dlc.arch import CpuArch
from dlc.core.affine import unflatten
from dlc.dialects.loop.attributes import LoopMap
from dlc.ir.tensor import shape
from dlc.lowering.axes import Output, store_elements
from dlc.lowering.job import Job
from dlc.lowering.scope import LoopScope
from dlc.model.upper_bound import cpu_bound
from dlc.strategies import Rated, Schedule
from dlc.strategies._implementation import Implementation
from dlc.strategies._key import flag, size
from dlc.strategies._strategy import FOREIGN, Strategy

Work = tuple[float, int]
"""Scalar operations and bytes."""


@dataclass(frozen=True)
class FlatOnCpu(Schedule, strategy="flat", target="cpu"):
    """A core writes the elements of a run."""

    run: int = size("elements of a run, which is SIMD", most=64)
    cores: bool = flag("whether runs are spread over several cores", False)


def _obstacles(cluster: Cluster) -> Iterator[str]:
    if cluster.kinds - {Role.ELEMENTWISE}:
        yield FOREIGN
    if len({shape(v) for v in cluster.results}) > 1:
        yield "runs of different lengths"


def _candidates(work: Work, arch: CpuArch) -> Iterator[FlatOnCpu]:
    yield from (FlatOnCpu(run) for run in (4, 8))


def _rate(work: Work, schedule: FlatOnCpu, arch: CpuArch) -> Rated:
    bound = cpu_bound(*work, 4, 1, arch)
    return Rated(schedule, bound, lambda: bound.time_s * (1 + 1 / schedule.run))


def _lower(job: Job, schedule: FlatOnCpu) -> None:
    for sizes, outputs in job.outputs_by_shape().items():
        _write(job, schedule, sizes, outputs)


def _write(job: Job, schedule: FlatOnCpu, sizes: Sequence[int], outputs: Sequence[Output]) -> None:
    scope = LoopScope(job.builder, job.buffers)
    count, run = prod(sizes), schedule.run

    def store(position: AffineExpr) -> None:
        store_elements(scope, outputs, unflatten(position, sizes))

    def write_run(number: AffineExpr) -> None:
        def write(lane: AffineExpr) -> None:
            position = number * run + lane
            if count % run:
                scope.where_below(position, count, lambda: store(position))
            else:
                store(position)

        scope.parallel_loop(run, LoopMap.VECTOR, write)

    map = LoopMap.CORES if schedule.cores else LoopMap.SERIAL
    scope.parallel_loop(-(-count // run), map, write_run)


STRATEGY = Strategy(
    "elementwise ops on tensors of one shape",
    "none",
    _obstacles,
    {
        "cpu": Implementation(
            FlatOnCpu,
            lambda cluster: (work(cluster), traffic_bytes(cluster)),
            _candidates,
            _rate,
            lambda _: "a run of elements",
            _lower,
        )
    },
    precedence=1,
)
