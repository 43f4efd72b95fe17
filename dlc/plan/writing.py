"""A decision as text of the IR: the attributes of a group."""

from dlc.dialects.fused_group import GroupOp
from dlc.dialects.loop import BoundAttr
from dlc.strategies import Rated


def write(rated: Rated, group: GroupOp) -> None:
    """Give a group a schedule, and what the models say about it."""
    group.schedule = rated.schedule.attribute()
    group.bound = _bound(rated)


def _bound(rated: Rated) -> BoundAttr:
    """Return bound and estimate as an attribute; three digits say all that a model knows."""
    bound = rated.bound
    values = {
        "time_us": bound.time_s * 1e6,
        "estimate_us": rated.latency_s() * 1e6,
        "global": bound.global_ratio,
        "shared": bound.shared_ratio,
        "waves": bound.wave_efficiency,
    }
    rounded = tuple((key, float(f"{value:.3g}")) for key, value in values.items())
    return BoundAttr((*rounded, ("limits", bound.limits)))
