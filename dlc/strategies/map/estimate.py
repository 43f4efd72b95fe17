"""How long schedules of ``map`` probably take on a GPU."""

from collections.abc import Sequence
from math import gcd

import numpy as np

from dlc.arch import GpuArch
from dlc.model.occupancy import resident_blocks
from dlc.model.streaming import Stream, stream_s
from dlc.strategies._rated import Seconds
from dlc.strategies.map.schedule import UNTILED, MapOnGpu
from dlc.strategies.map.work import REGISTERS, MapWork

_TILE_LOADS, _TILE_STORES = 2.0, 1.0
"""Instructions of an element that comes from shared memory, and that goes there."""
_UNEVEN_INSTRUCTIONS = 6.0
"""Of a vector that goes over the ends of the last axis: the index of each part of it that is in a
line all or none; of each element of a tile where lanes read the same banks.
"""
_SKEW_INSTRUCTIONS = 10.0
"""Of a vector of a skewed line: where the line begins in both memories, and whether there is one.
Counted in the machine code.
"""
_LOADS_AHEAD = 8
"""Loads that a thread has under way at a time."""


def _saved(work: MapWork, schedule: MapOnGpu, arch: GpuArch) -> float:
    """Return the instructions of a result that another one of the thread has done."""
    own = work.together_of(schedule.columns)
    if own is None:
        return 0.0
    return own.saved_instructions(schedule.vector, arch.costs.operation_instructions)


def estimate(work: MapWork, schedules: Sequence[MapOnGpu], arch: GpuArch) -> Seconds:
    """Return the seconds of schedules."""
    tiled = [schedule.tile != UNTILED for schedule in schedules]
    plain = [schedule for schedule in schedules if schedule.tile == UNTILED]
    found = np.empty(len(schedules))
    found[np.logical_not(tiled)] = _estimate_plain(work, plain, arch) if plain else ()
    found[tiled] = [_estimate_tiled(work, s, arch) for s in schedules if s.tile != UNTILED]
    return found


def _estimate_tiled(work: MapWork, schedule: MapOnGpu, arch: GpuArch) -> float:
    tile, costs = work.tile_of(schedule), arch.costs
    assert tile is not None
    threads = np.array([schedule.threads], np.float64)
    shared = np.array([tile.shared_bytes], np.float64)
    fits = resident_blocks(threads, np.full_like(threads, REGISTERS), shared, arch)
    each = tile.elements / schedule.threads
    stored = costs.result_instructions / schedule.vector
    operations = costs.operation_instructions * work.operations / work.points
    divided = _UNEVEN_INSTRUCTIONS if tile.is_crossed else 0.0
    bringing = each * sum(costs.load_instructions / n + _TILE_STORES for n in tile.input_vectors)
    of_vector = costs.load_instructions + _TILE_STORES + _SKEW_INSTRUCTIONS
    bringing += of_vector * sum(skew.rounds(schedule.threads) for skew in tile.skews)
    kernel = Stream(
        tile.blocks,
        threads,
        fits,
        bringing + each * (operations + divided + _TILE_LOADS + stored),
        2 * costs.thread_wait_clocks,
        tile.lines,
        tile.lines,
        work.read_bytes,
        work.written_bytes,
        tile.stored_bytes,
        chains=each,
    )
    return float(stream_s(kernel, arch)[0])


def _estimate_plain(work: MapWork, schedules: Sequence[MapOnGpu], arch: GpuArch) -> Seconds:
    costs = arch.costs
    found = [
        (s.threads, s.vector * s.columns, work.registers_of(s), _saved(work, s, arch))
        for s in schedules
    ]
    threads, results, registers, saved = np.array(found, np.float64).T
    reads = [work.reads_of(each.vector, each.columns) for each in schedules]
    loads, lines, fetched = np.array([(r.loads, r.lines, r.fetched) for r in reads]).T
    blocks = np.ceil(work.points / (threads * results))
    fits = resident_blocks(threads, registers, 0 * threads, arch)
    each = costs.operation_instructions * work.operations / work.points - saved
    units = [gcd(work.last_axis, s.vector) for s in schedules]
    divided = [
        _UNEVEN_INSTRUCTIONS / unit if unit < s.vector else 0.0
        for unit, s in zip(units, schedules, strict=True)
    ]
    instructions = results * (each + costs.result_instructions + np.array(divided))
    together = [work.together_of(s.columns) for s in schedules]
    rows = np.array([own.rows if own else 1 for own in together])
    loading = costs.loads_wait_clocks * rows * np.ceil(loads / rows / _LOADS_AHEAD)
    warps = blocks * threads / arch.warp_threads
    kernels = Stream(
        blocks,
        threads,
        fits,
        instructions + loads * costs.load_instructions,
        costs.thread_wait_clocks + loading,
        warps * lines,
        warps * fetched,
        work.read_bytes,
        work.written_bytes,
        work.written_bytes,
        chains=results,
    )
    return stream_s(kernels, arch)
