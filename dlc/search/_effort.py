"""What a search may spend."""

from dataclasses import dataclass
from math import inf


@dataclass(frozen=True)
class Effort:
    """deadline: when a search had better return what it has, as ``time.monotonic`` counts. seed: of
    what it draws.
    """

    deadline: float = inf
    seed: int = 0


UNLIMITED = Effort()
"""As long as it takes."""
