"""From a group to its kernel: finds the strategy and says when two groups have the same kernel."""

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache

from xdsl.ir import SSAValue

from dlc.core.locations import operation_text
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph._source import WeightOp
from dlc.dialects.loop._attributes import ScheduleAttr
from dlc.dialects.loop._structure import KernelOp
from dlc.errors import CompileError
from dlc.lowering._job import Job, Repacked

DEFAULT_SCHEDULE = ScheduleAttr((("strategy", "map"),))
"""Of a group without a schedule: right for every group, fast for few."""


@cache
def strategies() -> tuple[str, ...]:
    """Return the names of all strategies: the files of this folder without an underscore."""
    folder = importlib.import_module("dlc.lowering").__path__
    names = (m.name for m in pkgutil.iter_modules(folder) if not m.name.startswith("_"))
    return tuple(sorted(names))


def lower_group(group: GroupOp, name: str) -> tuple[KernelOp, Mapping[int, Repacked]]:
    """Return the kernel of a group, and by operand the weights that it takes in another form.

    Raises CompileError when the schedule cannot be obeyed.
    """
    job = Job.of(group, DEFAULT_SCHEDULE)
    strategy = job.schedule.get("strategy", "")
    if strategy not in strategies():
        known = ", ".join(strategies())
        raise CompileError(
            f"there is no strategy {strategy!r}; there are: {known}", at=operation_text(group)
        )
    importlib.import_module(f"dlc.lowering.{strategy}").lower(job)
    return job.kernel(name), job.repacked


def kernel_key(group: GroupOp) -> object:
    """Return what a group's kernel depends on; groups with equal keys can share one."""
    block = group.body.block
    numbers: dict[SSAValue, int] = {arg: n for n, arg in enumerate(block.args)}
    weights = tuple(isinstance(v.owner, WeightOp) for v in group.inputs)
    ops: list[object] = [tuple(block.arg_types), weights, group.schedule]
    for op in block.ops:
        properties = tuple(sorted(op.properties.items(), key=lambda item: item[0]))
        ops.append((op.name, properties, tuple(numbers[v] for v in op.operands)))
        for result in op.results:
            numbers[result] = len(numbers)
            ops.append(result.type)
    return tuple(ops)
