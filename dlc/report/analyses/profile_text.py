"""What a profile of another system says of a model, as text."""

from collections.abc import Iterator, Mapping
from typing import Any

from dlc.errors import counted
from dlc.report.values import microseconds

_SHOWN = 5
_NAME_LETTERS = 100


def profile_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Yield lines about the profile that a report has, nothing where it has none."""
    if not (profile := report.get("profile")):
        return
    total_us, matched_us = profile["total_us"], profile["matched_us"]
    share = matched_us / total_us if total_us else 1.0
    of = [layer for layer in report["layers"] if "profile_us" in layer]
    yield (
        f"profile of {profile['kind']}, {profile['source']}: {microseconds(total_us)}, "
        f"{100 * share:.0f} % of it in {len(of)} of {counted(len(report['layers']), 'layer')}"
    )
    yield from _unmatched(profile["unmatched"])
    yield from (f"  {remark}" for remark in profile["remarks"])
    yield ""


def _unmatched(calls: list[Mapping[str, Any]]) -> Iterator[str]:
    for each in calls[:_SHOWN]:
        times = "" if each["count"] == 1 else f" ({each['count']}x)"
        yield f"  in no layer: {microseconds(each['us'])} {each['name'][:_NAME_LETTERS]}{times}"
    if rest := calls[_SHOWN:]:
        us = sum(each["us"] for each in rest)
        yield f"  in no layer: {microseconds(us)} {counted(len(rest), 'other call')}"
