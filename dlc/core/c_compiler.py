"""The C compiler for the host part and the CPU kernels: the system's, else the ziglang wheel's."""

import importlib.util
import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from dlc.core.cache import Cache, cache_key
from dlc.core.limited_process import Limits, run_limited
from dlc.errors import CompileError
from dlc.scratch import ScratchFolder

BASE_FLAGS = ("-std=gnu11", "-fPIC", "-fvisibility=hidden", "-fno-ident", "-g0", "-w")
"""For every translation unit. Tests turn all warnings on; a user's compiler may know others."""

CPP_FLAGS = ("-std=gnu++17", "-fno-exceptions", "-fno-rtti")
"""For those of C++, after ``BASE_FLAGS``."""


@dataclass(frozen=True)
class Source:
    """One translation unit: its text and the flags that it needs beside ``BASE_FLAGS``."""

    name: str
    text: str
    flags: tuple[str, ...] = ("-O2",)


@dataclass(frozen=True)
class CCompiler:
    """A compiler as the words of its command line, and what tells its version apart.

    limits: of each run; text that no compiler gets done with must not take the machine.
    """

    command: tuple[str, ...]
    version: str
    limits: Limits = field(default_factory=Limits)

    def compile_objects(
        self, sources: Sequence[Source], headers: Mapping[str, str], jobs: int
    ) -> list[bytes]:
        """Return one object file per source, from the cache where it was compiled before.

        headers: texts by file name, found by ``#include "name"``.
        Raises CompileError with the compiler's first line of complaint.
        """
        common = [self.version, *BASE_FLAGS, *(f"{n}\0{t}" for n, t in sorted(headers.items()))]
        cached = Cache("object")

        def build(source: Source) -> bytes:
            key = cache_key(*common, source.name, source.text, *source.flags)
            found = cached.get(key)
            if found is None:
                found = self._compile(source, headers)
                cached.put(key, found)
            return found

        with ThreadPoolExecutor(max(1, jobs)) as pool:
            return list(pool.map(build, sources))

    def _compile(self, source: Source, headers: Mapping[str, str]) -> bytes:
        with ScratchFolder("dlc-cc-") as folder:
            for name, text in headers.items():
                Path(folder, name).write_text(text)
            Path(folder, source.name).write_text(source.text)
            command = [*BASE_FLAGS, *source.flags, "-c", source.name, "-o", "object.o"]
            self._run(command, folder, source.name, "object.o")
            return Path(folder, "object.o").read_bytes()

    def link_library(self, objects: Sequence[bytes], flags: Sequence[str], to: Path) -> None:
        """Link objects, in this order, to a shared library without build id, symbols or paths."""
        with ScratchFolder("dlc-ld-") as folder:
            names = [f"{number}.o" for number in range(len(objects))]
            for name, data in zip(names, objects, strict=True):
                Path(folder, name).write_bytes(data)
            command = ["-shared", "-s", "-Wl,--build-id=none", "-Wl,-z,noexecstack"]
            self._run([*command, "-o", "library.so", *names, *flags], folder, "link", "library.so")
            shutil.move(Path(folder, "library.so"), to)

    def _run(self, arguments: Sequence[str], folder: Path, what: str, result: str) -> None:
        try:
            done = run_limited([*self.command, *arguments], str(folder), self.limits)
        except CompileError as error:
            error.place(what)
            raise
        if done.status != 0:
            reason = _first_complaint(done.errors) or f"exit status {done.status}"
            raise CompileError(f"the C compiler {self.command[0]} failed: {reason}", at=what)
        if not Path(folder, result).exists():
            raise CompileError(f"the C compiler {self.command[0]} wrote no {result}", at=what)


def _first_complaint(text: str) -> str:
    """Return the line of a compiler's messages that says why it failed."""
    lines = text.splitlines()
    return next((x for x in lines if "error" in x or "out of memory" in x), "".join(lines[:1]))


@cache
def find_c_compiler() -> CCompiler:
    """Return ``$CC``, else ``cc``, ``gcc`` or ``clang`` of the system, else the ziglang wheel's.

    Raises CompileError when there is none, or ``$CC`` is none.
    """
    if wanted := shlex.split(os.environ.get("CC", "")):
        return _probe(tuple(wanted))
    for name in ("cc", "gcc", "clang"):
        if shutil.which(name):
            return _probe((name,))
    if importlib.util.find_spec("ziglang"):
        return _probe((sys.executable, "-m", "ziglang", "cc"))
    raise CompileError("no C compiler found; install gcc, or the ziglang wheel, or set CC")


@cache
def find_cpp_compiler() -> CCompiler:
    """Return a compiler of ``.cpp`` files: that of C if it is one, else ``c++`` or ``clang++``.

    Raises CompileError when there is none.
    """
    try:
        found = [find_c_compiler()]
    except CompileError:
        found = []
    found += [_probe((name,)) for name in ("c++", "clang++") if shutil.which(name)]
    for compiler in found:
        with suppress(CompileError):
            compiler.compile_objects([Source("probe.cpp", "bool probe;\n", CPP_FLAGS)], {}, 1)
            return compiler
    raise CompileError("no C++ compiler found; install g++, or the ziglang wheel")


def _probe(command: tuple[str, ...]) -> CCompiler:
    text = " ".join(command)
    wrong = f"the C compiler {text} does not run; install gcc, or set CC to a compiler"
    try:
        done = subprocess.run([*command, "--version"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise CompileError(wrong) from error
    lines = done.stdout.splitlines()
    if done.returncode != 0 or not lines:
        raise CompileError(wrong)
    return CCompiler(command, f"{text} {lines[0]}")
