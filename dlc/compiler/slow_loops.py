"""Says which loops are many launches: why they are, and where a compile takes long by that."""

from collections.abc import Iterator

from xdsl.dialects.builtin import ModuleOp

from dlc.analysis.entry import find_main
from dlc.analysis.whole_loop import WHOLE
from dlc.core.locations import origin_text
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.step_loop import StepLoopOp, step_loops

SLOW_LAUNCHES = 5000
"""Launches of one loop above which its user is told. A compile takes 1 ms of processor time for
each (three GRUs of 300 steps: 1,804 launches in 2 s), and its checks as much again and more."""


def slow_loops(module: ModuleOp) -> Iterator[str]:
    """Yield what to say of the loops of a module of groups whose launches take long to compile."""
    for loop, name, launches in _loops_apart(module):
        if launches >= SLOW_LAUNCHES:
            yield (
                f"{name}: {loop.runs} steps are {launches} launches, which compile slowly; a model"
                " of fewer steps that runs several times compiles faster"
            )


def loops_apart(module: ModuleOp) -> Iterator[str]:
    """Yield why loops of a module of groups are no kernel of all steps, where ``fuse`` said it."""
    for loop, name, launches in _loops_apart(module):
        groups = [op for op in loop.body.block.ops if isinstance(op, GroupOp) and op.boundaries]
        texts = (each.data for op in groups for each in op.boundaries or ())
        if why := next((text for text in texts if text.startswith(WHOLE)), None):
            yield f"{name}: {loop.runs} steps are {launches} launches; {why}"


def _loops_apart(module: ModuleOp) -> Iterator[tuple[StepLoopOp, str, int]]:
    """Yield the loops that are written launch by launch, their names and launches. One that a
    kernel runs whole is inside of a group.
    """
    for loop in step_loops(find_main(module)):
        if not isinstance(loop.parent_op(), GroupOp | StepLoopOp):
            yield loop, origin_text(loop.location) or "a loop", _launches(loop)


def _launches(loop: StepLoopOp) -> int:
    """Return how many groups all steps of a loop have."""
    inner = (op for op in loop.body.block.ops if isinstance(op, GroupOp | StepLoopOp))
    return loop.runs * sum(_launches(op) if isinstance(op, StepLoopOp) else 1 for op in inner)
