"""A report with what a profile of another system says."""

from collections.abc import Mapping, Sequence

from dlc import arch
from dlc.analyze.profiles.matched import Matched, shares_us
from dlc.analyze.profiles.matching import match
from dlc.analyze.profiles.objections import objections
from dlc.analyze.profiles.one_run import one_run
from dlc.analyze.profiles.profile import Profile
from dlc.compiler.outcome import Report


def with_profile(report: Report, profile: Profile) -> tuple[Report, Matched]:
    """Return a report of ``analyze`` with the times of a profile, and which calls they are of.

    Layers get ``profile_us``, and ``profile_kernels`` where the profile has kernels. Raises
    CompileError where the profile has nothing of the model.
    """
    layers = report["layers"]
    matched = match(one_run(profile, layers), layers)
    shares = shares_us(matched, layers)
    chip = arch.by_name(report["target"])
    remarks = [*filter(None, [profile.note(chip)]), *objections(matched, layers, chip)]
    return {
        **report,
        "layers": [{**each, **_of_layer(n, shares, matched)} for n, each in enumerate(layers)],
        "profile": _facts(matched, remarks),
        "note": f"{report['note']}; those of the profile were measured by {profile.kind}",
    }, matched


def _of_layer(place: int, shares: Mapping[int, float], matched: Matched) -> Report:
    if place not in shares:
        return {}
    kernels = [kernel.name for row in matched.rows_of(place) for kernel in row.kernels]
    return {"profile_us": shares[place], **({"profile_kernels": kernels} if kernels else {})}


def _facts(matched: Matched, remarks: Sequence[str]) -> Report:
    """remarks: on a comparison of its times with those here."""
    profile = matched.profile
    others: dict[str, list[float]] = {}
    for row in matched.unmatched:
        others.setdefault(row.name, []).append(row.us)
    ordered = sorted(others.items(), key=lambda each: -sum(each[1]))
    return {
        "source": profile.source,
        "kind": profile.kind,
        "total_us": profile.total_us,
        "matched_us": matched.matched_us,
        "unmatched": [{"name": n, "us": sum(us), "count": len(us)} for n, us in ordered],
        "remarks": [*profile.remarks, *remarks],
    }
