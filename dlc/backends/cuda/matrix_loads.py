"""Loads of 8x8 matrices from shared memory as functions of CUDA text (PTX ISA, "ldmatrix")."""

from dlc.dialects.gpu.mma import LOADED_MATRICES, LdmatrixOp


def matrix_load_name(op: LdmatrixOp) -> str:
    """Return the name of the function that does a load."""
    return _name(op.matrices.value.data, op.transpose is not None)


def matrix_loads() -> dict[str, str]:
    """Return the definition of each function that loads matrices."""
    return {
        _name(matrices, transpose): _definition(matrices, transpose)
        for transpose in (False, True)
        for matrices in LOADED_MATRICES
    }


def _name(matrices: int, transpose: bool) -> str:
    return f"ldmatrix_x{matrices}{'_trans' if transpose else ''}"


def _definition(matrices: int, transpose: bool) -> str:
    shape = f"m8n8.x{matrices}{'.trans' if transpose else ''}"
    registers = ", ".join(f"%{n}" for n in range(matrices))
    outputs = ", ".join(f'"=r"(r[{n}])' for n in range(matrices))
    return f"""
__device__ __forceinline__ void {_name(matrices, transpose)}(void* to, const void* row) {{
  unsigned* r = (unsigned*)to;
  asm volatile("ldmatrix.sync.aligned.{shape}.shared.b16 {{{registers}}}, [%{matrices}];"
               : {outputs}
               : "r"(shared_address(row)) : "memory");
}}"""
