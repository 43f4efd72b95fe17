"""Moves of published values as functions of CUDA text (PTX ISA, "ld", "st": ``.relaxed``)."""

from dlc.dialects.gpu.publish import MARK, PUBLISHED_BYTES, UNMARKED


def published_moves() -> dict[str, str]:
    """Return the definition of each function, and of what they have in common."""
    texts = {"unmarked": _UNMARKED}
    for bytes in PUBLISHED_BYTES:
        texts |= {f"publish_{bytes}": _publish(bytes), f"await_{bytes}": _await(bytes)}
    return texts


_UNMARKED = f"""
__device__ __forceinline__ unsigned unmarked(unsigned word) {{
  return word == {MARK:#x}u ? {UNMARKED:#x}u : word;
}}"""


def _words(bytes: int, first: int) -> tuple[str, str]:
    """Return how PTX names words, and their registers from number ``first`` on."""
    count = bytes // 4
    registers = ", ".join(f"%{first + n}" for n in range(count))
    return (f".v{count}.u32", f"{{{registers}}}") if count > 1 else (".u32", registers)


def _publish(bytes: int) -> str:
    type, registers = _words(bytes, 1)
    inputs = ", ".join(f'"r"(unmarked(r[{n}]))' for n in range(bytes // 4))
    return f"""
__device__ __forceinline__ void publish_{bytes}(void* to, const void* from) {{
  const unsigned* r = (const unsigned*)from;
  asm volatile("st.relaxed.gpu.global{type} [%0], {registers};" :: "l"(to), {inputs} : "memory");
}}"""


def _await(bytes: int) -> str:
    """All pieces are asked for again where one is missing: so they are under way together."""
    type, registers = _words(bytes, 0)
    count = bytes // 4
    outputs = ", ".join(f'"=r"(r[{count} * p + {n}])' for n in range(count))
    return f"""
template <int pieces, int stride>
__device__ __forceinline__ void await_{bytes}(void* to, const void* from) {{
  unsigned* r = (unsigned*)to;
  bool missing;
  do {{
    #pragma unroll
    for (int p = 0; p < pieces; p++)
      asm volatile("ld.relaxed.gpu.global{type} {registers}, [%{count}];"
                   : {outputs} : "l"((const char*)from + p * stride) : "memory");
    missing = false;
    #pragma unroll
    for (int i = 0; i < {count} * pieces; i++) missing |= r[i] == {MARK:#x}u;
  }} while (missing);
}}"""
