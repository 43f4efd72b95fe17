"""NVIDIA's compiler: figures, errors, threads, the cache. Needs no GPU."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from dlc.core import nvrtc
from dlc.errors import CompileError

CALLS = 30
"""More than a compile makes of NVRTC and of the file system."""
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


def test_threads_compile_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = [SCALE.replace("2.0f", f"{n}.0f") for n in range(8)]
    with ThreadPoolExecutor(4) as pool:
        parallel = list(pool.map(lambda text: nvrtc.compile_cuda(text, "sm_80"), texts))
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "other"))
    assert parallel == [nvrtc.compile_cuda(text, "sm_80") for text in texts]
    assert len({cubin.code for cubin in parallel}) == len(texts)


def test_a_compile_lets_other_threads_run() -> None:
    with ThreadPoolExecutor(1) as pool:
        compiling = pool.submit(nvrtc.compile_cuda, SPILL, "sm_80")
        wakings = 0
        while not compiling.done():
            time.sleep(1e-4)  # each waking needs the interpreter's lock
            wakings += 1
    assert wakings > CALLS  # not only between the calls


@pytest.mark.parametrize("missing", ["package", "library"])
def test_a_missing_compiler_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, missing: str
) -> None:
    def no_library(*_: object) -> None:
        raise RuntimeError("libnvrtc.so was not found:\n  in many places")

    package = SimpleNamespace(nvrtcVersion=no_library)
    monkeypatch.setitem(
        sys.modules, "cuda.bindings.nvrtc", None if missing == "package" else package
    )
    nvrtc.version.cache_clear()
    with pytest.raises(
        CompileError, match=r"^NVIDIA's compiler cannot be loaded \(.*\); pip install cuda-bindings"
    ):
        nvrtc.compile_cuda(SCALE, "sm_80")


def test_importing_the_compiler_does_not_import_cuda() -> None:
    script = "import sys, dlc.compiler, dlc.core.nvrtc; print('cuda' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "False"
