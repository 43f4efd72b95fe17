"""How else a group could have run: the schedules of its plan that were not taken."""

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.compiler.outcome import Report
from dlc.dialects.fused_group import GroupOp
from dlc.plan import Candidate, NoPlan, Planner

MOST = 3


def runners_up(group: GroupOp, planner: Planner) -> list[Report]:
    """Return the best schedules beside that of the group, in the order of ``planner``, with the
    model's times.
    """
    flow = Dataflow(group.body.block)
    plan = planner.plan(Cluster(flow, tuple(flow.ops)))
    if isinstance(plan, NoPlan):
        return []
    others = (c for c in plan.candidates if c.schedule.attribute() != group.schedule)
    return [_describe(candidate) for candidate, _ in zip(others, range(MOST), strict=False)]


def _describe(candidate: Candidate) -> Report:
    times = {"bound_us": candidate.bound.time_s, "estimate_us": candidate.estimate_s}
    rounded = {key: float(f"{s * 1e6:.3g}") for key, s in times.items()}
    return {"schedule": candidate.schedule.attribute().as_data(), **rounded}
