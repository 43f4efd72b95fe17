"""Stores of 8x8 matrices to shared memory as functions of CUDA text (PTX ISA, "stmatrix")."""

from dlc.dialects.gpu.mma import LOADED_MATRICES
from dlc.dialects.gpu.stmatrix import StmatrixOp


def matrix_store_name(op: StmatrixOp) -> str:
    """Return the name of the function that does a store."""
    return _name(op.matrices.value.data, op.transpose is not None)


def matrix_stores() -> dict[str, str]:
    """Return the definition of each function that stores matrices."""
    return {
        _name(matrices, transpose): _definition(matrices, transpose)
        for transpose in (False, True)
        for matrices in LOADED_MATRICES
    }


def _name(matrices: int, transpose: bool) -> str:
    return f"stmatrix_x{matrices}{'_trans' if transpose else ''}"


def _definition(matrices: int, transpose: bool) -> str:
    shape = f"m8n8.x{matrices}{'.trans' if transpose else ''}"
    registers = ", ".join(f"%{n + 1}" for n in range(matrices))
    inputs = ", ".join(f'"r"(r[{n}])' for n in range(matrices))
    return f"""
__device__ __forceinline__ void {_name(matrices, transpose)}(void* row, const void* from) {{
  const unsigned* r = (const unsigned*)from;
  asm volatile("stmatrix.sync.aligned.{shape}.shared.b16 [%0], {{{registers}}};"
               :: "r"(shared_address(row)), {inputs} : "memory");
}}"""
