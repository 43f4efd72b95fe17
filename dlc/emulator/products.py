"""Products of fragments, as C for the emulator: what PTX means by the names of the instructions.

Of the rows only the names are taken, so that a row whose name and layouts say different things is
found. PTX ISA, "Warp Level Matrix Instructions: mma".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dlc.arch import instructions
from dlc.arch.scope import Scope

_MMA = re.compile(
    r"mma\.sync\.aligned\.m(\d+)n8k(\d+)\.row\.col\.(f32|s32)\.(\w+)\.(\w+)\.(f32|s32)"
)
_BITS = {"f16": 16, "bf16": 16, "tf32": 32, "s8": 8, "u8": 8}
_SUMS = {"f32": "float", "s32": "int"}
"""The type in which the text of a kernel holds a sum."""


@dataclass(frozen=True)
class _Product:
    """``tall`` words of 8 rows of a lie below each other, ``along`` words along k; ``pack``: the
    elements of a word.
    """

    ptx: str
    tall: int
    along: int
    pack: int
    factors: tuple[str, str]
    sum: str

    @property
    def name(self) -> str:
        """The instruction as a name of C."""
        return self.ptx.replace(".", "_")


def declarations() -> str:
    """Return what the text of kernels calls, for after ``device.h``: a function named as the PTX
    instruction, which defers it.
    """
    return "\n".join(line for product in _products() for line in _declaration(product))


def definitions() -> str:
    """Return the instructions as ``instructions.c`` includes them."""
    return "".join(
        f"DEFINE_PRODUCT({it.name}, {it.tall}, {it.along}, {it.pack}, from_{it.factors[0]}, "
        f"from_{it.factors[1]}, {int(it.sum == 's32')})\n"
        for it in _products()
    )


def _products() -> Iterator[_Product]:
    rows = (row for row in instructions.rows() if row.scope is Scope.WARP)
    for ptx in [row.ptx for row in rows]:
        match = _MMA.fullmatch(ptx)
        assert match is not None, f"the emulator does not know {ptx}"
        (m, k), (sum, a, b, _) = map(int, match.groups()[:2]), match.groups()[2:]
        pack = 32 // _BITS[a]
        yield _Product(ptx, m // 8, k // (4 * pack), pack, (a, b), sum)


def _declaration(it: _Product) -> Iterator[str]:
    sums, type, word = 2 * it.tall, _SUMS[it.sum], "const unsigned"
    operands = (("d", sums, type), ("a", it.tall * it.along, word), ("b", it.along, word))
    listed = (*operands, ("c", sums, type))
    parameters = ", ".join(f"{kind} &{x}{n}" for x, count, kind in listed for n in range(count))
    d, a, b, c = (f"row_of({', '.join(f'{x}{n}' for n in range(count))})" for x, count, _ in listed)
    yield f'extern "C" const instruction {it.name};'
    yield f"static inline void ptx_{it.name}({parameters}) {{"
    yield f'  if ({d} != {c}) fault("mma: C must be where D is");'
    yield f"  defer({it.name}, {d}, {a}, {b});"
    yield "}"
