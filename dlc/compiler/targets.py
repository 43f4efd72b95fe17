"""What a model is compiled for: names as users type them."""

import ctypes
import re
from dataclasses import dataclass

from dlc import arch
from dlc.errors import CompileError


@dataclass(frozen=True)
class Target:
    """``cpu`` or ``sm_90a``; ``is_gpu`` says which kind."""

    name: str

    @property
    def is_gpu(self) -> bool:
        """Whether it is an NVIDIA GPU."""
        return self.name != "cpu"

    @property
    def capability(self) -> tuple[int, int, bool]:
        """Major and minor compute capability, and whether the code runs on no other one."""
        match = re.fullmatch(r"sm_(\d+)(\d)(a?)", self.name)
        assert match is not None
        return int(match[1]), int(match[2]), bool(match[3])


def parse_targets(text: str | None) -> list[Target]:
    """Return the targets of ``cpu`` or ``sm_80,sm_90a``; of ``None`` the GPU found, else the CPU.

    Raises CompileError for an unknown one and for a mixture of CPU and GPU.
    """
    names = list(dict.fromkeys(text.split(","))) if text is not None else [_found()]
    targets = [_parse(name.strip()) for name in names]
    if len(targets) > 1 and not all(target.is_gpu for target in targets):
        raise CompileError("one artifact is for the CPU or for GPUs; compile twice for both")
    return targets


def _parse(name: str) -> Target:
    if name != "cpu" and not re.fullmatch(r"sm_\d{2,3}a?", name):
        raise CompileError(f"target {name!r} is unknown; give cpu, or GPUs as sm_80,sm_90a")
    arch.by_name(name)
    return Target(name)


def _found() -> str:
    """Return the target of the first GPU, else ``cpu``."""
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return "cpu"
    device = ctypes.c_int()
    if driver.cuInit(0) or driver.cuDeviceGet(ctypes.byref(device), 0):
        return "cpu"
    numbers = [ctypes.c_int(), ctypes.c_int()]
    for attribute, number in zip((75, 76), numbers, strict=True):  # COMPUTE_CAPABILITY_MAJOR, _MINOR
        driver.cuDeviceGetAttribute(ctypes.byref(number), attribute, device)
    name = f"sm_{numbers[0].value}{numbers[1].value}"
    return f"{name}a" if f"{name}a" in arch.names() else name
