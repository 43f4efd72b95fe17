"""What it costs to run all steps of a loop in one kernel."""

from xdsl.dialects.func import ReturnOp

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.whole_loop import outlined
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.plan.plan import NoPlan, Plan
from dlc.plan.planner import Planner


def plan_whole(loop: StepLoopOp, planner: Planner) -> Plan | NoPlan:
    """Return the plan of a kernel of all steps of a loop, or why there is none."""
    if not any(value.uses for value in loop.outputs):
        return NoPlan("nobody needs a result")
    group = outlined(loop, loop.body.clone())
    flow = Dataflow(group.body.block)
    plan = planner.whole(Cluster(flow, tuple(flow.ops)))
    group.drop_all_references()
    return plan


def whole_s(loop: StepLoopOp, planner: Planner) -> float:
    """Return the seconds of a kernel of all steps of a loop; infinite where there is none."""
    plan = plan_whole(loop, planner)
    return plan.s if isinstance(plan, Plan) else float("inf")


def joined_s(loop: StepLoopOp, planner: Planner) -> float:
    """Return the seconds of a kernel of a loop that nobody reads yet."""
    user = ReturnOp(*loop.outputs)  # a plan counts results that are needed
    found = whole_s(loop, planner)
    user.drop_all_references()
    return found
