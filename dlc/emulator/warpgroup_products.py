"""Products of warpgroups as C for the emulator: what PTX means by the names of the instructions.

Of the rows nothing is taken. PTX ISA, "wgmma.mma_async".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

_NAME = r"wgmma_mma_async_sync_aligned_m64n(\d+)k(\d+)_(f32|s32)_(\w+?)_(\w+)"
_CALL = re.compile(rf"\bptx_({_NAME})\(")
_BYTES = {"f16": 2, "bf16": 2, "tf32": 4, "s8": 1, "u8": 1}
_SUMS = {"f32": "float", "s32": "int"}
_DEPTH_BYTES = 32
_WORDS_OF_A = 4
"""Registers of a lane, for each of these types."""


@dataclass(frozen=True)
class _Product:
    name: str
    columns: int
    sum: str
    factors: tuple[str, str]

    @property
    def flags(self) -> list[str]:
        """The operands after the tiles: whether the sums count, signs, transpositions."""
        more = {"f16": 4, "bf16": 4, "tf32": 2}.get(self.factors[0], 0)
        return ["scale_d", *["scale_a", "scale_b", "transpose_a", "transpose_b"][:more]]

    def declaration(self, registers: bool) -> Iterator[str]:
        """Give the lines of the function that starts it, with ``a`` in registers or not."""
        type, count = _SUMS[self.sum], self.columns // 2
        flags = [x for x in self.flags if not (registers and x == "transpose_a")]
        sums = ", ".join(f"c{n}" for n in range(count))
        words = ", ".join(f"a{n}" for n in range(_WORDS_OF_A))
        left = [f"const unsigned &a{n}" for n in range(_WORDS_OF_A)]
        parameters = [
            *(f"{type} &c{n}" for n in range(count)),
            *(left if registers else ["unsigned long a"]),
            "unsigned long b",
            *(f"int {flag}" for flag in flags),
        ]
        ones = " && ".join(f"{flag} == 1" for flag in flags if flag.startswith("scale"))
        turned = [x if x in flags else "0" for x in ("transpose_a", "transpose_b")]
        a, b = (x.upper() for x in self.factors)
        facts = [self.columns, _BYTES[self.factors[0]], a, b, self.sum == "s32", registers]
        kind = ", ".join([*(str(int(x) if isinstance(x, bool) else x) for x in facts), *turned])
        yield f"static inline void ptx_{self.name}({', '.join(parameters)}) {{"
        yield f'  if (!({ones})) fault("wgmma.mma_async: a scale other than 1");'
        yield f"  const product_kind kind = {{{kind}}};"
        operands = f"0, row_of({words})" if registers else "a, 0"
        yield f"  start_product(&kind, row_of({sums}), {operands}, b);"
        yield "}"


def warpgroup_declarations(text: str) -> str:
    """Return the instructions that a text calls, for after ``device.h``."""
    found = {m[1]: _read(m) for m in _CALL.finditer(text)}
    return "\n".join(
        line for it in found.values() for form in (False, True) for line in it.declaration(form)
    )


def _read(match: re.Match[str]) -> _Product:
    name, columns, depth, sum, *factors = match.groups()
    assert int(depth) * _BYTES[factors[0]] == _DEPTH_BYTES, f"the emulator does not know {name}"
    return _Product(name, int(columns), sum, (factors[0], factors[1]))
