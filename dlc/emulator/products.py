"""Products of fragments, as C for the emulator, from the rows of the instructions."""

from collections.abc import Iterator

from dlc.arch import instructions
from dlc.arch.instruction import Instruction

_SUMS = {"f32": "float", "i32": "int"}
"""The type in which the text of a kernel holds a sum."""


def declarations() -> str:
    """Return what the text of kernels calls, for after ``device.h``: a function named as the PTX
    instruction, which defers it.
    """
    return "\n".join(line for it in _products() for line in _declaration(it))


def definitions() -> str:
    """Return the instructions as ``instructions.c`` includes them: how many words of 8 rows lie
    below each other and along k, elements in a word, their types, whether sums are integers.
    """
    return "".join(
        f"DEFINE_PRODUCT({_name(it)}, {it.m // 8}, {_words(it)[1]}, {it.fragments[0].pack}, "
        f"from_{_type(it, it.a.element)}, from_{_type(it, it.b.element)}, "
        f"{int(it.c.element == 'i32')})\n"
        for it in _products()
    )


def _products() -> Iterator[Instruction]:
    return (it for it in instructions.rows() if it.ptx)


def _name(it: Instruction) -> str:
    return it.ptx.replace(".", "_")


def _words(it: Instruction) -> tuple[int, int]:
    """Return the registers of a lane's a and b."""
    a, b, _ = it.fragments
    return a.slots // a.pack, b.slots // b.pack


def _type(it: Instruction, element: str | None) -> str:
    """Return a factor's type as units name it; integers keep their sign."""
    return str(element if it.c.element == "i32" else it.element)


def _declaration(it: Instruction) -> Iterator[str]:
    name, sums, (words_a, words_b) = _name(it), it.fragments[2].slots, _words(it)
    type = _SUMS[str(it.c.element)]
    kinds = (("d", sums, type), ("a", words_a, "const unsigned"), ("b", words_b, "const unsigned"))
    listed = [*kinds, ("c", sums, type)]
    parameters = ", ".join(f"{kind} &{x}{n}" for x, count, kind in listed for n in range(count))
    d, a, b, c = (f"row_of({', '.join(f'{x}{n}' for n in range(count))})" for x, count, _ in listed)
    yield f'extern "C" const instruction {name};'
    yield f"static inline void ptx_{name}({parameters}) {{"
    yield f'  if ({d} != {c}) fault("mma: C must be where D is");'
    yield f"  defer({name}, {d}, {a}, {b});"
    yield "}"
