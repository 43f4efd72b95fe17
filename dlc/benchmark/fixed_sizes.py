"""Sources whose model says all that there is to say of its inputs."""

from collections.abc import Mapping

from dlc.benchmark.workload import Array


class FixedSizes:
    """No size is left open, and nothing but the inputs is given."""

    def shapes(self, batch: int | None) -> dict[str, list[int] | int]:
        """Return none."""
        return {}

    def constants(self) -> Mapping[str, Array]:
        """Return none."""
        return {}
