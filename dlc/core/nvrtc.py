"""CUDA text to machine code, with NVIDIA's run-time compiler and without a GPU.

libnvrtc comes as a wheel and is called through ctypes, which releases the interpreter's lock during
a call, so threads compile in parallel.
"""

import ctypes
import importlib.util
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dlc.core.cache import Cache, cache_key
from dlc.errors import CompileError

OPTIONS = ("--std=c++17", "--ptxas-options=-v", "--no-cache")
"""What every translation unit is compiled with: IEEE division and square root, no fast math."""


@dataclass(frozen=True)
class Resources:
    """What the assembler says one kernel uses, per thread but for shared memory (per block).

    ``shared_bytes`` is the static part only.
    """

    registers: int
    spill_bytes: int
    stack_bytes: int
    shared_bytes: int


@dataclass(frozen=True)
class Cubin:
    """Machine code of one translation unit. key: its identity in the cache."""

    key: str
    code: bytes
    resources: dict[str, Resources]


def compile_cuda(source: str, target: str, options: Sequence[str] = ()) -> Cubin:
    """Return the machine code of ``source`` for ``target`` (``sm_90a``), from the cache if known.

    Raises CompileError when the text is wrong, and when the assembler serialises tensor-core
    instructions (its warnings C75xx).
    """
    flags = [f"-arch={target}", *OPTIONS, *options]
    key = cache_key(source, "\0".join(flags), version())
    code, log = _stored(key) or _compile_and_store(key, source, flags)
    if warning := re.search(r"\bC75\d\d\b[^\n]*", log):
        raise CompileError(f"the assembler serialised tensor-core instructions: {warning[0]}")
    return Cubin(key, code, parse_resources(log))


def _stored(key: str) -> tuple[bytes, str] | None:
    data = Cache("cubin").get(key)
    if data is None:
        return None
    log, _, code = data.partition(b"\0")
    return code, log.decode()


def _compile_and_store(key: str, source: str, flags: Sequence[str]) -> tuple[bytes, str]:
    code, log = _compile(source, flags)
    Cache("cubin").put(key, log.replace("\0", "").encode() + b"\0" + code)
    return code, log


_FUNCTION = re.compile(r"Function properties for (\w+)|Compiling entry function '(\w+)'")


def parse_resources(log: str) -> dict[str, Resources]:
    """Return what ``ptxas -v`` says about each kernel in a compiler's log."""
    parts: dict[str, str] = {}
    matches = list(_FUNCTION.finditer(log))
    ends = [*(match.start() for match in matches[1:]), len(log)]
    for match, end in zip(matches, ends, strict=False):
        name = match[1] or match[2]
        parts[name] = parts.get(name, "") + log[match.end() : end]
    return {
        name: Resources(
            registers=_number(r"Used (\d+) registers", part),
            spill_bytes=_number(r"(\d+) bytes spill stores", part),
            stack_bytes=_number(r"(\d+) bytes stack frame", part),
            shared_bytes=_number(r"(\d+) bytes smem", part),
        )
        for name, part in parts.items()
        if "Used " in part
    }


def _number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    return int(found[1]) if found else 0


# The library -----------------------------------------------------------------------------------


@cache
def _library() -> ctypes.CDLL:
    return ctypes.CDLL(str(_library_path()))


def _library_path() -> Path | str:
    """Return libnvrtc of the wheel ``nvidia-cuda-nvrtc``, else its plain name for the loader."""
    package = importlib.util.find_spec("nvidia")
    for folder in (package.submodule_search_locations or ()) if package else ():
        found = sorted(Path(folder).glob("*/lib/libnvrtc.so.*"))
        if found:
            return found[-1]
    return "libnvrtc.so"


def _call(function: str, *arguments: Any) -> None:
    try:
        library = _library()
    except OSError as error:
        raise CompileError(
            f"NVIDIA's compiler cannot be loaded ({error}); pip install nvidia-cuda-nvrtc"
        ) from error
    status = getattr(library, function)(*arguments)
    if status:
        library.nvrtcGetErrorString.restype = ctypes.c_char_p
        text = library.nvrtcGetErrorString(status).decode()
        raise CompileError(f"{function} failed: {text}")


@cache
def version() -> str:
    """Return the version of NVRTC, as ``13.0``."""
    major, minor = ctypes.c_int(), ctypes.c_int()
    _call("nvrtcVersion", ctypes.byref(major), ctypes.byref(minor))
    return f"{major.value}.{minor.value}"


@cache
def targets() -> tuple[str, ...]:
    """Return the targets that NVRTC can compile for, as ``sm_80``; ``sm_90`` stands for its kin."""
    count = ctypes.c_int()
    _call("nvrtcGetNumSupportedArchs", ctypes.byref(count))
    numbers = (ctypes.c_int * count.value)()
    _call("nvrtcGetSupportedArchs", numbers)
    return tuple(f"sm_{number}" for number in numbers)


def _compile(source: str, flags: Sequence[str]) -> tuple[bytes, str]:
    program = ctypes.c_void_p()
    text = source.encode()
    _call("nvrtcCreateProgram", ctypes.byref(program), text, b"kernels.cu", 0, None, None)
    try:
        options = (ctypes.c_char_p * len(flags))(*(flag.encode() for flag in flags))
        try:
            _call("nvrtcCompileProgram", program, len(flags), options)
        except CompileError as error:
            log = _read(program, "ProgramLog").decode(errors="replace")
            raise CompileError(f"{error.message}: {_first_error(log)}") from error
        log = _read(program, "ProgramLog").decode(errors="replace")
        return _read(program, "CUBIN"), log
    finally:
        _call("nvrtcDestroyProgram", ctypes.byref(program))


def _read(program: ctypes.c_void_p, what: str) -> bytes:
    """Return one of the byte strings that a program holds (``nvrtcGet<what>``)."""
    size = ctypes.c_size_t()
    _call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
    buffer = ctypes.create_string_buffer(size.value)
    _call(f"nvrtcGet{what}", program, buffer)
    return buffer.raw.rstrip(b"\0") if what == "ProgramLog" else buffer.raw


def _first_error(log: str) -> str:
    """Return the compiler's first error on one line, or the end of its log."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines[-1:] or ["no message"])[0]
