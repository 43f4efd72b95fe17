"""Moves of published values as functions of CUDA text (PTX ISA, "ld" and "st" with ``.relaxed``)."""

from dlc.dialects.gpu.publish import MARK, PUBLISHED_BYTES, UNMARKED, AwaitOp, PublishedMoveOp


def published_move_name(op: PublishedMoveOp) -> str:
    """Return the name of the function that does a move."""
    peeked = "_peeked" if isinstance(op, AwaitOp) and op.peeked is not None else ""
    return f"{op.name.removeprefix('gpu.')}{peeked}_{op.bytes}"


def published_moves() -> dict[str, str]:
    """Return the definition of each function, and of what they have in common."""
    texts = {"unmarked": _UNMARKED}
    for bytes in PUBLISHED_BYTES:
        texts |= {
            f"publish_{bytes}": _publish(bytes),
            f"peek_{bytes}": _peek(bytes),
            f"await_peeked_{bytes}": _await_peeked(bytes),
            f"await_{bytes}": _await(bytes),
        }
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


def _peek(bytes: int) -> str:
    type, registers = _words(bytes, 0)
    count = bytes // 4
    outputs = ", ".join(f'"=r"(r[{n}])' for n in range(count))
    return f"""
__device__ __forceinline__ void peek_{bytes}(void* to, const void* from) {{
  unsigned* r = (unsigned*)to;
  asm volatile("ld.relaxed.gpu.global{type} {registers}, [%{count}];"
               : {outputs} : "l"(from) : "memory");
}}"""


def _await_peeked(bytes: int) -> str:
    marked = " | ".join(f"(r[{n}] == {MARK:#x}u)" for n in range(bytes // 4))
    return f"""
__device__ __forceinline__ void await_peeked_{bytes}(void* to, const void* from) {{
  const unsigned* r = (const unsigned*)to;
  while ({marked})
    peek_{bytes}(to, from);
}}"""


def _await(bytes: int) -> str:
    return f"""
__device__ __forceinline__ void await_{bytes}(void* to, const void* from) {{
  peek_{bytes}(to, from);
  await_peeked_{bytes}(to, from);
}}"""
