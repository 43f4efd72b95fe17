"""From a group to its kernel, as its schedule says."""

from collections.abc import Mapping

from dlc.core.locations import operation_text
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.loop.attributes import ScheduleAttr
from dlc.dialects.loop.structure import KernelOp
from dlc.errors import CompileError
from dlc.lowering.job import Job, Repacked
from dlc.strategies._choice import implementation, read

DEFAULT = ScheduleAttr((("strategy", "map"), ("target", "cpu")))
"""Of a group without a schedule: right for every group, fast for few."""


def lower_group(group: GroupOp, name: str) -> tuple[KernelOp, Mapping[int, Repacked]]:
    """Return the kernel of a group, and by operand the weights that it takes in another form.

    Raises CompileError when the schedule cannot be obeyed.
    """
    job = Job.of(group)
    try:
        schedule = read(group.schedule or DEFAULT)
        implementation(schedule).lower(job, schedule)
    except CompileError as error:
        error.place(operation_text(group))
        raise
    return job.kernel(name), job.repacked
