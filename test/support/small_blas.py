"""A shared library with the functions of OpenBLAS that dlc calls, written for tests.

It stops the process where it is called with more than one thread. Results are twice what they
should be, unless one asks for right ones, so that a test sees who has computed.
"""

import subprocess
from pathlib import Path

from dlc.core.c_compiler import find_c_compiler

FACTOR = 2

_TEXT = """
#include <stdlib.h>

static int threads = 4;
void openblas_set_num_threads(int count) { threads = count; }
int openblas_get_num_threads(void) { return threads; }

#define GEMM(NAME, T) \\
  void NAME(int order, int lhs, int rhs, int m, int n, int k, T alpha, const T *a, int lda, \\
            const T *b, int ldb, T beta, T *c, int ldc) { \\
    if (threads != 1 || order != 101 || alpha != 1 || beta != 0) abort(); \\
    if (lda < (lhs == 111 ? k : m) || ldb < (rhs == 111 ? n : k) || ldc < n) abort(); \\
    for (int i = 0; i < m; i++) \\
      for (int j = 0; j < n; j++) { \\
        T sum = 0; \\
        for (int l = 0; l < k; l++) \\
          sum += (lhs == 111 ? a[(long)i * lda + l] : a[(long)l * lda + i]) * \\
                 (rhs == 111 ? b[(long)l * ldb + j] : b[(long)j * ldb + l]); \\
        c[(long)i * ldc + j] = FACTOR * sum; \\
      } \\
  }

"""


def build_blas(folder: Path, functions: str = "sd", factor: int = FACTOR) -> Path:
    """Compile the library, with products of ``s`` (f32) and ``d`` (f64), and return its file.

    factor: what results are too large by; 1: they are right.
    """
    types = {"s": "float", "d": "double"}
    source = folder / "blas.c"
    source.write_text(_TEXT + "\n".join(f"GEMM(cblas_{x}gemm, {types[x]})" for x in functions))
    file = folder / f"libblas-{functions}.so"
    flags = ["-O2", "-shared", "-fPIC", f"-DFACTOR={factor}", "-o", str(file), str(source)]
    command = [*find_c_compiler().command, *flags]
    subprocess.run(command, check=True)
    return file
