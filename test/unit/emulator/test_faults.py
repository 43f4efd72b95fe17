"""What a kernel or its host must not do ends the emulation with one line."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from launched import Case, LaunchError, launch

X = np.arange(64, dtype=np.float32)
OWN = "const int i = (int)blockIdx.x * 32 + (int)threadIdx.x;\n"
GOOD = Case(OWN + "y[i] = x[i] + 1;", grid=(2, 1, 1))
TURN = """
  float* const s = (float*)(shared_memory + 0);
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = s[63 - threadIdx.x];"""
EXCHANGE = Case(TURN, threads=64, shared=256)
PRODUCTS = """
  unsigned a[4];
  unsigned b[2];
  float c[4];
  for (int j = 0; j < 4; j++) { a[j] = 0; b[j / 2] = 0; c[j] = x[i]; }
  mma_m16n8k16_f16(&a[0], &b[0], &c[0]);
  if (%s) {
    mma_m16n8k16_f16(&a[0], &b[0], &c[0]);
  }
"""

FAULTS = {
    "does not write 1 of the 64 elements of operand 1, the first of them 63": replace(
        GOOD, body=OWN + "if (i != 63) y[i] = x[i];"
    ),
    "does not write 32 of the 64": replace(GOOD, grid=(1, 1, 1)),
    "writes beside operand 1": replace(GOOD, body=OWN + "y[i] = x[i]; if (i == 0) y[-1] = 0;"),
    "block 1 0 0, thread 31: an access to memory": replace(
        GOOD, body=OWN + "y[i] = x[i == 63 ? 1 << 20 : i];"
    ),
    "kernel k, block 0 0 0, thread [0-9]+: an access to memory": replace(
        GOOD, body=OWN + "y[i] = 0; ((float*)x)[i] = 1;"
    ),
    "waits at a barrier that 32 threads of the block do not reach": replace(
        EXCHANGE, body="if (threadIdx.x < 32) __syncthreads();"
    ),
    "while other lanes of its warp wait for another instruction": replace(
        GOOD,
        body=OWN + "const float v = x[i]; y[i] = v; if (i % 2) __syncwarp();"
        " else y[i] = __shfl_xor_sync(0xffffffffu, v, 1);",
    ),
    "mma, while other lanes of its warp wait for another instruction": replace(
        GOOD, body=OWN + PRODUCTS % "i % 32 < 20" + "y[i] = c[0];"
    ),
    "waits at mma for lane 3, which is at its end": replace(
        GOOD, body=OWN + "y[i] = 0; if (i % 32 == 3) return;" + PRODUCTS % "true"
    ),
    "mma in a warp of less than 32 lanes": replace(
        GOOD, body="const int i = threadIdx.x;" + PRODUCTS % "true" + "y[i] = c[0];", threads=20
    ),
    "waits at __syncwarp for lane 7, which is at its end": replace(
        GOOD, body=OWN + "y[i] = x[i]; if (i % 32 != 7) __syncwarp();"
    ),
    "writes behind its 256 bytes of shared memory": replace(
        EXCHANGE, body=TURN + "s[64] = 0;"
    ),
    "does not leave its counters at zero": replace(
        GOOD, body=OWN + "static __device__ int c[2];\ny[i] = x[i]; atomicAdd(&c[1], 1);"
    ),
    "cannot emulate it: it divides an integer by zero": replace(
        GOOD, body=OWN + "y[i] = 7 / (int)x[i];"
    ),
}  # fmt: skip


def test_sound_kernels(tmp_path: Path) -> None:
    assert np.array_equal(launch(GOOD, X, np.empty_like(X), tmp_path), X + 1)
    assert np.array_equal(launch(EXCHANGE, X, np.empty_like(X), tmp_path), X[::-1])


@pytest.mark.parametrize("message", FAULTS)
def test_fault(message: str, tmp_path: Path) -> None:
    with pytest.raises(LaunchError, match=message):
        launch(FAULTS[message], X, np.empty_like(X), tmp_path)


@pytest.mark.parametrize("place", [64, 79])
def test_what_lies_behind_an_output_in_its_allocation_stays(place: int, tmp_path: Path) -> None:
    body = OWN + f"y[i] = x[i] + 1; if (i == 0) y[{place}] = 0;"
    with pytest.raises(LaunchError, match="writes beside operand 1"):
        launch(replace(GOOD, body=body, spare=64), X, np.empty_like(X), tmp_path)


@pytest.mark.parametrize("block", [0, 1])
def test_a_missing_barrier_shows_whichever_warp_comes_first(block: int, tmp_path: Path) -> None:
    body = TURN.replace("__syncthreads();", "")
    body = body.replace("63 - threadIdx.x", "threadIdx.x ^ 32" if block else "threadIdx.x | 32")
    with pytest.raises(LaunchError, match="does not write 32 of the 64 elements"):
        launch(replace(EXCHANGE, body=body), X, np.empty_like(X), tmp_path)


def test_launches_run_in_the_order_of_their_edges(tmp_path: Path) -> None:
    chain = replace(GOOD, launches=3)
    assert np.array_equal(launch(chain, X, np.empty_like(X), tmp_path), X + 3)
    with pytest.raises(LaunchError, match="may run at the same time"):
        launch(replace(chain, edges=False), X, np.empty_like(X), tmp_path)


def test_counters_are_shared_by_the_blocks(tmp_path: Path) -> None:
    """The last block of all to arrive writes the sum of what the others left."""
    body = (
        OWN
        + """
      static __device__ int c[1];
      int* const s = (int*)(shared_memory + 0);
      y[i] = x[i];
      __threadfence();
      __syncthreads();
      if (threadIdx.x == 0) s[0] = atomicAdd(&c[0], 1);
      __syncthreads();
      if (s[0] == 63) {
        __threadfence();
        if (threadIdx.x == 0) { c[0] = 0; for (int j = 1; j < 2048; j++) y[0] += y[j]; }
      }"""
    )
    x = np.ones(2048, np.float32)
    case = Case(body, grid=(64, 1, 1), shared=4)
    assert launch(case, x, np.empty_like(x), tmp_path, jobs=2)[0] == 2048
