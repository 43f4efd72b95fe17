"""Chooses how a cluster is lowered: one file per strategy and kind of chip.

The spaces are fixed lists that do not depend on sizes (Hidet); a schedule that does not divide the
sizes has predicated tails. What exceeds the chip's limits is dropped, then what cannot be fast
by the upper bound, and the latency estimate ranks the rest.
"""

from collections.abc import Callable
from typing import NamedTuple

from dlc.analysis.dataflow import Cluster
from dlc.analysis.fusibility import strategies
from dlc.analysis.schedule import _contract_cpu, _contract_gpu, _map, _nest_cpu, _row
from dlc.analysis.schedule._candidate import Rated, Record
from dlc.analysis.upper_bound import UpperBound
from dlc.arch import Arch, CpuArch, GpuArch
from dlc.errors import CompileError

__all__ = ["Rated", "Record", "bound", "choose"]


def choose(cluster: Cluster, arch: Arch) -> Rated:
    """Return the schedule with the least estimated time, and its bound.

    Raises CompileError when no schedule of the space fits on the chip.
    """
    rated = (_choose(cluster, kind, arch) for kind in strategies(cluster))
    return min(rated, key=lambda r: r.latency_s())


def bound(cluster: Cluster, schedule: Record, arch: Arch) -> UpperBound:
    """Return the bound of a schedule that is given (a person may have edited it).

    Raises CompileError when its strategy does not lower the cluster, a key is missing or wrong, or
    the chip cannot hold a block.
    """
    kind, fitting = schedule.get("strategy"), strategies(cluster)
    if not isinstance(kind, str) or kind not in fitting:
        text = " or ".join(map(repr, fitting))
        raise CompileError(f"strategy {kind!r} does not lower this group; it needs {text}")
    if isinstance(arch, GpuArch):
        found = _GPU[kind].rate(cluster, schedule, arch).bound
    else:
        found = _CPU[kind].rate(cluster, schedule, arch).bound
    if found.violation:
        raise CompileError(found.violation)
    return found


def _choose(cluster: Cluster, kind: str, arch: Arch) -> Rated:
    if isinstance(arch, GpuArch):
        return _GPU[kind].choose(cluster, arch)
    return _CPU[kind].choose(cluster, arch)


class _Gpu(NamedTuple):
    choose: Callable[[Cluster, GpuArch], Rated]
    rate: Callable[[Cluster, Record, GpuArch], Rated]


class _Cpu(NamedTuple):
    choose: Callable[[Cluster, CpuArch], Rated]
    rate: Callable[[Cluster, Record, CpuArch], Rated]


_GPU = {
    "contract": _Gpu(_contract_gpu.choose, _contract_gpu.rate),
    "map": _Gpu(_map.choose, _map.rate),
    "row": _Gpu(_row.choose, _row.rate),
}
_CPU = {
    "contract": _Cpu(_contract_cpu.choose, _contract_cpu.rate),
    "map": _Cpu(_nest_cpu.choose_map, _nest_cpu.rate),
    "row": _Cpu(_nest_cpu.choose_row, _nest_cpu.rate),
}
