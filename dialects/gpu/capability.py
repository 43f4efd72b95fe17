"""What an operation asks of the chip."""

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
