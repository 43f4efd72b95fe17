"""Schedules of contractions on a CPU: the register tile."""

from collections.abc import Iterator
from functools import lru_cache
from math import ceil

from dlc.analysis.dataflow import Cluster
from dlc.analysis.schedule._candidate import Rated, Record, best, size_of, sizes_of
from dlc.analysis.schedule._contract_gpu import ContractWork, work_of
from dlc.analysis.upper_bound import cpu_bound
from dlc.arch import CpuArch
from dlc.errors import CompileError

_ROWS = (14, 12, 8, 6, 4, 2, 1)
_VECTORS = (2, 3, 1, 4)
_LOADS_PER_CLOCK = 2
_FMA_CLOCKS = 4
"""Latency of a multiply-add: so many independent ones keep a unit busy."""


def choose(cluster: Cluster, arch: CpuArch) -> Rated:
    """Return the best schedule of a contraction group."""
    return _choose(work_of(cluster), arch)


def rate(cluster: Cluster, schedule: Record, arch: CpuArch) -> Rated:
    """Return what the models say about a schedule; raises CompileError for wrong keys."""
    return rate_work(work_of(cluster), schedule, arch)


@lru_cache(4096)
def _choose(work: ContractWork, arch: CpuArch) -> Rated:
    what = f"a contraction of {work.m} x {work.n} x {work.k}"
    return best((rate_work(work, s, arch) for s in candidates(work, arch)), what)


def candidates(work: ContractWork, arch: CpuArch) -> Iterator[Record]:
    """Yield the register tiles that leave registers for one row of loads and a broadcast."""
    lanes = arch.vector_bytes // work.compute_bytes
    for rows in (r for r in _ROWS if r <= max(1, work.m)):
        for vectors in _VECTORS:
            if rows * vectors + vectors + 1 > arch.vector_registers:
                continue
            for cores in (True, False) if arch.cores > 1 else (False,):
                yield {
                    "strategy": "contract",
                    "tile": (rows, vectors * lanes),
                    "lanes": lanes,
                    "cores": cores,
                }


def rate_work(work: ContractWork, schedule: Record, arch: CpuArch) -> Rated:
    """Return the bound and the latency of one schedule.

    A step of the micro-kernel takes the longest of its multiply-adds (as many as units, if
    enough are independent) and its loads; tails are padded to whole tiles.
    """
    m, n = sizes_of(schedule, "tile", 2)
    lanes = size_of(schedule, "lanes", arch.vector_bytes // work.compute_bytes)
    if n % lanes:
        raise CompileError(f"tile columns {n} are no multiple of the {lanes} lanes")
    vectors = n // lanes
    tiles = work.batch * ceil(work.m / m) * ceil(work.n / n)
    cores = min(arch.cores, tiles) if schedule.get("cores") else 1
    multiply_adds = vectors * m
    busy = min(1.0, multiply_adds / (_FMA_CLOCKS * arch.fma_units_per_core))
    step = max(multiply_adds / (arch.fma_units_per_core * busy), (vectors + m) / _LOADS_PER_CLOCK)
    compute_s = ceil(tiles / cores) * work.k * step / arch.clock_hz
    bytes = work.global_bytes
    bandwidth = arch.dram_bytes_per_s if bytes > arch.l3_bytes else arch.l3_bytes_per_s
    start_s = arch.parallel_region_us * 1e-6 if cores > 1 else 0.0
    bound = cpu_bound(2.0 * tiles * m * n * work.k, bytes, work.compute_bytes, cores, arch)
    memory_s = bytes / min(bandwidth, arch.l3_bytes_per_s * cores / arch.cores)
    return Rated(schedule, bound, lambda: start_s + compute_s + memory_s)
