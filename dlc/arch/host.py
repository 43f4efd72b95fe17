"""The row of the machine that this process runs on."""

import os
import platform
import re
from dataclasses import replace
from functools import cache
from pathlib import Path

from dlc.arch.cpu import CpuArch
from dlc.arch.cpus import CPUS, GENERIC

X86 = "x86_64"
"""The machine that the rows of CPUs are for, as ``platform.machine`` names it."""

_CPUINFO = Path("/proc/cpuinfo")
_SYSFS = Path("/sys/devices/system/cpu")


@cache
def host() -> CpuArch:
    """Return this machine as a row named ``cpu``.

    Cores, instruction set, caches and highest clock are read; what the system does not tell (memory
    bandwidth, cache rates) is taken from the best row whose capabilities the processor has.
    """
    return host_from(_CPUINFO, _SYSFS, sorted(os.sched_getaffinity(0)))


def host_from(cpuinfo: Path, sysfs: Path, cpus: list[int]) -> CpuArch:
    """Return the row that a ``/proc/cpuinfo`` and a ``/sys/devices/system/cpu`` describe.

    cpus: the logical CPUs that this process may use.
    """
    flags = processor_flags(cpuinfo)
    row = next((r for r in CPUS if r.capabilities <= flags), GENERIC)
    first = sysfs / f"cpu{cpus[0]}"
    caches = _cache_bytes(first / "cache")
    cores = len({_text(sysfs / f"cpu{n}/topology/thread_siblings_list") or n for n in cpus})
    max_khz = _text(first / "cpufreq" / "cpuinfo_max_freq")
    return replace(
        row,
        name="cpu",
        cores=cores,
        clock_hz=int(max_khz) * 1e3 if max_khz.isdigit() else row.clock_hz,
        compiler_flags=row.compiler_flags if platform.machine() == X86 else (),
        l1_bytes=caches.get(1, row.l1_bytes),
        l2_bytes=caches.get(2, row.l2_bytes),
        l3_bytes=caches.get(3, row.l3_bytes),
        parallel_region_us=_region_us(row, cores),
    )


def _region_us(row: CpuArch, cores: int) -> float:
    """Return fork and join of ``cores`` threads: each one more than two takes equally long."""
    pair_us = row.costs.pair_us
    each_us = (row.parallel_region_us - pair_us) / (row.cores - 2)
    return max(pair_us, pair_us + (cores - 2) * each_us)


def _text(path: Path) -> str:
    try:
        return path.read_text().strip()
    except OSError:
        return ""


def processor_flags(cpuinfo: Path = _CPUINFO) -> set[str]:
    """Return the feature flags of the first CPU (x86); none where there are no such lines."""
    line = re.search(r"^flags\s*:(.*)$", _text(cpuinfo), re.MULTILINE)
    return set(line[1].split()) if line else set()


def _cache_bytes(folder: Path) -> dict[int, int]:
    """Return level -> bytes of the data and unified caches below a sysfs ``cache`` folder."""
    sizes: dict[int, int] = {}
    for index in sorted(folder.glob("index*")):
        size = re.fullmatch(r"(\d+)([KM]?)", _text(index / "size"))
        if size and _text(index / "type") != "Instruction":
            sizes[int(_text(index / "level"))] = int(size[1]) << {"": 0, "K": 10, "M": 20}[size[2]]
    return sizes
