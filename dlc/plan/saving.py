"""What some kernels in place of others save."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf

from dlc.plan.plan import NoPlan, Plan


@dataclass(frozen=True)
class Saving:
    """Seconds, bytes moved and operations computed that some kernels need less than others.

    Each is negative where it needs more.
    """

    s: float
    bytes: int
    operations: float


def saving(before: Sequence[Plan | NoPlan], after: Sequence[Plan | NoPlan]) -> Saving:
    """Return what the kernels ``after`` need less than those ``before``.

    Measured times are compared with measured times only: an estimate may be off by more than a
    fusion saves, and is off by the same on both sides. What has no kernel takes forever.
    """
    olds, news = ([plan for plan in each if isinstance(plan, Plan)] for each in (before, after))
    bytes = sum(plan.bytes for plan in olds) - sum(plan.bytes for plan in news)
    operations = sum(plan.operations for plan in olds) - sum(plan.operations for plan in news)
    if len(news) < len(after):
        return Saving(-inf, bytes, operations)
    if len(olds) < len(before):
        return Saving(inf, bytes, operations)
    if all(plan.best.measured_s is not None for plan in (*olds, *news)):
        return Saving(sum(p.s for p in olds) - sum(p.s for p in news), bytes, operations)
    seconds = sum(p.estimate_s for p in olds) - sum(p.estimate_s for p in news)
    return Saving(seconds, bytes, operations)
