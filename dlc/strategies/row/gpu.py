"""``row`` on a GPU: threads that share a row, rows per block."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil, prod

from dlc.analysis.dataflow import Cluster
from dlc.analysis.delta import least_work, traffic_bytes, work
from dlc.analysis.role import Role
from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.errors import CompileError
from dlc.ir.tensor import element_bytes, element_type
from dlc.model.occupancy import BlockResources
from dlc.model.streaming import Waves, program_s, scattered_s, traffic_s
from dlc.model.upper_bound import gpu_bound, streaming_work
from dlc.strategies._implementation import Implementation
from dlc.strategies._key import size
from dlc.strategies._rated import Rated
from dlc.strategies._schedule import Schedule
from dlc.strategies.row.lowering import lower_on_threads

_SHAPES = ((32, 4), (32, 8), (32, 2), (32, 1), (64, 1), (128, 1), (256, 1), (512, 1), (1024, 1))
_VECTORS = (8, 4, 2, 1)
_VECTOR_BYTES = 16
_REGISTERS = 48
_ADDRESS_INSTRUCTIONS = 40
_SHUFFLES = 5
"""Steps of a butterfly over a warp, each a shuffle and a combination."""

_SHUFFLE_INSTRUCTIONS = 6
"""A shuffle's latency in dependent instructions (23 clocks)."""


@dataclass(frozen=True)
class RowOnGpu(Schedule, strategy="row", target="gpu"):
    """Threads share a row; a warp, or all of a block."""

    threads: int = size(
        "threads that share a row: 32 (one warp, shuffles) up to the whole block (shared memory)"
    )
    rows: int = size(
        "rows per block, above 1 only with `threads = 32`; the block has `threads * rows` threads",
        default=1,
    )
    vector: int = size(
        "neighbouring elements of the row that a thread takes at a time", default=1, most=16
    )

    @property
    def numbers(self) -> tuple[int, int, int]:
        """The keys in their order."""
        return self.threads, self.rows, self.vector

    def check(self) -> None:
        if self.threads > WARP_LANES and self.rows > 1:
            raise CompileError(
                f"rows = {self.rows} with threads = {self.threads}: several rows per block are for "
                f"{WARP_LANES} threads per row"
            )


@dataclass(frozen=True)
class RowWork:
    """What a ``row`` group does: rows, their length, whether a row is stored contiguously,
    reductions, bytes of the widest element, bytes moved, scalar operations, and those that no code
    can leave out.
    """

    rows: int
    length: int
    contiguous: bool
    reductions: int
    widest_bytes: int
    bytes: int
    operations: float
    least_operations: float = 0.0


def work_of(cluster: Cluster) -> RowWork:
    """Return the work of a cluster whose strategy is ``row``."""
    reductions = [op for op in cluster.ops if cluster.flow.facts(op).role is Role.ROW]
    space = cluster.flow.facts(reductions[0]).rows
    assert space is not None
    length = prod(space.shape[a] for a in space.axes)
    values = (*cluster.inputs, *cluster.results)
    return RowWork(
        prod(space.squeezed),
        length,
        len(space.shape) - 1 in space.axes,
        len(reductions),
        max(element_bytes(element_type(v)) for v in values),
        traffic_bytes(cluster),
        work(cluster),
        least_work(cluster),
    )


def candidates(work: RowWork, _: GpuArch) -> Iterator[RowOnGpu]:
    """Yield the schedules of the space; vectors divide the row and take at most 16 bytes."""
    for vector in _VECTORS:
        fits = vector * work.widest_bytes <= _VECTOR_BYTES and work.length % vector == 0
        if vector == 1 or (fits and work.contiguous):
            for threads, rows in _SHAPES:
                if threads == 32 or threads * vector < 2 * work.length:
                    yield RowOnGpu(threads, rows, vector)


def rate(work: RowWork, schedule: RowOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    threads, rows, vector = schedule.numbers
    blocks = ceil(work.rows / rows)
    block = BlockResources(threads * rows, _REGISTERS, 4 * arch.warp_threads * work.reductions)
    kernel = streaming_work(work.operations, work.least_operations, work.bytes, blocks, block)

    def latency_s() -> float:
        return _latency_s(work, threads, vector, Waves.of(blocks, block, arch), arch)

    return Rated(schedule, gpu_bound(kernel, arch), latency_s)


def _latency_s(work: RowWork, threads: int, vector: int, waves: Waves, arch: GpuArch) -> float:
    """Return launch, latencies and barriers of the reductions one after the other, then
    instructions and traffic.
    """
    steps = ceil(work.length / (threads * vector))
    per_element = work.operations / (work.rows * work.length)
    combine = _SHUFFLES * _SHUFFLE_INSTRUCTIONS * (2 if threads > arch.warp_threads else 1)
    instructions = steps * (vector * per_element + 2 * (work.reductions + 1))
    instructions += work.reductions * combine + _ADDRESS_INSTRUCTIONS
    barriers = 2 * work.reductions if threads > arch.warp_threads else 0
    in_flight = waves.threads * vector * min(steps, 4) * work.widest_bytes
    start_s = arch.costs.start_us * 1e-6 + arch.dram_latency_s * (1 + work.reductions / 2)
    barriers_s = waves.count * barriers * arch.block_barrier_clocks / arch.clock_hz
    computing_s = program_s(waves, instructions, arch)
    moving_s = traffic_s(work.bytes, in_flight, arch)
    if not work.contiguous:
        moving_s = max(moving_s, scattered_s(work.rows * work.length, arch))
    return start_s + barriers_s + computing_s + moving_s


IMPLEMENTATION = Implementation(
    RowOnGpu,
    work_of,
    candidates,
    rate,
    lambda work: f"a reduction of {work.rows} rows of {work.length}",
    lambda job, schedule: lower_on_threads(job, *schedule.numbers),
)
