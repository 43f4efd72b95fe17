"""Schedules of contractions on a CPU: the register tile."""

from collections.abc import Iterator
from math import ceil

from dlc.analysis.schedule._candidate import Rated, Record, size_of, sizes_of
from dlc.analysis.schedule._contract_work import ContractWork, describe, work_of
from dlc.analysis.schedule._strategy import Strategy
from dlc.analysis.upper_bound import cpu_bound
from dlc.arch import CpuArch
from dlc.errors import CompileError

_VECTORS = (2, 3, 1, 4)
_LOADS_PER_CLOCK = 2
_FMA_CLOCKS = 4
"""Latency of a multiply-add: so many independent ones keep a unit busy."""

_STEP_CLOCKS = 1.0
"""What a step costs beside its multiply-adds and loads: the loop and its addresses."""


def candidates(work: ContractWork, arch: CpuArch) -> Iterator[Record]:
    """Yield the register tiles that leave registers for one row of loads and a broadcast.

    Rows divide the row loop evenly, but for the last tile.
    """
    lanes = arch.vector_bytes // work.compute_bytes
    loop = min(work.row_loop, 512)
    for rows in sorted({ceil(loop / tiles) for tiles in range(1, loop + 1)}, reverse=True):
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
    tiles = work.batch * ceil(work.m / m) * ceil(work.n / n)
    cores = min(arch.cores, tiles) if schedule.get("cores") else 1
    clocks = _row_clocks(work, m, n // lanes, lanes, arch) * work.batch * work.k
    compute_s = clocks * work.m / work.row_loop / cores / arch.clock_hz
    bytes = work.global_bytes
    bandwidth = arch.dram_bytes_per_s if bytes > arch.l3_bytes else arch.l3_bytes_per_s
    start_s = arch.parallel_region_us * 1e-6 if cores > 1 else 0.0
    bound = cpu_bound(2.0 * tiles * m * n * work.k, bytes, work.compute_bytes, cores, arch)
    memory_s = bytes / min(bandwidth, arch.l3_bytes_per_s * cores / arch.cores)
    return Rated(schedule, bound, lambda: start_s + compute_s + memory_s)


def _row_clocks(work: ContractWork, rows: int, vectors: int, lanes: int, arch: CpuArch) -> float:
    """Return the clocks of one step of the reduction for all tiles along one row loop."""
    whole, rest = divmod(ceil(work.n / lanes), vectors)
    heights = ((rows, work.row_loop // rows), (work.row_loop % rows, 1))
    widths = ((vectors, whole), (rest, 1))
    return sum(
        h_count * w_count * _step_clocks(h, w, arch)
        for h, h_count in heights
        for w, w_count in widths
        if h and w
    )


def _step_clocks(rows: int, vectors: int, arch: CpuArch) -> float:
    multiply_adds = rows * vectors
    busy = min(1.0, multiply_adds / (_FMA_CLOCKS * arch.fma_units_per_core))
    issue = multiply_adds / (arch.fma_units_per_core * busy)
    return max(issue, (rows + vectors) / _LOADS_PER_CLOCK) + _STEP_CLOCKS


STRATEGY = Strategy(work_of, candidates, rate_work, describe)
