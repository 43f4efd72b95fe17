"""Says which loops are so many launches that a compile takes long."""

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.entry import find_main
from dlc.core.locations import origin_text
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.step_loop import StepLoopOp, step_loops

SLOW_LAUNCHES = 5000
"""Launches of one loop above which its user is told. A compile takes 1 ms of processor time for
each (three GRUs of 300 steps: 1,804 launches in 2 s), and its checks as much again and more."""


def slow_loops(module: ModuleOp) -> Iterator[str]:
    """Yield what to say of the loops of a module of groups that are written launch by launch. One
    that a kernel runs whole is inside of a group.
    """
    for loop in step_loops(find_main(module)):
        if isinstance(loop.parent_op(), GroupOp | StepLoopOp):
            continue
        launches = _launches(loop)
        if launches >= SLOW_LAUNCHES:
            name = origin_text(loop.location) or "a loop"
            yield (
                f"{name}: {loop.runs} steps are {launches} launches, which compile slowly; a model"
                " of fewer steps that runs several times compiles faster"
            )


def _launches(loop: StepLoopOp) -> int:
    """Return how many groups all steps of a loop have."""
    inner = (op for op in loop.body.block.ops if isinstance(op, GroupOp | StepLoopOp))
    return loop.runs * sum(_launches(op) if isinstance(op, StepLoopOp) else 1 for op in inner)
