"""What one kernel in place of several saves."""

from collections.abc import Sequence
from dataclasses import dataclass

from dlc.plan.plan import NoPlan, Plan


@dataclass(frozen=True)
class Saving:
    """Seconds, bytes moved and operations computed that one kernel needs less than several.

    Each is negative where it needs more.
    """

    s: float
    bytes: int
    operations: float


def saving(apart: Sequence[Plan | NoPlan], together: Plan) -> Saving:
    """Return what one kernel saves.

    Measured times are compared with measured times only: an estimate may be off by more than a
    fusion saves, and is off by the same on both sides. What has no kernel alone takes forever.
    """
    plans = [plan for plan in apart if isinstance(plan, Plan)]
    bytes = sum(plan.bytes for plan in plans) - together.bytes
    operations = sum(plan.operations for plan in plans) - together.operations
    if len(plans) < len(apart):
        return Saving(float("inf"), bytes, operations)
    if all(plan.best.measured_s is not None for plan in (*plans, together)):
        return Saving(sum(plan.s for plan in plans) - together.s, bytes, operations)
    seconds = sum(plan.estimate_s for plan in plans) - together.estimate_s
    return Saving(seconds, bytes, operations)
