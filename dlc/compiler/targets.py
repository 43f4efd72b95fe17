"""What a model is compiled for: names as users type them."""

import ctypes
import platform
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from itertools import product

from dlc import arch, libraries
from dlc.errors import CompileError
from dlc.option_text import option

_OLDEST = (8, 0)
"""The first compute capability with a maximum that keeps NaN (``max.NaN``), asynchronous copies,
bf16 and tf32.
"""


@dataclass(frozen=True)
class Target:
    """``cpu``, ``cpu-avx2`` or ``sm_90a``; ``is_gpu`` says which kind."""

    name: str

    @property
    def is_gpu(self) -> bool:
        """Whether it is an NVIDIA GPU."""
        return self.name.startswith("sm_")

    @property
    def capability(self) -> tuple[int, int, bool]:
        """Major and minor compute capability, and whether the code runs on no other one."""
        return arch.gpu_by_name(self.name).compute_capability

    @property
    def missing_features(self) -> list[str]:
        """What the code for a CPU needs and this machine's processor lacks."""
        return arch.cpu_by_name(self.name).missing(arch.processor_flags())

    @property
    def runs_here(self) -> bool:
        """Whether this machine can run code for it."""
        if not self.is_gpu:
            return not self.missing_features
        found = device_capability()
        if found is None:
            return False
        major, minor, exact = self.capability
        return major == found[0] and (minor == found[1] if exact else minor <= found[1])


def parse_targets(text: str | None) -> list[Target]:
    """Return the targets of ``cpu-avx2`` or ``sm_80,sm_90a``; of ``None`` the GPU found, else
    ``cpu``.

    Raises CompileError for an unknown one, and for several of which one is a CPU.
    """
    names = list(dict.fromkeys(text.split(","))) if text is not None else [_found()]
    targets = [_parse(name.strip()) for name in names]
    if len(targets) > 1 and not all(target.is_gpu for target in targets):
        raise CompileError("an artifact is for one CPU or for GPUs; compile once for each")
    return targets


def parse_chip(text: str | None) -> Target:
    """Return the one target of an analysis, which no code is made for: one of ``parse_targets``, or
    an older GPU that has a row. Raises CompileError for an unknown one, and for several.
    """
    if text in arch.DEFAULT_CHIPS:
        return Target(text)
    targets = parse_targets(text)
    if len(targets) > 1:
        raise CompileError(f"an analysis is for one chip; give one as {option('target')}")
    return targets[0]


def can_compile(name: str) -> bool:
    """Whether code is made for a chip; some can be analysed only."""
    return name in (*cpu_targets(), *gpu_targets())


def check_libraries(names: Sequence[str], targets: Sequence[Target]) -> None:
    """Raise CompileError for a library that is for another kind of chip than a target."""
    for library, target in product(map(libraries.by_name, names), targets):
        library.require_target("gpu" if target.is_gpu else "cpu", f"the target {target.name}")


def running_target(targets: Sequence[Target]) -> Target | None:
    """Return the target whose code an artifact for ``targets`` runs on this machine, as
    ``native/cuda.c`` chooses it; ``None`` where it runs nowhere.
    """
    able = [target for target in targets if target.runs_here]
    return max(able, key=lambda t: t.capability if t.is_gpu else (0, 0, False), default=None)


def _parse(name: str) -> Target:
    target = Target(name)
    if not can_compile(name):
        ways = f"give {', '.join(cpu_targets())}, or one or more of {', '.join(gpu_targets())}"
        raise CompileError(f"target {name!r} {_why_not(name)}; {ways}")
    return target


def _why_not(name: str) -> str:
    """Return why there can be no artifact for a name; ``dlc-opt`` knows more chips."""
    if name not in arch.names():
        return "is unknown"
    if name.startswith("sm_"):
        oldest = "{}.{}".format(*_OLDEST)
        return f"is too old: the GPU must have compute capability {oldest} or newer"
    if isinstance(chip := arch.by_name(name), arch.GpuArch):
        capability = chip.compute_capability
        same = (t for t in arch.DEFAULT_CHIPS if Target(t).capability == capability)
        return f"is a chip, whose target is {next(same, 'none')}"
    if not name.startswith("cpu-"):
        return "is a model of a CPU for dlc-opt only"
    return f"is for {arch.X86} machines, this one is {platform.machine()}"


def cpu_targets() -> list[str]:
    """Return the CPUs that code can be made for: this machine's, and on x86 those with a row."""
    rows = [row.name for row in arch.CPUS] if platform.machine() == arch.X86 else []
    return ["cpu", *rows]


def gpu_targets() -> list[str]:
    """Return the GPUs that code can be made for: those with a row, from ``_OLDEST`` on."""
    return [name for name in arch.DEFAULT_CHIPS if Target(name).capability[:2] >= _OLDEST]


def _found() -> str:
    """Return the target of the first GPU, else ``cpu``."""
    capability = device_capability()
    if capability is None:
        return "cpu"
    name = "sm_{}{}".format(*capability)
    return f"{name}a" if f"{name}a" in arch.names() else name


@cache
def device_capability() -> tuple[int, int] | None:
    """Return the compute capability of the first GPU, ``None`` where there is none."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return None
    device, major, minor = ctypes.c_int(), ctypes.c_int(), ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(device), 0):
        return None
    driver.cuDeviceGetAttribute(ctypes.byref(major), 75, device)  # COMPUTE_CAPABILITY_MAJOR
    driver.cuDeviceGetAttribute(ctypes.byref(minor), 76, device)
    return major.value, minor.value
