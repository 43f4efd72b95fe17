"""What an operation asks of the chip, and what is known of the index that it gives."""

from abc import ABC, abstractmethod

from xdsl.ir import Operation


class NeedsCapability(Operation, ABC):
    """An operation that only some chips have; ``gpu-check-limits`` asks it.

    Capabilities are those of ``dlc/arch/nvidia.py``: ``mma.sync.f16``, ``cp.async``, …
    """

    @property
    @abstractmethod
    def capability(self) -> str:
        """The name of the capability."""


class BoundedIndex(Operation, ABC):
    """An operation whose single result is an index of known range."""

    @property
    @abstractmethod
    def bounds(self) -> tuple[int, int]:
        """The smallest value and the first one that is too large."""
