"""What our plan of the whole model takes."""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation, SSAValue

from dlc.analysis.entry import find_main
from dlc.analyze.critical_path import longest_path_s
from dlc.analyze.times import Times
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.graph.structure import GraphOp
from dlc.dialects.loop import BoundAttr
from dlc.plan import Plan, Planner
from dlc.plan.calls import fitting
from dlc.tuning.kind import cluster_of


@dataclass(frozen=True)
class Fused:
    """sequential_s: all groups one after the other. parallel_s: the way through them that takes
    longest. bound_s: the sum of the bounds of their schedules. kernels, measured: how many there
    are, those of loops once, and how many of these have a measured time.
    """

    sequential_s: float = 0.0
    parallel_s: float = 0.0
    bound_s: float = 0.0
    kernels: int = 0
    measured: int = 0

    @property
    def times(self) -> Times:
        """What the whole model takes."""
        return Times(self.sequential_s, self.parallel_s)


def read_fused(module: ModuleOp, planner: Planner) -> Fused:
    """Return the times of the groups of a module of the ``fused_group`` level, by what the planner
    knows: measured times before estimates.
    """
    return _of_block(find_main(module).body.block, planner)


def _of_block(block: Block, planner: Planner) -> Fused:
    parts = {op: part for op in block.ops if (part := _of_op(op, planner))}
    names = {op: str(number) for number, op in enumerate(parts)}
    needs = {
        name: {names[x] for value in op.operands for x in _makers(value)}
        for op, name in names.items()
    }
    seconds = {names[op]: part.parallel_s for op, part in parts.items()}
    each = parts.values()
    return Fused(
        sum(part.sequential_s for part in each),
        longest_path_s(needs, seconds),
        sum(part.bound_s for part in each),
        sum(part.kernels for part in each),
        sum(part.measured for part in each),
    )


def _of_op(op: Operation, planner: Planner) -> Fused | None:
    match op:
        case GroupOp(bound=bound) if bound is not None:
            known_s = _measured_s(op, planner)
            took_s = _seconds(bound, "estimate_us") if known_s is None else known_s
            return Fused(took_s, took_s, _seconds(bound, "time_us"), 1, known_s is not None)
        case StepLoopOp(runs=runs):
            step = _of_block(op.body.block, planner)
            return Fused(
                runs * step.sequential_s,
                runs * step.parallel_s,
                runs * step.bound_s,
                step.kernels,
                step.measured,
            )
        case _:
            return None


def _measured_s(group: GroupOp, planner: Planner) -> float | None:
    """Return what the best measured schedule of a group takes, if one was measured."""
    plan = planner.plan(cluster_of(group))
    return fitting(plan, group).measured_s if isinstance(plan, Plan) else None


def _seconds(bound: BoundAttr, key: str) -> float:
    us = bound.as_data()[key]
    assert isinstance(us, int | float)
    return 1e-6 * us


def _makers(value: SSAValue) -> Iterator[Operation]:
    """Yield the groups and loops that compute a value, or parts of it."""
    owner = value.owner
    if isinstance(owner, GroupOp | StepLoopOp):
        yield owner
    elif isinstance(owner, GraphOp):
        for operand in owner.operands:
            yield from _makers(operand)
