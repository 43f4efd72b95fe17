"""The schedules of ``map`` on a GPU that there are to choose from."""

from collections.abc import Iterator

from dlc.arch import GpuArch
from dlc.strategies.map.schedule import MapOnGpu
from dlc.strategies.map.windows import MOST_REGISTERS
from dlc.strategies.map.work import VECTOR_BYTES, MapWork

_THREADS = (128, 256, 64, 512)
_LEAST_ELEMENTS, _MOST_ELEMENTS, _MOST_BYTES = 4, 31, 64
"""Of a thread of a tile: so many are under way at a time. Twice the threads with 16 are always as
fast as those with 32, and up to 10 % faster, those with 12 floats than with 25 by 18 %, which the
estimate does not tell apart.
"""


def candidates(work: MapWork, _: GpuArch) -> Iterator[MapOnGpu]:
    """Yield the schedules of the space."""
    alone = () if work.needs_windows else ((1, *work.vectors),)
    several = ((each.positions, *(vector for vector, _ in each.reads)) for each in work.together)
    for columns, *vectors in (*alone, *several):
        for vector in vectors:
            if columns > 1 and work.last_axis % vector:
                continue
            for threads in _THREADS:
                schedule = MapOnGpu(threads, vector, columns)
                if work.registers_of(schedule) <= MOST_REGISTERS:
                    yield schedule
    if work.widest_bytes > VECTOR_BYTES[0]:
        yield MapOnGpu(_THREADS[0])
    for tile in work.tiles:
        for threads in _THREADS:
            each = tile.elements / threads
            few = each <= _MOST_ELEMENTS and each * work.widest_bytes <= _MOST_BYTES
            if each >= _LEAST_ELEMENTS and few:
                yield MapOnGpu(threads, tile.vector, tile=tile.tile)
