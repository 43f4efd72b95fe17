"""Layers that run as soon as what they need is there."""

from collections.abc import Iterable, Mapping


def longest_path_s(needs: Mapping[str, Iterable[str]], seconds: Mapping[str, float]) -> float:
    """Return the seconds of the way through a partial order that takes longest.

    needs: for each layer, in an order in which they can run, those that it waits for.
    """
    end: dict[str, float] = {}
    for name, others in needs.items():
        start = max((end.get(other, 0.0) for other in others), default=0.0)
        end[name] = start + seconds.get(name, 0.0)
    return max(end.values(), default=0.0)


def longest_path(needs: Mapping[str, Iterable[str]], times: Mapping[str, float]) -> list[str]:
    """Return the way through a partial order that takes longest, in order; ``needs`` as above."""
    ways: dict[str, tuple[float, str]] = {}
    for name, others in needs.items():
        time, before = max(((ways[x][0], x) for x in others if x in ways), default=(0.0, ""))
        ways[name] = (time + times.get(name, 0.0), before)
    name = max(ways, key=lambda each: ways[each][0], default="")
    found: list[str] = []
    while name:
        found.append(name)
        name = ways[name][1]
    return found[::-1]
