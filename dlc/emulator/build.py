"""Builds the stand-in driver and the kernels of an artifact for this machine's processor."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from dlc import arch
from dlc.core.c_compiler import CPP_FLAGS, Source, find_c_compiler, find_cpp_compiler
from dlc.emulator.native import native_text
from dlc.emulator.products import definitions
from dlc.emulator.translation import Kernel, host_text
from dlc.runtime.native import native_text as runtime_text

DRIVER = "libcuda.so.1"
KERNELS = "kernels.so"

_DRIVER_FLAGS = (
    "-O3",
    "-fvisibility=default",
    "-ftls-model=initial-exec",
    "-fno-strict-aliasing",
    "-U_FORTIFY_SOURCE",
)
_KERNEL_FLAGS = (*CPP_FLAGS, "-O1", "-ftls-model=initial-exec", "-fno-strict-aliasing")
_DRIVER_FILES = (
    "block.c",
    "tokens.c",
    "instructions.c",
    "warpgroup.c",
    "memory.c",
    "tensor_map.c",
    "driver.c",
    "graph.c",
)
_DRIVER_HEADERS = ("driver.h", "emulator.h", "tensor_map.h", "worker.h")


@dataclass(frozen=True)
class Image:
    """A cubin of an artifact, the CUDA text that it was made of, and the kernels of the text."""

    code: bytes
    text: str
    kernels: tuple[Kernel, ...]

    @property
    def symbol(self) -> str:
        """The name under which the host's code for it is found."""
        return f"image_{hashlib.sha256(self.code).hexdigest()}"


def build_driver(jobs: int, folder: Path) -> None:
    """Write ``DRIVER`` to ``folder``. Raises CompileError."""
    flags = (*_DRIVER_FLAGS, *arch.host().compiler_flags)
    headers = {name: native_text(name) for name in _DRIVER_HEADERS}
    headers["products.h"] = definitions()
    headers |= {n: runtime_text(n) for n in ("cuda_driver.h", "program.h", "dlc.h")}
    sources = [Source(name, native_text(name), flags) for name in _DRIVER_FILES]
    objects = find_c_compiler().compile_objects(sources, headers, jobs)
    flags = [f"-Wl,-soname,{DRIVER}", "-lpthread"]
    find_c_compiler().link_library(objects, flags, folder / DRIVER)


def build_kernels(images: Sequence[Image], jobs: int, folder: Path) -> None:
    """Write ``KERNELS`` to ``folder``: one library of all images. Raises CompileError."""
    flags = (*_KERNEL_FLAGS, *arch.host().compiler_flags)
    texts = {image.symbol: image for image in images}
    sources = [
        Source("kernels.cpp", host_text(image.text, image.kernels, symbol), flags)
        for symbol, image in texts.items()
    ]
    headers = {"device.h": native_text("device.h")}
    objects = find_cpp_compiler().compile_objects(sources, headers, jobs)
    find_c_compiler().link_library(objects, ["-lm"], folder / KERNELS)
