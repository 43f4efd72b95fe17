"""Schedules of element-by-element groups on a GPU: threads per block, elements per thread."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from dlc.analysis.dataflow import Cluster
from dlc.analysis.delta import least_work, loads, traffic_bytes, work
from dlc.analysis.schedule._candidate import Rated, Record
from dlc.analysis.schedule._key import size
from dlc.analysis.schedule._strategy import Strategy
from dlc.arch import GpuArch
from dlc.dialects._tensor import element_bytes, element_count, element_type, shape
from dlc.model.occupancy import BlockResources
from dlc.model.streaming import Elements, elements_s
from dlc.model.upper_bound import gpu_bound, streaming_work

_KEYS = size("threads"), size("vector", 1, most=16)

_THREADS = (128, 256, 64, 512)
_VECTOR_BYTES = (16, 8, 4, 2, 1)
_REGISTERS = 40


@dataclass(frozen=True)
class MapWork:
    """What a ``map`` group does: result elements, length of their last axis, bytes of the widest,
    bytes moved, scalar operations in units of an addition, loads of one result element, the
    operations that no code can leave out.
    """

    points: int
    last_axis: int
    widest_bytes: int
    bytes: int
    operations: float
    loads: float
    least_operations: float = 0.0


def work_of(cluster: Cluster) -> MapWork:
    """Return the work of a cluster whose strategy is ``map``."""
    results = cluster.results
    largest = max(results, key=element_count)
    points = max(1, element_count(largest))
    return MapWork(
        points,
        (shape(largest) or (1,))[-1],
        max(element_bytes(element_type(v)) for v in results),
        traffic_bytes(cluster),
        work(cluster),
        loads(cluster) / points,
        least_work(cluster),
    )


def candidates(work: MapWork, _: GpuArch) -> Iterator[Record]:
    """Yield the schedules of the space; vectors divide the last axis and take at most 16 bytes."""
    for vector_bytes in _VECTOR_BYTES:
        vector = vector_bytes // work.widest_bytes
        if vector >= 1 and work.last_axis % vector == 0:
            for threads in _THREADS:
                yield {"strategy": "map", "threads": threads, "vector": vector}
    if work.widest_bytes > _VECTOR_BYTES[0]:
        yield {"strategy": "map", "threads": _THREADS[0], "vector": 1}


def rate_work(work: MapWork, schedule: Record, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    threads, vector = (key.of(schedule) for key in _KEYS)
    blocks = ceil(work.points / (threads * vector))
    block = BlockResources(threads, _REGISTERS)
    kernel = streaming_work(work.operations, work.least_operations, work.bytes, blocks, block)

    each = work.operations / work.points, work.loads
    elements = Elements(work.points, vector, work.bytes, *each)
    return Rated(schedule, gpu_bound(kernel, arch), lambda: elements_s(elements, block, arch))


STRATEGY = Strategy(work_of, candidates, rate_work, lambda _: "an element-wise group", _KEYS)
