"""CUDA text as C++ for the host: only what the host's compiler cannot read is written otherwise.

Inline assembly becomes a call of the function named as the PTX instruction; shared memory becomes
the block's, variables of the device stand in a section of their own, a kernel becomes an ordinary
function, what matrix instructions read or write is marked (``deferral.py``). All else, the
functions around the assembly included, is compiled as printed.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from dlc.emulator.deferral import mark_deferred
from dlc.emulator.products import declarations
from dlc.emulator.warpgroup_products import warpgroup_declarations
from dlc.errors import CompileError

Role = Literal["read", "written", "scratch"]


@dataclass(frozen=True)
class Buffer:
    """A buffer that a kernel gets. float_bytes: the size of its elements if they are floats, else
    0. filled: it holds only ones when the kernel begins. part: of a kernel that writes a part of
    each row of so many bytes, the bytes of a row, the first one, and how many.
    """

    bytes: int
    role: Role
    float_bytes: int
    filled: bool = False
    part: tuple[int, int, int] = (0, 0, 0)


@dataclass(frozen=True)
class Kernel:
    """A kernel of a translation unit and the buffers that it gets, in order.

    maps: the tensor maps that follow, as the numbers of their buffers. cooperative: its blocks wait
    for each other.
    """

    name: str
    buffers: tuple[Buffer, ...]
    maps: tuple[int, ...] = ()
    cooperative: bool = False


_KERNEL = re.compile(
    r'extern "C" __global__ void (__\w+__)\((\d+)(?:, \d+)?\)'
    r"(?: __cluster_dims__\((\d+), (\d+), (\d+)\))? (\w+)\("
)
_SHARED = re.compile(r"extern __shared__ __align__\(\d+\) unsigned char (\w+)\[\];")
_VARIABLE = re.compile(r"\bstatic __device__ ")
_UNROLL = re.compile(r"^\s*#pragma unroll( 2)?\n", re.MULTILINE)
_ASM = re.compile(r'\basm(?: volatile)?\(((?:[^";]|"[^"]*")*)\);')
_STRING = re.compile(r'"([^"]*)"')
_PLACE = re.compile(r"%(\d+)")
_SPECIAL = re.compile(r"%%(\w+)")
_SELECTED = re.compile(r"^\{ \.reg \.pred (\w+); (\S+) \1, (.*); selp\.s32 %0, 1, 0, \1; \}$")
"""An instruction that gives a predicate, as a number."""
_SINK = "_"
"""An operand of PTX that takes what nobody asks for."""


def host_text(text: str, kernels: Sequence[Kernel], symbol: str) -> str:
    """Return a translation unit that defines an ``emulated_image`` named ``symbol``.

    text: the CUDA text of ``kernels``. Raises CompileError for assembly that is not understood.
    """
    heads = {match[6]: _head(match) for match in _KERNEL.finditer(text)}
    text = mark_deferred(text)
    text = _ASM.sub(lambda match: _instruction(match[1]), text)
    text = _KERNEL.sub(r"static void \6(", text)
    text = _SHARED.sub(r"unsigned char* const \1 = current_thread->shared;", text)
    text = _VARIABLE.sub("static DEVICE_MEMORY ", text)
    text = _UNROLL.sub("", text)  # saves half of the compiler's time and costs none of the run's
    known = [declarations(), warpgroup_declarations(text)]
    return "\n".join(['#include "device.h"', *known, text, *_tables(kernels, heads, symbol)])


@dataclass(frozen=True)
class _Head:
    """What the head of a kernel says: the threads of a block, 0 where it does not say how many, and
    the blocks of a cluster.
    """

    threads: int
    cluster: tuple[str, ...]


def _head(match: re.Match[str]) -> _Head:
    attribute, value, *cluster, _ = match.groups(default="1")
    return _Head(int(value) if attribute == "__launch_bounds__" else 0, tuple(cluster))


def _tables(kernels: Sequence[Kernel], heads: Mapping[str, _Head], symbol: str) -> list[str]:
    lines: list[str] = []
    rows: list[str] = []
    for kernel in kernels:
        name, buffers = kernel.name, ", ".join(map(_buffer, kernel.buffers))
        number, maps = len(kernel.buffers), len(kernel.maps)
        lines += [
            f"static void call_{name}(void **p) {{ call_kernel({name}, p); }}",
            f'static_assert(arity({name}) == {number + maps}, "parameters of {name}");',
            f"static const kernel_parameter parameters_{name}[] = {{{buffers}}};",
            f"static const unsigned maps_{name}[] = {{{', '.join(map(str, (*kernel.maps, 0)))}}};",
        ]
        tables = f"{number}, {maps}, parameters_{name}, maps_{name}"
        facts = f"{{{', '.join(heads[name].cluster)}}}, {int(kernel.cooperative)}"
        rows.append(f'{{"{name}", call_{name}, {heads[name].threads}, {tables}, {facts}}}, ')
    return [
        *lines,
        f"static const emulated_kernel kernels[] = {{{''.join(rows)}{{}}}};",
        f'extern "C" __attribute__((visibility("default"))) const emulated_image {symbol} = '
        "{kernels, __start_device_memory, __stop_device_memory};",
    ]


_ROLES: dict[Role, int] = {"read": 0, "written": 1, "scratch": 2}
"""As ``parameter_role`` of ``native/emulator.h``."""


def _buffer(buffer: Buffer) -> str:
    facts = _ROLES[buffer.role], buffer.float_bytes, int(buffer.filled)
    part = ", ".join(f"{bytes}ul" for bytes in buffer.part)
    return f"{{{buffer.bytes}ul, {', '.join(map(str, facts))}, {part}}}"


def _instruction(text: str) -> str:
    """Return the call for what stands in the parentheses of an ``asm`` statement."""
    template, *sections = _sections(text)
    operands = [value for section in sections[:2] for value in _operands(section)]
    words = _SELECTED.sub(r"\2 %0, \3", "".join(_STRING.findall(template))).strip().rstrip(";")
    if not words:  # nothing is done; the compiler only keeps an order
        return ";"
    name, _, rest = words.partition(" ")
    if ";" in rest or "\n" in rest:
        raise CompileError(f"the emulator takes one instruction at a time, not {words!r}")
    values = [value.strip() for value in re.sub(r"[{}\[\]]", "", rest).split(",") if value.strip()]
    values = [value for value in values if value != _SINK]
    values = [_SPECIAL.sub(r"special_\1", value) for value in values]
    arguments = [_PLACE.sub(lambda m: operands[int(m[1])], value) for value in values]
    return f"ptx_{re.sub('[.:]', '_', name)}({', '.join(arguments)});"


def _sections(text: str) -> list[str]:
    """Return the parts of an ``asm`` statement between colons: template, outputs, inputs, ..."""
    parts = [""]
    depth = 0
    for piece in re.split(r'("[^"]*"|[():])', text):
        depth += (piece == "(") - (piece == ")")
        if piece == ":" and depth == 0:
            parts.append("")
        else:
            parts[-1] += piece
    return parts


def _operands(section: str) -> list[str]:
    """Return the expressions of ``"=r"(x), "=r"(y)``."""
    found: list[str] = []
    depth = 0
    for piece in re.split(r'("[^"]*"|[()])', section):
        depth -= piece == ")"
        if depth > 0:
            found[-1] += piece
        elif piece == "(":
            found.append("")
        depth += piece == "("
    return [f"({value})" for value in found]
