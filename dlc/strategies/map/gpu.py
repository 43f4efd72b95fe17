"""``map`` on a GPU: threads per block, elements per thread."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from dlc.analysis.dataflow import Cluster
from dlc.analysis.delta import least_work, loads, traffic_bytes, work
from dlc.arch import GpuArch
from dlc.ir.tensor import element_bytes, element_count, element_type, shape
from dlc.model.occupancy import BlockResources
from dlc.model.streaming import Elements, elements_s
from dlc.model.upper_bound import gpu_bound, streaming_work
from dlc.strategies._implementation import Implementation
from dlc.strategies._key import size
from dlc.strategies._rated import Rated
from dlc.strategies._schedule import Schedule
from dlc.strategies.map.lowering import lower_on_threads

_THREADS = (128, 256, 64, 512)
_VECTOR_BYTES = (16, 8, 4, 2, 1)
_REGISTERS = 40


@dataclass(frozen=True)
class MapOnGpu(Schedule, strategy="map", target="gpu"):
    """A thread computes a few neighbouring elements of the results."""

    threads: int = size("threads per block")
    vector: int = size(
        "neighbouring elements of the last axis that a thread computes", default=1, most=16
    )


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


def candidates(work: MapWork, _: GpuArch) -> Iterator[MapOnGpu]:
    """Yield the schedules of the space; vectors divide the last axis and take at most 16 bytes."""
    for vector_bytes in _VECTOR_BYTES:
        vector = vector_bytes // work.widest_bytes
        if vector >= 1 and work.last_axis % vector == 0:
            for threads in _THREADS:
                yield MapOnGpu(threads, vector)
    if work.widest_bytes > _VECTOR_BYTES[0]:
        yield MapOnGpu(_THREADS[0])


def rate(work: MapWork, schedule: MapOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    threads, vector = schedule.threads, schedule.vector
    blocks = ceil(work.points / (threads * vector))
    block = BlockResources(threads, _REGISTERS)
    kernel = streaming_work(work.operations, work.least_operations, work.bytes, blocks, block)

    each = work.operations / work.points, work.loads
    elements = Elements(work.points, vector, work.bytes, *each)
    return Rated(schedule, gpu_bound(kernel, arch), lambda: elements_s(elements, block, arch))


IMPLEMENTATION = Implementation(
    MapOnGpu,
    work_of,
    candidates,
    rate,
    lambda _: "an element-wise group",
    lambda job, schedule: lower_on_threads(job, schedule.threads, schedule.vector),
)
