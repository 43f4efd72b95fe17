"""CUDA text to machine code, with NVIDIA's run-time compiler and without a GPU.

CUDA Python (``cuda.bindings``) finds libnvrtc in its wheel, else in a CUDA toolkit, and releases
the interpreter's lock during a call, so threads compile in parallel.
"""

import importlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
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
    """Machine code of one translation unit. key: its identity in the cache; source: its text."""

    key: str
    source: str
    code: bytes
    resources: dict[str, Resources]


def compile_cuda(source: str, target: str) -> Cubin:
    """Return the machine code of ``source`` for ``target`` (``sm_90a``), from the cache if known.

    Raises CompileError when the text is wrong, and when the assembler serialises tensor-core
    instructions (its warnings C75xx).
    """
    flags = [f"-arch={target}", *OPTIONS]
    key = cache_key(source, "\0".join(flags), version())
    code, log = _stored(key) or _compile_and_store(key, source, flags)
    if warning := re.search(r"\bC75\d\d\b[^\n]*", log):
        raise CompileError(f"the assembler serialised tensor-core instructions: {warning[0]}")
    return Cubin(key, source, code, parse_resources(log))


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


def _bindings() -> Any:
    """Return ``cuda.bindings.nvrtc``, imported at the first use: it takes as long as a kernel."""
    try:
        return importlib.import_module("cuda.bindings.nvrtc")
    except ImportError as error:
        raise _not_loaded(error) from error


def _not_loaded(error: Exception) -> CompileError:
    reason = (str(error).splitlines() or [type(error).__name__])[0]
    return CompileError(
        f"NVIDIA's compiler cannot be loaded ({reason}); "
        "pip install cuda-bindings nvidia-cuda-nvrtc"
    )


def _call(function: str, *arguments: Any) -> Any:
    """Return what a function of NVRTC gives beside its status: nothing or one value."""
    nvrtc = _bindings()
    try:
        status, *results = getattr(nvrtc, function)(*arguments)
    except RuntimeError as error:  # libnvrtc is looked for at the first call
        raise _not_loaded(error) from error
    if status:
        _, text = nvrtc.nvrtcGetErrorString(status)
        raise CompileError(f"{function} failed: {text.decode()}")
    return results[0] if len(results) == 1 else results


@cache
def version() -> str:
    """Return the version of NVRTC, as ``13.0``."""
    return "{}.{}".format(*_call("nvrtcVersion"))


def _compile(source: str, flags: Sequence[str]) -> tuple[bytes, str]:
    program = _call("nvrtcCreateProgram", source.encode(), b"kernels.cu", 0, [], [])
    try:
        try:
            _call("nvrtcCompileProgram", program, len(flags), [flag.encode() for flag in flags])
        except CompileError as error:
            raise CompileError(f"{error.message}: {_first_error(_log(program))}") from error
        return _read(program, "CUBIN"), _log(program)
    finally:
        _call("nvrtcDestroyProgram", program)


def _log(program: Any) -> str:
    return _read(program, "ProgramLog").rstrip(b"\0").decode(errors="replace")


def _read(program: Any, what: str) -> bytes:
    """Return one of the byte strings that a program holds (``nvrtcGet<what>``)."""
    buffer = bytearray(_call(f"nvrtcGet{what}Size", program))
    _call(f"nvrtcGet{what}", program, buffer)
    return bytes(buffer)


def _first_error(log: str) -> str:
    """Return the compiler's first error on one line, or the end of its log."""
    lines = [line.strip() for line in log.splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line.lower()]
    return (errors or lines[-1:] or ["no message"])[0]
