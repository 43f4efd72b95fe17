"""What a search may spend, and what it goes by."""

from collections.abc import Callable
from dataclasses import dataclass
from math import inf

from dlc.search._partition import Partition

Fitness = Callable[[Partition], float]
"""Returns the seconds that a division takes, infinite where it does not run."""


@dataclass(frozen=True)
class Effort:
    """deadline: when a search had better return what it has, as ``time.monotonic`` counts. seed: of
    what it draws. fitness: what ``evolve`` goes by; ``None`` for the model's cost.
    """

    deadline: float = inf
    seed: int = 0
    fitness: Fitness | None = None


UNLIMITED = Effort()
"""As long as it takes, by the model's cost."""
