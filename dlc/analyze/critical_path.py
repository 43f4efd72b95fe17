"""Layers that run as soon as what they need is there."""

from collections.abc import Iterable, Mapping


def longest_path(needs: Mapping[str, Iterable[str]], seconds: Mapping[str, float]) -> list[str]:
    """Return the way through a partial order that takes longest: each one needs the one before.

    needs: for each layer, in an order in which they can run, those that it waits for.
    """
    end: dict[str, float] = {}
    before: dict[str, str | None] = {}
    for name, others in needs.items():
        latest = max((x for x in others if x in end), key=end.__getitem__, default=None)
        before[name] = latest
        end[name] = (0.0 if latest is None else end[latest]) + seconds.get(name, 0.0)
    found: list[str] = []
    last = max(end, key=end.__getitem__, default=None)
    while last is not None:
        found.append(last)
        last = before[last]
    return found[::-1]


def longest_path_s(needs: Mapping[str, Iterable[str]], seconds: Mapping[str, float]) -> float:
    """Return the seconds that ``longest_path`` takes."""
    return sum(seconds.get(name, 0.0) for name in longest_path(needs, seconds))
