"""``attention`` on a CPU: how schedules are rated."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import ceil, hypot

from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role
from dlc.arch import CpuArch
from dlc.model.upper_bound import cpu_bound
from dlc.strategies._implementation import Implementation
from dlc.strategies._loop_nest import computing_s, moving_s, start_s
from dlc.strategies._rated import Rated
from dlc.strategies.attention.cpu_lowering import lower
from dlc.strategies.attention.cpu_schedule import AttentionOnCpu
from dlc.strategies.attention.work import AttentionWork, describe, work_of
from dlc.strategies.contract.register_tile import RegisterTile

_VECTORS = (2, 3, 1, 4)

_MOST_TILE_ROWS = 28
"""Of a tile of one vector, which leaves registers for a load and a broadcast."""


@dataclass(frozen=True)
class CoreWork:
    """What an ``attention`` group does on cores.

    attention: the products. operations: of everything else, scalar ones. compute_bytes: of a score.
    """

    attention: AttentionWork
    operations: float
    compute_bytes: int


def _work_of(cluster: Cluster) -> CoreWork:
    facts = [cluster.facts(op) for op in cluster.ops]
    operations = sum(f.points * f.cost for f in facts if f.role is not Role.ANCHOR)
    work = work_of(cluster)
    return CoreWork(work, float(operations), _BYTES[work.compute])


_BYTES = {"f32": 4, "f64": 8}


def candidates(work: CoreWork, arch: CpuArch) -> Iterator[AttentionOnCpu]:
    """Yield the register tiles that leave registers for one row of loads and a broadcast, and whose
    scores leave a core half of its cache.
    """
    lanes, rows = arch.vector_bytes // work.compute_bytes, work.attention.rows
    tiles = range(ceil(rows / _MOST_TILE_ROWS), rows + 1)
    for height in sorted({ceil(rows / n) for n in tiles}, reverse=True):
        for vectors in _VECTORS:
            if RegisterTile(height, vectors, lanes).registers <= arch.vector_registers:
                for cores in (True, False) if arch.cores > 1 else (False,):
                    yield AttentionOnCpu((height, vectors * lanes), lanes, cores)


def rate(work: CoreWork, schedule: AttentionOnCpu, arch: CpuArch) -> Rated:
    """Return the bound and the latency of one schedule.

    Keys and values are packed: read, written and read again. What is no product is computed in
    loops of its own, while tensors are moved.
    """
    own, tile = work.attention, schedule.register_tile(work.attention.rows)
    blocks = own.batch * ceil(own.rows / tile.rows)
    cores = min(arch.cores, blocks) if schedule.cores else 1
    packed = own.batch * own.keys * (own.depth + own.columns) * work.compute_bytes
    compute_s = _clocks(own, tile, arch) / cores / arch.clock_hz
    other_s = computing_s(work.operations * _seen(own), cores, arch)
    bytes = own.read_bytes + own.written_bytes
    memory_s = moving_s(bytes + 2 * packed, cores, arch)
    begin_s = start_s(cores, arch, 3)
    bound = cpu_bound(own.flops, bytes, work.compute_bytes, cores, arch)
    bound = replace(bound, violation=_violation(work, tile, schedule.lanes, arch))
    return Rated(schedule, bound, lambda: begin_s + compute_s + hypot(other_s, memory_s))


def _violation(work: CoreWork, tile: RegisterTile, lanes: int, arch: CpuArch) -> str | None:
    wide = ceil(lanes * work.compute_bytes / arch.vector_bytes)
    needed = replace(tile, vectors=tile.vectors * wide).registers
    if needed > arch.vector_registers:
        return f"the tile needs {needed} SIMD registers, {arch.name} has {arch.vector_registers}"
    scores = tile.rows * work.attention.keys * work.compute_bytes
    if scores > arch.l2_bytes // 2:
        return f"needs {scores} bytes for scores, half of a core's cache has {arch.l2_bytes // 2}"
    return None


def _clocks(work: AttentionWork, tile: RegisterTile, arch: CpuArch) -> float:
    """Return the clocks of both products on one core: tiles are padded in rows and columns."""
    scores = sum(
        _row_clocks(min(work.keys, steps * tile.columns), tile, arch)
        for steps in work.steps(tile.rows, tile.columns)
    )
    keys = sum(work.steps(tile.rows, 1))
    values = keys * _row_clocks(work.columns, tile, arch)
    return work.batch * (work.depth * scores + values)


def _row_clocks(columns: int, tile: RegisterTile, arch: CpuArch) -> float:
    """Return the clocks of one step of the reduction for all columns of a block of rows."""
    whole, rest = divmod(columns, tile.columns)
    narrow = replace(tile, vectors=ceil(rest / tile.lanes))
    clocks = whole * tile.step_clocks(arch)
    return clocks + narrow.step_clocks(arch) if rest else clocks


def _seen(work: AttentionWork) -> float:
    """Return the part of the scores that is computed."""
    return sum(work.steps(1, 1)) / (work.rows * work.keys)


IMPLEMENTATION = Implementation(
    AttentionOnCpu, _work_of, candidates, rate, lambda work: describe(work.attention), lower
)
