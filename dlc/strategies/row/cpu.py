"""``row`` on a CPU: one core or all."""

from dataclasses import dataclass
from math import prod

from dlc.analysis.dataflow import Cluster
from dlc.arch import CpuArch
from dlc.strategies import _loop_nest
from dlc.strategies._implementation import Implementation
from dlc.strategies._key import flag
from dlc.strategies._loop_nest import NestWork
from dlc.strategies._rated import Rated
from dlc.strategies._schedule import Schedule
from dlc.strategies.row.lowering import lower_on_cores


@dataclass(frozen=True)
class RowOnCpu(Schedule, strategy="row", target="cpu"):
    """The innermost loop is SIMD; the others may be spread."""

    cores: bool = flag("whether rows are spread over several cores", False)


def _work_of(cluster: Cluster) -> NestWork:
    # There are no lanes along a row that is not stored in order.
    spaces = [f.rows for f in map(cluster.facts, cluster.ops) if f.rows]
    on_lanes = any(len(s.shape) - 1 in s.axes for s in spaces)
    return _loop_nest.work_of(cluster, on_lanes, max(prod(s.squeezed) for s in spaces))


def _rate(work: NestWork, schedule: RowOnCpu, arch: CpuArch) -> Rated:
    return _loop_nest.rate(work, schedule, schedule.cores, arch)


IMPLEMENTATION = Implementation(
    RowOnCpu,
    _work_of,
    lambda *_: (RowOnCpu(False), RowOnCpu(True)),
    _rate,
    lambda _: "a loop nest",
    lambda job, schedule: lower_on_cores(job, schedule.cores),
)
