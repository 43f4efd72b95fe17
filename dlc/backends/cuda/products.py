"""Products of fragments as functions of CUDA text, from the rows of the instructions."""

from dlc.arch import instructions
from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope

SUM_REGISTERS = {"f32": ("float", "f"), "i32": ("int", "r")}
"""The C++ type of a sum, and the letter of its registers in inline assembly."""


def product_name(it: Instruction) -> str:
    """Return the name of the function that does a matrix instruction."""
    types = dict.fromkeys((it.a.element, it.b.element))
    return "_".join([it.name.replace(".", "_"), *map(str, types)])


def products() -> dict[str, str]:
    """Return the definition of each function that does a matrix instruction."""
    rows = (row for row in instructions.rows() if row.ptx and row.scope is Scope.WARP)
    return {product_name(it): _definition(it) for it in rows}


def _definition(it: Instruction) -> str:
    a, b, c = it.fragments
    words_a, words_b = a.slots // a.pack, b.slots // b.pack
    type, letter = SUM_REGISTERS[str(it.c.element)]
    sums, left, right = (
        ", ".join(f"%{n}" for n in range(first, first + count))
        for first, count in ((0, c.slots), (c.slots, words_a), (c.slots + words_a, words_b))
    )
    outputs = ", ".join(f'"+{letter}"(c[{n}])' for n in range(c.slots))
    factors = [("a", n) for n in range(words_a)] + [("b", n) for n in range(words_b)]
    inputs = ", ".join(f'"r"({factor}[{n}])' for factor, n in factors)
    return f"""
__device__ __forceinline__ void {product_name(it)}(const void* pa, const void* pb, {type}* c) {{
  const unsigned* a = (const unsigned*)pa;
  const unsigned* b = (const unsigned*)pb;
  asm volatile("{it.ptx} "
               "{{{sums}}}, {{{left}}}, {{{right}}}, {{{sums}}};"
               : {outputs}
               : {inputs});
}}"""
