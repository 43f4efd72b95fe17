"""``map`` on a CPU: one core or all."""

from dataclasses import dataclass

from dlc.analysis.dataflow import Cluster
from dlc.arch import CpuArch
from dlc.ir.tensor import element_count
from dlc.strategies import _loop_nest
from dlc.strategies._implementation import Implementation
from dlc.strategies._key import flag
from dlc.strategies._loop_nest import NestWork
from dlc.strategies._rated import Rated
from dlc.strategies._schedule import Schedule
from dlc.strategies.map.cores import lower_on_cores
from dlc.strategies.map.windows import needs_windows

_WINDOWS = "sums of windows that other sums read are kept on a GPU only"


@dataclass(frozen=True)
class MapOnCpu(Schedule, strategy="map", target="cpu"):
    """The innermost loop is SIMD; the others may be spread."""

    cores: bool = flag("whether the outer loops run on several cores", False)


def _work_of(cluster: Cluster) -> NestWork:
    on_lanes = _loop_nest.reduces_on_lanes(cluster)
    results = max(map(element_count, cluster.results))
    return _loop_nest.work_of(cluster.alone, on_lanes, results)


def _rate(work: NestWork, schedule: MapOnCpu, arch: CpuArch) -> Rated:
    return _loop_nest.rate(work, schedule, schedule.cores, arch)


IMPLEMENTATION = Implementation(
    MapOnCpu,
    _work_of,
    lambda *_: (MapOnCpu(False), MapOnCpu(True)),
    _rate,
    lambda _: "a loop nest",
    lambda job, schedule: lower_on_cores(job, schedule.cores),
    obstacle=lambda cluster: _WINDOWS if needs_windows(cluster) else None,
)
