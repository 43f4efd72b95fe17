"""From a group to its kernels, as its schedule says."""

from xdsl.dialects.builtin import MemRefType, i8

from dlc import libraries
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.core.locations import operation_text
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.overlay import part_of
from dlc.dialects.loop.attributes import CallAttr, ScheduleAttr
from dlc.errors import CompileError
from dlc.lowering.job import Job
from dlc.strategies._choice import check, implementation, read
from dlc.strategies._schedule import Schedule

DEFAULT = ScheduleAttr((("strategy", "map"), ("target", "cpu")))
"""Of a group without a schedule: right for every group, fast for few."""


def lower_group(group: GroupOp) -> list[Job]:
    """Return the finished kernels of a group, one for each of its launches, in order.

    Raises CompileError when the schedule cannot be obeyed.
    """
    job = Job.of(group)
    try:
        schedule, flow = read(group.schedule or DEFAULT), Dataflow(group.body.block)
        check(cluster := Cluster(flow, tuple(flow.ops)), schedule)
        if schedule.library:
            job.call = _call(job, cluster, schedule)
        implementation(schedule).lower(job, schedule)
        if schedule.library and job.earlier:
            raise CompileError("a schedule of several kernels has no library in their place")
        if job.call and job.call.workspace:  # behind the buffers of the kernel, which ignores it
            job.add_scratch(MemRefType(i8, [job.call.workspace]))
    except CompileError as error:
        error.place(operation_text(group))
        raise
    jobs = job.in_order()
    for each in jobs:
        each.finish()
        if len(jobs) > 1:
            each.drop_unread()
    return jobs


def _call(job: Job, cluster: Cluster, schedule: Schedule) -> CallAttr:
    """Return the call that computes the group of a job; raises CompileError where none does."""
    if any(map(part_of, job.group.outputs)):
        raise CompileError("no library stores a result in a larger tensor; leave library out")
    library = libraries.by_name(schedule.library)
    library.require(cluster, algorithm=schedule.algorithm)
    call = library.call(cluster)
    for each in library.ordered(cluster):
        job.order_for_call(each.value, each.permutation)
    return call.replace(algorithm=schedule.algorithm) if schedule.algorithm else call
