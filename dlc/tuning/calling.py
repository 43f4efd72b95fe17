"""What a trial needs of libraries that it calls: their tables, opened as an artifact opens them."""

import ctypes
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from dlc.backends.host.libraries import print_libraries
from dlc.core.c_compiler import Source, find_c_compiler
from dlc.errors import CompileError
from dlc.libraries import Library
from dlc.runtime.called_library import CalledLibrary, LibraryRow, offer_wheels
from dlc.runtime.native import native_headers, native_text
from dlc.scratch import ScratchFolder

EXPORTED = ("-O2", "-fvisibility=default")
"""Flags for what Python calls in a trial."""

_FAIL = """
dlc_status dlc_fail(dlc_status status, const char *format, ...) {
  (void)format;
  return status;
}
"""
"""The only function of a path, which is that of a wheel; there is nobody to read the message."""


class UncallableError(CompileError):
    """A library is not on this machine: the kernel beside its call would run."""


class RefusedCallError(CompileError):
    """A library does not take a call, here and with any other machine of the kind."""


def calling_sources(found: Sequence[Library], text: str = "") -> list[Source]:
    """Return C that opens libraries, perhaps none. text: more C, behind their tables."""
    return [
        Source("libraries.c", native_text("libraries.c"), EXPORTED),
        Source("tables.c", f"{text or print_libraries(found)}{_FAIL}", EXPORTED),
    ]


def linked(sources: Sequence[Source]) -> bytes:
    """Return a shared library of sources. Raises CompileError."""
    compiler = find_c_compiler()
    objects = compiler.compile_objects(sources, native_headers(), 1)
    with ScratchFolder("dlc-tune-") as folder:
        path = Path(folder, "trial.so")
        compiler.link_library(objects, ["-pthread", "-lm", "-ldl"], path)
        return path.read_bytes()


@contextmanager
def opened(trial: Any) -> Generator[list[CalledLibrary]]:
    """Open the libraries that a loaded trial calls (``calling_sources``), until the end."""
    rows = _rows(trial)
    offer_wheels(rows, lambda number, path: trial.dlc_libraries_set(ctypes.c_int32(number), path))
    trial.dlc_libraries_take()
    try:
        yield [row.called() for row in _rows(trial)]
    finally:
        trial.dlc_libraries_give()


@contextmanager
def required(trial: Any) -> Generator[None]:
    """As ``opened``; raises UncallableError for a library that is missing."""
    with opened(trial) as found:
        for each in found:
            if not each.is_used:
                raise UncallableError(f"library {each.name} is not here: {each.state}")
        yield


def _rows(trial: Any) -> Sequence[LibraryRow]:
    count = ctypes.c_int32.in_dll(trial, "dlc_library_count").value
    return (LibraryRow * max(1, count)).in_dll(trial, "dlc_libraries")[:count]
