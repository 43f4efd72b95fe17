"""Hardware as data: one frozen row per chip, every number with its source beside it.

Passes ask a row for quantities and capabilities, never for its name.
"""

from dlc.arch.cpu import STACK_BYTES, CpuArch
from dlc.arch.cpus import CPUS
from dlc.arch.gpu import GpuArch
from dlc.arch.host import X86, host, processor_flags
from dlc.arch.nvidia import DEFAULT_CHIPS, GPUS
from dlc.errors import CompileError

Arch = GpuArch | CpuArch

DEFAULT_TARGET = "sm_90a"
"""What a pass assumes when no chip is named, so that its result does not depend on the machine."""

__all__ = [
    "CPUS",
    "DEFAULT_CHIPS",
    "DEFAULT_TARGET",
    "GPUS",
    "STACK_BYTES",
    "X86",
    "Arch",
    "CpuArch",
    "GpuArch",
    "by_name",
    "cpu_by_name",
    "gpu_by_name",
    "host",
    "names",
    "processor_flags",
]


def names() -> list[str]:
    """Return every name that ``by_name`` takes, sorted."""
    return sorted(["cpu", *_rows(), *DEFAULT_CHIPS])


def by_name(name: str) -> Arch:
    """Return the row called ``name``.

    name: a chip (``h200``, ``cpu-avx2``), a target (``sm_90a`` means its most usual chip) or
    ``cpu``, the machine that compiles. Case does not matter.
    Raises CompileError when there is no such row.
    """
    key = name.lower()
    if key == "cpu":
        return host()
    rows = _rows()
    key = DEFAULT_CHIPS.get(key, key)
    if key not in rows:
        raise CompileError(f"no hardware is called {name!r}; known: {', '.join(names())}")
    return rows[key]


def gpu_by_name(name: str) -> GpuArch:
    """Return the GPU called ``name``; raises CompileError when it is unknown or no GPU."""
    row = by_name(name)
    if not isinstance(row, GpuArch):
        raise CompileError(f"{row.name} is no GPU; known: {', '.join(DEFAULT_CHIPS)}")
    return row


def cpu_by_name(name: str) -> CpuArch:
    """Return the CPU called ``name``; raises CompileError when it is unknown or no CPU."""
    row = by_name(name)
    if not isinstance(row, CpuArch):
        raise CompileError(f"{row.name} is no CPU; known: cpu, {', '.join(r.name for r in CPUS)}")
    return row


def _rows() -> dict[str, Arch]:
    return {row.name: row for row in (*GPUS, *CPUS)}
