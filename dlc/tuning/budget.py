"""How long tuning may take."""

import time
from collections.abc import Callable
from math import inf


class Budget:
    """Seconds from now on."""

    def __init__(self, seconds: float = inf, clock: Callable[[], float] = time.monotonic):
        self._clock = clock
        self._end = clock() + seconds

    def left(self) -> float | None:
        """Return the seconds that are left, none of them negative; ``None`` without an end."""
        return None if self._end == inf else max(0.0, self._end - self._clock())

    def part(self, share: float) -> "Budget":
        """Return a budget of a part of what is left."""
        left = self.left()
        return Budget(inf if left is None else share * left, self._clock)

    def stop(self) -> None:
        """Let nothing new begin."""
        self._end = self._clock()

    @property
    def is_spent(self) -> bool:
        """Whether nothing new should begin."""
        return self.left() == 0
