"""The times of a whole model, from those of its parts."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dlc.analyze.critical_path import longest_path_s
from dlc.report.analyses.bounds import Pair


@dataclass(frozen=True)
class Times:
    """What a model takes whose parts run one after the other, and as soon as their inputs are
    there, in seconds.
    """

    sequential_s: float
    parallel_s: float

    @classmethod
    def of(cls, needs: Mapping[str, Iterable[str]], seconds: Mapping[str, float]) -> "Times":
        """Return the times of parts that each need others, in an order in which they can run."""
        return cls(sum(seconds.values()), longest_path_s(needs, seconds))

    def then(self, other: "Times") -> "Times":
        """Return the times of parts and, when all of them have ended, of others."""
        return Times(self.sequential_s + other.sequential_s, self.parallel_s + other.parallel_s)

    def or_less(self, other: "Times") -> "Times":
        """Return the shorter of two ways to run the same."""
        return Times(
            min(self.sequential_s, other.sequential_s), min(self.parallel_s, other.parallel_s)
        )

    def bounds_us(self, pair: Pair, whole_s: float) -> dict[str, float]:
        """Return both in microseconds, by the keys of a pair of bounds.

        whole_s: the least that the hardware takes for all parts together. Parts that run side by
        side share the chip, so they take no less, unless one after the other they do.
        """
        parallel_s = max(self.parallel_s, min(whole_s, self.sequential_s))
        return {
            pair.sequential.key: 1e6 * self.sequential_s,
            pair.parallel.key: 1e6 * parallel_s,
        }
