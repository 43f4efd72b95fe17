"""``map`` on a GPU: threads per block, elements per thread."""

from math import ceil

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.arch import GpuArch
from dlc.lowering.job import Job
from dlc.model.occupancy import BlockResources
from dlc.model.upper_bound import gpu_bound, streaming_work
from dlc.strategies._implementation import Implementation
from dlc.strategies._rated import Rated
from dlc.strategies.map.estimate import estimate
from dlc.strategies.map.schedule import UNTILED, MapOnGpu
from dlc.strategies.map.space import candidates
from dlc.strategies.map.strip_work import strip_of
from dlc.strategies.map.strips import lower_in_strips
from dlc.strategies.map.threads import lower_on_threads
from dlc.strategies.map.tiled import lower_in_tiles
from dlc.strategies.map.work import MapWork, work_of


def rate(work: MapWork, schedule: MapOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    work.check_columns(schedule)
    threads, tile = schedule.threads, work.tile_of(schedule)
    each = threads * schedule.vector * schedule.columns
    blocks = tile.blocks if tile else ceil(work.points / each)
    shared_bytes = tile.shared_bytes if tile else 0
    block = BlockResources(threads, work.registers_of(schedule), shared_bytes)
    bytes = work.read_bytes + work.written_bytes
    kernel = streaming_work(work.operations, work.least_operations, bytes, blocks, block)
    return Rated(
        schedule, gpu_bound(kernel, arch), lambda: float(estimate(work, [schedule], arch)[0])
    )


def _lower(job: Job, schedule: MapOnGpu) -> None:
    flow = Dataflow(job.group.body.block)
    cluster = Cluster(flow, tuple(flow.ops))
    turn = strip_of(cluster, schedule.columns, schedule.vector)
    if turn is not None:
        lower_in_strips(job, turn, schedule.threads, schedule.vector)
    elif schedule.tile == UNTILED:
        lower_on_threads(job, schedule.threads, schedule.vector, schedule.columns)
    else:
        lower_in_tiles(job, schedule.threads, schedule.vector, schedule.tile)


IMPLEMENTATION = Implementation(
    MapOnGpu,
    work_of,
    candidates,
    rate,
    lambda _: "an element-wise group",
    _lower,
    estimate,
)
