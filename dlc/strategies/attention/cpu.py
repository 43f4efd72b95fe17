"""``attention`` on a CPU: how schedules are rated."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product
from math import ceil, hypot

from dlc.analysis.dataflow import Cluster
from dlc.analysis.role import Role
from dlc.arch import CpuArch
from dlc.lowering.lanes import ROW_LANES
from dlc.model.upper_bound import cpu_bound
from dlc.model.violation import Violation
from dlc.strategies._implementation import Implementation
from dlc.strategies._loop_nest import (
    computing_s,
    moving_s,
    stack_violation,
    start_s,
    third_level_s,
)
from dlc.strategies._rated import Rated
from dlc.strategies.attention.cpu_lowering import lower
from dlc.strategies.attention.cpu_schedule import AttentionOnCpu
from dlc.strategies.attention.work import AttentionWork, describe, work_of
from dlc.strategies.contract.register_tile import RegisterTile

_VECTORS = (2, 3, 1, 4)

_MOST_TILE_ROWS = 28
"""Of a tile of one vector, which leaves registers for a load and a broadcast."""

_TILES, _STEPS = (1, 2, 4, 8), (128, 256, 512, 1024)

_ROW_CLOCKS = 90.0
"""For a row of each step but the first: sums and total so far, and the meeting of lanes. 1,024 keys
of 64 elements on one core of a Xeon.
"""


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
    """Yield the register tiles that leave registers for one row of loads and a broadcast; several
    below each other, and steps, where a core's cache does not hold all keys and values, or the
    stack of a thread not the scores.
    """
    lanes, rows = arch.vector_bytes // work.compute_bytes, work.attention.rows
    heights = {ceil(rows / n) for n in range(ceil(rows / _MOST_TILE_ROWS), rows + 1)}
    for height, vectors in product(sorted(heights, reverse=True), _VECTORS):
        tile = RegisterTile(height, vectors, lanes)
        if tile.registers <= arch.vector_registers:
            for cores in (True, False) if arch.cores > 1 else (False,):
                for tiles, step in _steps(work, tile, arch):
                    yield AttentionOnCpu((height, tile.columns), lanes, cores, tiles, step)


def _steps(work: CoreWork, tile: RegisterTile, arch: CpuArch) -> Iterator[tuple[int, int]]:
    """Yield how many tiles are below each other, and the keys of a step."""
    own = work.attention
    whole = AttentionOnCpu((tile.rows, tile.columns), tile.lanes)
    fits = stack_violation(_stack_bytes(work, whole, tile)) is None
    if fits:
        yield 1, 0
    if not fits or _factor_bytes(work, own.keys) > arch.l2_bytes // 2:
        for tiles, keys in product(_TILES, _STEPS):
            step = ceil(keys / tile.columns) * tile.columns
            if step < own.keys and (tiles - 1) * tile.rows < own.rows:
                yield tiles, step


def rate(work: CoreWork, schedule: AttentionOnCpu, arch: CpuArch) -> Rated:
    """Return the bound and the latency of one schedule.

    Keys and values are packed: read, written and read again; those that the second-level cache does
    not hold, by each block. What is no product is computed in loops of its own, while tensors are
    moved.
    """
    own, tile = work.attention, schedule.register_tile(work.attention.rows)
    blocks = own.batch * ceil(own.rows / (tile.rows * schedule.tiles))
    cores = min(arch.cores, blocks) if schedule.cores else 1
    packed = own.batch * _factor_bytes(work, own.keys)
    clocks = _clocks(own, tile, arch) + _step_clocks(own, schedule)
    again_s = third_level_s(_read_again(work, schedule, tile, arch), cores, arch)
    compute_s = hypot(clocks / cores / arch.clock_hz, again_s)
    other_s = computing_s(work.operations * _seen(own), cores, arch)
    bytes = own.read_bytes + own.written_bytes
    memory_s = moving_s(bytes + 2 * packed, cores, arch)
    begin_s = start_s(cores, arch, 3)
    bound = cpu_bound(own.flops, bytes, work.compute_bytes, cores, arch)
    bound = replace(bound, violation=_violation(work, schedule, tile, arch))
    return Rated(schedule, bound, lambda: begin_s + compute_s + hypot(other_s, memory_s))


def _violation(
    work: CoreWork, schedule: AttentionOnCpu, tile: RegisterTile, arch: CpuArch
) -> Violation | None:
    beyond = tile.violation(arch, work.compute_bytes)
    return beyond or stack_violation(_stack_bytes(work, schedule, tile))


def _stack_bytes(work: CoreWork, schedule: AttentionOnCpu, tile: RegisterTile) -> int:
    """Return the bytes of the buffers of a block: scores, sums, queries, three numbers of a row,
    and the sums of lanes of the two reductions of a row.
    """
    own, lanes = work.attention, tile.lanes
    scores = ceil(schedule.step_of(own.keys) / tile.columns) * tile.columns + lanes
    row = scores + ceil(own.columns / lanes) * lanes + own.depth + 3
    rows = tile.rows * min(schedule.tiles, ceil(own.rows / tile.rows))
    return (rows * row + 2 * max(ROW_LANES)) * work.compute_bytes


def _factor_bytes(work: CoreWork, keys: int) -> int:
    """Return the bytes of some packed keys and their values."""
    return keys * (work.attention.depth + work.attention.columns) * work.compute_bytes


def _score_bytes(work: CoreWork, schedule: AttentionOnCpu, tile: RegisterTile) -> int:
    """Return the bytes of the scores that a core holds."""
    step = schedule.step_of(work.attention.keys)
    return tile.rows * schedule.tiles * step * work.compute_bytes


def _read_again(
    work: CoreWork, schedule: AttentionOnCpu, tile: RegisterTile, arch: CpuArch
) -> float:
    """Return the bytes of keys and values that come from the third-level cache: for each block of
    rows, or for each tile of them where the cache before does not hold a step either.
    """
    own, scores = work.attention, _score_bytes(work, schedule, tile)
    if _factor_bytes(work, own.keys) + scores <= arch.l2_bytes:
        return 0.0
    held = _factor_bytes(work, schedule.step_of(own.keys)) + scores <= arch.l2_bytes
    rows = tile.rows * (schedule.tiles if held else 1)
    return own.batch * ceil(own.rows / rows) * _factor_bytes(work, own.keys) * _seen(own)


def _clocks(work: AttentionWork, tile: RegisterTile, arch: CpuArch) -> float:
    """Return the clocks of both products on one core: tiles are padded in rows and columns."""
    tiles = Counter(work.steps(tile.rows, tile.columns))
    scores = sum(
        count * _row_clocks(min(work.keys, steps * tile.columns), tile, arch)
        for steps, count in tiles.items()
    )
    keys = sum(work.steps(tile.rows, 1))
    values = keys * _row_clocks(work.columns, tile, arch)
    return work.batch * (work.depth * scores + values)


def _row_clocks(columns: int, tile: RegisterTile, arch: CpuArch) -> float:
    """Return the clocks of one step of the reduction for all columns of a tile of rows."""
    whole, rest = divmod(columns, tile.columns)
    clocks = whole * tile.step_clocks(arch)
    if not rest:
        return clocks
    return clocks + replace(tile, vectors=ceil(rest / tile.lanes)).step_clocks(arch)


def _step_clocks(work: AttentionWork, schedule: AttentionOnCpu) -> float:
    """Return the clocks of what steps of keys cost all rows beside the products."""
    steps = ceil(work.keys / schedule.step_of(work.keys)) - 1
    return _ROW_CLOCKS * steps * work.batch * work.rows * _seen(work)


def _seen(work: AttentionWork) -> float:
    """Return the part of the scores that is computed."""
    return work.pairs / (work.rows * work.keys)


IMPLEMENTATION = Implementation(
    AttentionOnCpu, _work_of, candidates, rate, lambda work: describe(work.attention), lower
)
