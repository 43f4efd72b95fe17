"""NVIDIA's compiler through ctypes: figures, errors, the cache. Needs no GPU."""

from pathlib import Path

import pytest

from dlc.core import nvrtc
from dlc.errors import CompileError

SCALE = """
extern "C" __global__ void scale(const float* x, float* y) {
  __shared__ float s[32];
  s[threadIdx.x] = x[threadIdx.x];
  __syncthreads();
  y[threadIdx.x] = 2.0f * s[31 - threadIdx.x];
}
"""
SPILL = """
extern "C" __global__ void __maxnreg__(24) spill(const float* x, float* y) {
  float v[64];
  #pragma unroll
  for (int i = 0; i < 64; i++) v[i] = x[i * 32 + threadIdx.x];
  #pragma unroll
  for (int i = 0; i < 64; i++) y[i * 32 + threadIdx.x] = v[63 - i] * v[(i * 7) % 64];
}
"""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path))


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_89", "sm_90a"])
def test_gives_an_elf_file_and_its_figures(target: str) -> None:
    cubin = nvrtc.compile_cuda(SCALE, target)
    assert cubin.code.startswith(b"\x7fELF")
    used = cubin.resources["scale"]
    assert used.registers > 0
    assert (used.spill_bytes, used.stack_bytes, used.shared_bytes) == (0, 0, 128)


def test_a_wrong_text_is_one_clear_line() -> None:
    with pytest.raises(CompileError, match=r'kernels.cu\(1\): error: identifier "x" is undefined$'):
        nvrtc.compile_cuda("__global__ void f() { x; }", "sm_80")


def test_an_unknown_target_is_one_clear_line() -> None:
    with pytest.raises(CompileError, match="invalid value for --gpu-architecture"):
        nvrtc.compile_cuda(SCALE, "sm_12")


def test_spills_are_counted() -> None:
    used = nvrtc.compile_cuda(SPILL, "sm_80").resources["spill"]
    assert used.registers == 24
    assert used.spill_bytes > 0


def test_the_second_time_comes_from_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    first = nvrtc.compile_cuda(SCALE, "sm_80")
    monkeypatch.setattr(nvrtc, "_compile", lambda *_: pytest.fail("compiled again"))
    assert nvrtc.compile_cuda(SCALE, "sm_80") == first


def test_targets_differ_in_the_cache() -> None:
    keys = {nvrtc.compile_cuda(SCALE, target).key for target in ("sm_80", "sm_90a")}
    assert len(keys) == 2


def test_serialised_tensor_core_instructions_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    log = "ptxas info : (C7510) Potential Performance Loss: wgmma.mma_async serialized\n"
    monkeypatch.setattr(nvrtc, "_compile", lambda *_: (b"code", log))
    with pytest.raises(CompileError, match="serialised tensor-core instructions: C7510"):
        nvrtc.compile_cuda(SCALE, "sm_80")
