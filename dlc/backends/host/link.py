"""Builds an artifact's shared library from its printed program, its kernels and the fixed files."""

from collections.abc import Sequence
from pathlib import Path

from dlc.core.c_compiler import Source, find_c_compiler
from dlc.runtime.native import native_headers, native_text

_HOST_FLAGS = ("-O2",)
_CUDA_FILES = ("cuda.c", "cuda_arguments.c", "cuda_calls.c", "cuda_driver.c", "cuda_fills.c")


def link_cpu(program: str, kernels: Sequence[Source], identity: bytes, jobs: int, to: Path) -> None:
    """Build the library of a CPU artifact. Raises CompileError.

    program: from ``print_cpu_program``. kernels: translation units that define what it calls.
    identity: from ``payload_identity``.
    """
    sources = [*_host_sources(program, identity, "cpu.c", "threads.c"), *kernels]
    objects = find_c_compiler().compile_objects(sources, native_headers(), jobs)
    find_c_compiler().link_library(objects, ["-pthread", "-lm", "-ldl"], to)


def link_cuda(program: str, identity: bytes, jobs: int, to: Path) -> None:
    """Build the library of a GPU artifact. Raises CompileError.

    program: from ``print_cuda_program``; the kernels are data of the artifact, not of the library.
    """
    sources = _host_sources(program, identity, *_CUDA_FILES)
    objects = find_c_compiler().compile_objects(sources, native_headers(), jobs)
    find_c_compiler().link_library(objects, ["-ldl"], to)


def print_identity(identity: bytes) -> str:
    """Return the C file that holds an identity."""
    return (
        '#include "program.h"\n\n'
        f"const unsigned char dlc_identity[32] = {{{', '.join(map(str, identity))}}};\n"
    )


def _host_sources(program: str, identity: bytes, *files: str) -> list[Source]:
    return [
        Source("program.c", program, _HOST_FLAGS),
        Source("identity.c", print_identity(identity), _HOST_FLAGS),
        *(
            Source(name, native_text(name), _HOST_FLAGS)
            for name in (*files, "entry.c", "libraries.c", "payload.c")
        ),
    ]
