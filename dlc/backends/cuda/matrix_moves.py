"""Loads and stores of 8x8 matrices in shared memory as functions of CUDA text (PTX ISA, "ldmatrix",
"stmatrix").
"""

from dlc.dialects.gpu.matrix_move import MOVED_MATRICES, LdmatrixOp, MatrixMoveOp


def matrix_move_name(op: MatrixMoveOp) -> str:
    """Return the name of the function that does a load or a store."""
    instruction = "ldmatrix" if isinstance(op, LdmatrixOp) else "stmatrix"
    return f"{instruction}_{_form(op.matrices.value.data, op.transpose is not None)}"


def matrix_moves() -> dict[str, str]:
    """Return the definition of each function that moves matrices."""
    texts: dict[str, str] = {}
    for transpose in (False, True):
        for matrices in MOVED_MATRICES:
            form = _form(matrices, transpose)
            shape = f"m8n8.x{matrices}{'.trans' if transpose else ''}"
            texts[f"ldmatrix_{form}"] = _load(f"ldmatrix_{form}", shape, matrices)
            texts[f"stmatrix_{form}"] = _store(f"stmatrix_{form}", shape, matrices)
    return texts


def _form(matrices: int, transpose: bool) -> str:
    return f"x{matrices}{'_trans' if transpose else ''}"


def _load(name: str, shape: str, matrices: int) -> str:
    registers = ", ".join(f"%{n}" for n in range(matrices))
    outputs = ", ".join(f'"=r"(r[{n}])' for n in range(matrices))
    return f"""
__device__ __forceinline__ void {name}(void* to, const void* row) {{
  unsigned* r = (unsigned*)to;
  asm volatile("ldmatrix.sync.aligned.{shape}.shared.b16 {{{registers}}}, [%{matrices}];"
               : {outputs}
               : "r"(shared_address(row)) : "memory");
}}"""


def _store(name: str, shape: str, matrices: int) -> str:
    registers = ", ".join(f"%{n + 1}" for n in range(matrices))
    inputs = ", ".join(f'"r"(r[{n}])' for n in range(matrices))
    return f"""
__device__ __forceinline__ void {name}(void* row, const void* from) {{
  const unsigned* r = (const unsigned*)from;
  asm volatile("stmatrix.sync.aligned.{shape}.shared.b16 [%0], {{{registers}}};"
               :: "r"(shared_address(row)), {inputs} : "memory");
}}"""
