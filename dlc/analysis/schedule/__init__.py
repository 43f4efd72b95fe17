"""Chooses how a cluster is lowered: one file per strategy and kind of chip.

The spaces are fixed lists that do not depend on sizes (Hidet); a schedule that does not divide the
sizes has predicated tails. What exceeds the chip's limits is dropped, then what cannot be fast
by the upper bound, and the latency estimate ranks the rest.
"""

from typing import Any

from dlc.analysis.dataflow import Cluster
from dlc.analysis.fusibility import strategies
from dlc.analysis.schedule import _contract_cpu, _contract_gpu, _map, _nest_cpu, _row
from dlc.analysis.schedule._candidate import Rated, Record
from dlc.analysis.schedule._strategy import Strategy
from dlc.arch import Arch, CpuArch, GpuArch
from dlc.errors import CompileError
from dlc.model.upper_bound import UpperBound

__all__ = ["Rated", "Record", "bound", "choose"]


def choose(cluster: Cluster, arch: Arch) -> Rated:
    """Return the schedule with the least estimated time, and its bound.

    Raises CompileError when no schedule of the space fits on the chip.
    """
    rated = (_strategy(kind, arch).choose(cluster, arch) for kind in strategies(cluster))
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
    found = _strategy(kind, arch).rate(cluster, schedule, arch).bound
    if found.violation:
        raise CompileError(found.violation)
    return found


def _strategy(kind: str, arch: Arch) -> Strategy[Any, Any]:
    return (_GPU if isinstance(arch, GpuArch) else _CPU)[kind]


_GPU: dict[str, Strategy[Any, GpuArch]] = {
    "contract": _contract_gpu.STRATEGY,
    "map": _map.STRATEGY,
    "row": _row.STRATEGY,
}
_CPU: dict[str, Strategy[Any, CpuArch]] = {
    "contract": _contract_cpu.STRATEGY,
    "map": _nest_cpu.MAP,
    "row": _nest_cpu.ROW,
}
