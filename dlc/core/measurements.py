"""What is known of the times of kernels because they were measured."""

from typing import Protocol


class Measurements(Protocol):
    """Measured times of kernels, on the chip that is compiled for."""

    def measured_s(self, key: str, schedule: str) -> float | None:
        """Return the seconds of one launch, ``None`` where it was not measured.

        key: says what the kernel computes (``dlc.plan.Structure``). schedule: how, as text of the
        IR.
        """
        ...

    def is_refused(self, key: str, schedule: str) -> bool:
        """Return whether it was tried, and could not be built or run."""
        ...


class _Nothing:
    def measured_s(self, key: str, schedule: str) -> float | None:
        return None

    def is_refused(self, key: str, schedule: str) -> bool:
        return False


NOTHING: Measurements = _Nothing()
"""Nothing was measured: the model decides alone."""
