"""How long layers take that run as soon as what they need is there."""

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
