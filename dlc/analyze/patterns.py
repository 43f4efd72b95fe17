"""Layers that occur again: equal in all but their names."""

from collections.abc import Sequence

from dlc.compiler.outcome import Report


def patterns(layers: Sequence[Report]) -> list[Report]:
    """Return the distinct layers of a report with how often each occurs, those that take longest
    together first. first: the name of the first one. time_us: of all together.
    """
    alike: dict[str, list[Report]] = {}
    for each in layers:
        alike.setdefault(f"{each['op_type']} {each['pattern']}", []).append(each)
    found = [
        {
            "pattern": same[0]["pattern"],
            "op_type": same[0]["op_type"],
            "count": len(same),
            "first": same[0]["name"],
            "macs": sum(each["macs"] for each in same),
            "time_us": sum(each["time_us"] for each in same),
        }
        for same in alike.values()
    ]
    return sorted(found, key=lambda each: -each["time_us"])
