"""Rounds of arrivals at which others wait: ``mbarrier`` objects and numbered barriers."""

from dataclasses import dataclass, field

import numpy as np

from dlc.simulator._clocks import Times


@dataclass
class Phases:
    """The rounds of one object. arrivals: those that end a round.

    missing: the arrivals that the round under way still needs; missing_bytes: the bytes of copies,
    below 0 where they came before they were expected. round: its number. released: what those who
    arrived in each round knew. counter: that of the clocks for its rounds, where it has one.
    """

    arrivals: int
    counter: int = 0
    round: int = 0
    missing_bytes: int = 0
    missing: int = field(init=False)
    released: list[Times] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.missing = self.arrivals
        self._gathered = np.zeros(0, np.int32)

    def gather(self, knowledge: Times) -> None:
        """Let those who wait for the round know this too."""
        known = np.zeros(max(len(knowledge), len(self._gathered)), np.int32)
        known[: len(knowledge)] = knowledge
        known[: len(self._gathered)] = np.maximum(known[: len(self._gathered)], self._gathered)
        self._gathered = known

    def arrive(self, count: int) -> None:
        """Count arrivals of the round under way, not more than are missing."""
        self.missing -= count
        self.end()

    def end(self) -> None:
        """Begin the next round if nothing is missing."""
        if self.missing == 0 and self.missing_bytes == 0:
            self.released.append(self._gathered)
            self._gathered = np.zeros(0, np.int32)
            self.missing = self.arrivals
            self.round += 1

    @property
    def lacks(self) -> str:
        """What the round under way needs, for a message."""
        bytes = f" and {self.missing_bytes} bytes" if self.missing_bytes else ""
        return (
            f"{self.missing} of {self.arrivals} arrivals{bytes} are missing in round {self.round}"
        )
