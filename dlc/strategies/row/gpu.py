"""``row`` on a GPU: teams of threads that share rows."""

from math import ceil, prod

from dlc.analysis.role import RowSpace
from dlc.arch import GpuArch
from dlc.dialects.graph.computed import ReductionOp
from dlc.ir.tensor import shape
from dlc.lowering.job import Job
from dlc.model.occupancy import BlockResources
from dlc.model.upper_bound import gpu_bound, streaming_work
from dlc.strategies._implementation import Implementation
from dlc.strategies._rated import Rated
from dlc.strategies.row.across import Across
from dlc.strategies.row.along import Along
from dlc.strategies.row.estimate import estimate
from dlc.strategies.row.held import Held
from dlc.strategies.row.kept import Kept
from dlc.strategies.row.lowering import space_of_job
from dlc.strategies.row.packed import Packed
from dlc.strategies.row.schedule import RowOnGpu
from dlc.strategies.row.space import candidates
from dlc.strategies.row.split import lower_in_parts, unasked
from dlc.strategies.row.through import Through
from dlc.strategies.row.walks import REGISTERS, shared_bytes
from dlc.strategies.row.work import RowWork, work_of


def rate(work: RowWork, schedule: RowOnGpu, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule; raises CompileError for one that does not
    fit the rows or the chip.
    """
    schedule.check_chip(arch)
    blocks = ceil(work.rows / schedule.rows) * schedule.split * schedule.cluster
    shared = shared_bytes(work, schedule, arch)
    block = BlockResources(schedule.block_threads, REGISTERS, shared)
    bytes = work.read_bytes + work.written_bytes
    kernel = streaming_work(work.operations, work.least_operations, bytes, blocks, block)
    return Rated(
        schedule, gpu_bound(kernel, arch), lambda: float(estimate(work, [schedule], arch)[0])
    )


def goes_again(job: Job, space: RowSpace) -> bool:
    """Whether a kernel needs the elements of a row more than once."""
    reductions = [op for op in job.group.body.block.ops if isinstance(op, ReductionOp)]
    return len(reductions) > 1 or any(shape(value) == space.shape for value, _ in job.outputs)


def _lower(job: Job, schedule: RowOnGpu) -> None:
    keys = schedule.threads, schedule.rows, schedule.vector
    if schedule.split > 1:
        lower_in_parts(job, *keys, schedule.across, schedule.split)
        return
    space = space_of_job(job)
    if schedule.keeps(prod(space.shape[a] for a in space.axes)):
        cluster, held = schedule.cluster, schedule.held
        if schedule.packed:
            Packed(job, space, unasked, *keys, turns=schedule.turns).write()
        elif held or goes_again(job, space):
            Kept(job, space, unasked, *keys, cluster=cluster, held=held).write()
        else:
            Through(job, space, unasked, *keys, cluster=cluster).write()
        return
    kind = Across if schedule.across else Held if schedule.held else Along
    kind(job, space, unasked, *keys).write()


IMPLEMENTATION = Implementation(
    RowOnGpu,
    work_of,
    candidates,
    rate,
    lambda work: f"a reduction of {work.rows} rows of {work.length}",
    _lower,
    estimate,
    check=RowWork.check,
)
