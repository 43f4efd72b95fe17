"""What a compile did, as plain data."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dlc.errors import counted

Report = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What ``compile_to`` did.

    report: what the artifact holds (docs/artifact.md). seconds: wall time by step. verification:
    what was found when the artifact was run, ``None`` if it was not. simulated: what was found in
    the simulator, for each target that this machine does not run; emulated: what was found when the
    artifact was emulated for it. checked: all in one line. cached: by kind (``artifact``,
    ``cubin``, ``object``), how many came from the cache, and of how many. imported: what was found
    when the import was compared with the ONNX reference implementation. cautions: lines about what
    verification cannot tell. remarks: what the import has to say about single nodes; none where the
    artifact came from the cache. compared: with what else the user wished the outputs to be
    compared. tuned: what was measured to choose schedules, with a line of text for people.
    """

    report: Report
    seconds: Mapping[str, float]
    verification: Report | None = None
    simulated: Sequence[Report] = ()
    emulated: Sequence[Report] = ()
    checked: str = "not verified"
    cached: Mapping[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    imported: Report | None = None
    cautions: Sequence[str] = ()
    remarks: Sequence[str] = ()
    compared: Sequence[Report] = ()
    tuned: Mapping[str, Any] | None = None

    def launches_text(self) -> str:
        """Return a phrase for the user: how many launches there are for each target, and how many
        kernels have a schedule that names a library.
        """
        variants = self.report["variants"]
        counts = [
            f"{counted(v['launches'], 'launch')} of {counted(len(v['kernels']), 'kernel')}"
            f"{_by_libraries(v)}"
            for v in variants
        ]
        if len(variants) == 1:
            return counts[0]
        return ", ".join(f"{v['target']} {c}" for v, c in zip(variants, counts, strict=True))

    def warnings(self) -> list[str]:
        """Return the remarks and cautions, and a line for each kernel that is right but slower than
        it could be.
        """
        return [*self.remarks, *self.cautions, *self._spills()]

    def _spills(self) -> list[str]:
        return [
            f"kernel {kernel['name']} for {variant['target']} spills {used['spill_bytes']} bytes "
            f"per thread at {used['registers']} registers, all that a block of its size can have"
            for variant in self.report["variants"]
            for kernel in variant["kernels"]
            if (used := kernel["resources"]).get("spill_bytes")
        ]

    def cached_text(self) -> str:
        """Return a phrase for the user: what came from the cache."""
        units = {**self.cached}
        if units.pop("artifact", (0, 0))[0]:
            return "from the cache"
        found, asked = map(sum, zip((0, 0), *units.values(), strict=True))
        return f"{found} of {asked} translation units from the cache" if found else ""


def _by_libraries(variant: Mapping[str, Any]) -> str:
    schedules = [kernel["schedule"] for kernel in variant["kernels"]]
    named = Counter(each["library"] for each in schedules if "library" in each)
    return f" ({', '.join(f'{n} may call {name}' for name, n in named.items())})" if named else ""
