"""Marks what instructions of a whole warp may read or write later than the text says.

Matrix loads and products wait until their results are needed (``native/block.c``). So registers and
pointers of the text become types of ``native/device.h`` that wait for them whenever they are used,
but as operands of these instructions.
"""

import re

from dlc.errors import CompileError

_FUNCTION = re.compile(
    r'\bvoid (\w+)\([^)]*\) \{[^{}]*?\basm volatile\("(?:mma|ldmatrix|stmatrix)\.sync'
)
_ARRAY = re.compile(
    r"^( *(?:__align__\(\d+\) )?)(?!static )(\w[\w ]*) (\w+)\[(\d+)\];$", re.MULTILINE
)
_POINTER = re.compile(r"^( *)(\w[\w ]*)\* const (\w+) = ", re.MULTILINE)
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_REGISTERS = re.compile(r"&(\w+)\[")


def mark_deferred(text: str) -> str:
    """Return CUDA text with marked registers, pointers and operands; without such instructions
    it stays as it is. Raises CompileError for operands of a kind that is not printed.
    """
    functions = _FUNCTION.findall(text)
    if not functions:
        return text
    marked = {match[3] for pattern in (_ARRAY, _POINTER) for match in pattern.finditer(text)}
    text = _ARRAY.sub(r"\1registers<\2, \4> \3;", text)
    text = _POINTER.sub(r"\1pointer<\2> const \3 = ", text)
    calls = re.compile(rf"^( *(?:{'|'.join(functions)})\()(.*)\);$", re.MULTILINE)
    return calls.sub(lambda match: f"{match[1]}{_operands(match[2], marked)});", text)


def _operands(text: str, marked: set[str]) -> str:
    """Return operands that are taken as they are, though something may wait for them."""
    for name in _REGISTERS.findall(text):
        if name not in marked:
            raise CompileError(f"the emulator does not know the registers {name}")
    return _WORD.sub(lambda m: f"{m[0]}.unsettled" if m[0] in marked else m[0], text)
