"""The instructions that the kernels of a CPU artifact may use."""

import platform
from collections.abc import Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dlc import arch

X86 = "x86_64"
"""The machine that rows of instruction sets are for, as ``platform.machine`` names it."""


@dataclass(frozen=True)
class InstructionSet:
    """What the kernels of an artifact may use: compiler flags and the features to check at load.

    features: as ``__builtin_cpu_supports`` names them.
    """

    flags: tuple[str, ...]
    features: tuple[str, ...]

    def missing(self, present: Set[str]) -> list[str]:
        """Return the features that are not among a processor's flags."""
        return [x for x in self.features if x.replace(".", "_") not in present]


_LEVELS = {
    4: InstructionSet(
        ("-march=x86-64-v4", "-mprefer-vector-width=512"),
        ("avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"),
    ),
    3: InstructionSet(("-march=x86-64-v3",), ("avx2", "fma", "bmi2")),
    2: InstructionSet(("-march=x86-64-v2",), ("sse4.2", "popcnt")),
    1: InstructionSet(("-march=x86-64",), ()),
}
"""The levels of the x86-64 psABI, best first."""


def instruction_set(target: str) -> InstructionSet:
    """Return what code for a CPU may use: ``cpu``, this machine's, or one of ``arch.CPUS``."""
    if target == "cpu":
        return host_instruction_set()
    return _LEVELS[next(row.x86_level for row in arch.CPUS if row.name == target)]


@cache
def host_instruction_set() -> InstructionSet:
    """Return the best level that this machine's processor has (the base one elsewhere than x86)."""
    if platform.machine() != X86:
        return InstructionSet((), ())
    present = processor_flags()
    return next(level for level in _LEVELS.values() if not level.missing(present))


def processor_flags() -> set[str]:
    """Return what Linux says that this machine's processor has."""
    try:
        text = Path("/proc/cpuinfo").read_text()
    except OSError:
        return set()
    return next((set(x.split()) for x in text.splitlines() if x.startswith("flags")), set())
