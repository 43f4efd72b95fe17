"""What a compile did, as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

Report = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What ``compile_to`` did.

    report: what the artifact holds (docs/artifact.md). seconds: wall time by step. verification:
    what was found when the artifact was run, ``None`` if it was not. checked: the same in one line.
    cached: by kind (``artifact``, ``cubin``, ``object``), how many came from the cache, and of how
    many.
    """

    report: Report
    seconds: Mapping[str, float]
    verification: Report | None = None
    checked: str = "not verified"
    cached: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])

    def cached_text(self) -> str:
        """Return a phrase for the user: what came from the cache."""
        units = {**self.cached}
        if units.pop("artifact", (0, 0))[0]:
            return "from the cache"
        found, asked = map(sum, zip((0, 0), *units.values(), strict=True))
        return f"{found} of {asked} translation units from the cache" if found else ""
