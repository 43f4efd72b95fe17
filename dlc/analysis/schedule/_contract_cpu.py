"""Schedules of contractions on a CPU: register tile, cache blocks, side of the SIMD lanes."""

from collections.abc import Iterator
from functools import lru_cache
from math import ceil

from dlc.analysis.contraction import gemm
from dlc.analysis.dataflow import Cluster
from dlc.analysis.fusibility import anchor
from dlc.analysis.schedule._candidate import Rated, Record, best, sizes_of
from dlc.analysis.schedule._contract_gpu import ContractWork, work_of
from dlc.analysis.upper_bound import cpu_bound
from dlc.arch import CpuArch
from dlc.dialects.graph._structure import ContractionOp
from dlc.errors import CompileError

_ROWS = (14, 12, 8, 6, 4, 2, 1)
_VECTORS = (2, 3, 1, 4)
_DEPTHS = (512, 256, 128)
"""Slices of the reduction; two panels of a register tile of this depth stay in the first level."""

_LOADS_PER_CLOCK = 2
_FMA_CLOCKS = 4
"""Latency of a multiply-add: so many independent ones keep a unit busy."""


def choose(cluster: Cluster, arch: CpuArch) -> Rated:
    """Return the best schedule of a contraction group."""
    return _choose(work_of(cluster), _lane_side(cluster), arch)


def rate(cluster: Cluster, schedule: Record, arch: CpuArch) -> Rated:
    """Return what the models say about a schedule; raises CompileError for wrong keys."""
    return rate_work(work_of(cluster), schedule, arch)


def _lane_side(cluster: Cluster) -> str:
    """Return the side, ``m`` or ``n``, that neighbouring elements of the result lie along."""
    op = anchor(cluster)
    assert isinstance(op, ContractionOp)
    product = gemm(op)
    last = {side: max((x.dim for x in getattr(product, side)), default=-1) for side in ("m", "n")}
    return max(last, key=lambda side: (last[side], side))


@lru_cache(4096)
def _choose(work: ContractWork, side: str, arch: CpuArch) -> Rated:
    what = f"a contraction of {work.m} x {work.n} x {work.k}"
    return best((rate_work(work, s, arch) for s in candidates(work, side, arch)), what)


def candidates(work: ContractWork, side: str, arch: CpuArch) -> Iterator[Record]:
    """Yield the register tiles that leave registers for one row of loads and a broadcast."""
    lanes = arch.vector_bytes // work.compute_bytes
    for rows in _ROWS:
        for vectors in _VECTORS:
            if rows * vectors + vectors + 1 > arch.vector_registers:
                continue
            tile = (rows, vectors * lanes) if side == "n" else (vectors * lanes, rows)
            for cores in (True, False) if arch.cores > 1 else (False,):
                yield {
                    "strategy": "contract",
                    "tile": tile,
                    "block": _block(work, tile, cores, arch),
                    "vector": side,
                    "cores": cores,
                }


def _block(
    work: ContractWork, tile: tuple[int, int], cores: bool, arch: CpuArch
) -> tuple[int, int, int]:
    """Return the cache block: panels of both register sides in half the first level, a block of the
    lhs in half the second, a block of the rhs in half a core's share of the third.
    """
    element = work.compute_bytes
    room = arch.l1_bytes // 2 // element // sum(tile)
    depth = next((d for d in _DEPTHS if d <= room), _DEPTHS[-1])
    depth = min(depth, work.k)
    rows = arch.l2_bytes // 2 // element // depth
    columns = arch.l3_bytes // (2 * arch.cores if cores else 2) // element // depth
    return (
        _multiple(min(rows, work.m), tile[0]),
        _multiple(min(columns, work.n), tile[1]),
        depth,
    )


def _multiple(size: int, unit: int) -> int:
    return max(1, size // unit) * unit if size >= unit else unit


def rate_work(work: ContractWork, schedule: Record, arch: CpuArch) -> Rated:
    """Return the bound and the latency of one schedule.

    A step of the micro-kernel takes the longest of its multiply-adds (as many as units, if
    enough are independent) and its loads; tails are padded to whole tiles.
    """
    m, n = sizes_of(schedule, "tile", 2)
    lanes = arch.vector_bytes // work.compute_bytes
    side = schedule.get("vector", "n")
    if side not in ("m", "n"):
        raise CompileError(f"schedule key vector should be 'm' or 'n', is {side!r}")
    wide, narrow = (n, m) if side == "n" else (m, n)
    if wide % lanes:
        raise CompileError(f"tile side {side} = {wide} is no multiple of the {lanes} lanes")
    vectors = wide // lanes
    tiles = work.batch * ceil(work.m / m) * ceil(work.n / n)
    cores = min(arch.cores, tiles) if schedule.get("cores") else 1
    multiply_adds = vectors * narrow
    busy = min(1.0, multiply_adds / (_FMA_CLOCKS * arch.fma_units_per_core))
    step = max(
        multiply_adds / (arch.fma_units_per_core * busy), (vectors + narrow) / _LOADS_PER_CLOCK
    )
    compute_s = ceil(tiles / cores) * work.k * step / arch.clock_hz
    bytes = work.global_bytes
    bandwidth = arch.dram_bytes_per_s if bytes > arch.l3_bytes else arch.l3_bytes_per_s
    start_s = arch.parallel_region_us * 1e-6 if cores > 1 else 0.0
    bound = cpu_bound(work.flops, bytes, work.compute_bytes, cores, arch)
    memory_s = bytes / min(bandwidth, arch.l3_bytes_per_s * cores / arch.cores)
    return Rated(schedule, bound, lambda: start_s + compute_s + memory_s)
