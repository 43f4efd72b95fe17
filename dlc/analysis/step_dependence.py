"""Which values in the body of a loop change from step to step, and which depend on the states."""

from collections.abc import Iterable

from xdsl.ir import SSAValue

from dlc.dialects.graph.step_loop import StepLoopOp


def of_states(loop: StepLoopOp) -> set[SSAValue]:
    """Return the states in the body of a loop, and what is computed of them."""
    return _computed_of(loop, loop.body.block.args[: len(loop.initial)])


def of_steps(loop: StepLoopOp) -> set[SSAValue]:
    """Return the values in the body of a loop that need not be the same in all steps."""
    return _computed_of(loop, loop.body.block.args[: len(loop.initial) + len(loop.sliced)])


def _computed_of(loop: StepLoopOp, values: Iterable[SSAValue]) -> set[SSAValue]:
    found = set(values)
    for op in loop.body.block.ops:
        if not found.isdisjoint(op.operands):
            found.update(op.results)
    return found
