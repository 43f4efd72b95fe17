"""NVIDIA's compiler leaves what a stage does in memory between its barriers."""

import importlib
import re
from typing import Any

import pytest
import stages
from lowered import lowered

from dlc.backends.cuda.printer import cuda_text
from dlc.dialects import gpu

nvrtc: Any = importlib.import_module("cuda.bindings.nvrtc")
_LOADS = re.compile(r"\bld\.global\.(?!nc)[\w.]*")
_STORES = re.compile(r"\bst\.global\.[\w.]*")


def _ptx(text: str, target: str) -> str:
    module = lowered(text, f"lower-to-gpu{{arch={target}}}")
    return _compiled(cuda_text([op for op in module.ops if isinstance(op, gpu.KernelOp)]), target)


def _compiled(text: str, target: str) -> str:
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), b"k.cu", 0, [], [])
    flags = [f"-arch={target}".encode(), b"--std=c++17"]
    nvrtc.nvrtcCompileProgram(program, len(flags), flags)
    _, size = nvrtc.nvrtcGetPTXSize(program)
    ptx = bytearray(size)
    nvrtc.nvrtcGetPTX(program, ptx)
    nvrtc.nvrtcDestroyProgram(program)
    return ptx.decode()


def _touches(ptx: str, barrier: str) -> list[tuple[bool, bool]]:
    """Return for each stage whether it loads what the kernel writes, and whether it stores."""
    return [
        (bool(_LOADS.search(stage)), bool(_STORES.search(stage))) for stage in ptx.split(barrier)
    ]


@pytest.mark.parametrize("target", ["sm_80", "sm_86", "sm_89", "sm_90a"])
def test_stages_of_the_grid(target: str) -> None:
    ptx = _ptx(stages.three_stages(1000, 6), target)
    touched = _touches(ptx, "red.relaxed.gpu.global.add.s32")
    assert touched == [(False, True), (True, True), (True, True)]
    assert ptx.count("ld.acquire.gpu.global.s32") == 2
    assert ptx.count("fence.acq_rel.gpu") == 4


def test_stages_of_a_cluster() -> None:
    ptx = _ptx(stages.in_clusters(), "sm_90a")
    assert _touches(ptx, "barrier.cluster.wait") == [(False, True), (True, True)]
    assert "barrier.cluster.arrive.release.aligned" in ptx


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_stages_of_a_block(target: str) -> None:
    ptx = _ptx(stages.in_blocks(), target)
    barrier = re.search(r"\bbar(rier)?\.sync", ptx)
    assert barrier is not None
    assert _touches(ptx, barrier[0]) == [(False, True), (True, True)]


def test_what_others_store_over_it_is_loaded_again() -> None:
    """A thread's own value, which it has stored before, would be in a register."""
    ptx = _ptx(stages.stored_over(), "sm_90a")
    touched = _touches(ptx, "red.relaxed.gpu.global.add.s32")
    assert touched == [(False, True), (False, True), (True, True)]


FORGETS = """
extern "C" __global__ void k(const float* x, float* y, float* PROMISE s) {
  const int t = threadIdx.x;
  s[t] = x[t];
  __syncthreads();
  if (t < 32) s[t + 32] = x[t + 7];
  __syncthreads();
  y[t] = s[t];
}"""


@pytest.mark.parametrize("promise", ["", "__restrict__"])
def test_a_promise_is_taken_for_one_of_other_threads(promise: str) -> None:
    """Where this fails for ``__restrict__``, the printer need not leave it out any more."""
    ptx = _compiled(FORGETS.replace("PROMISE", promise), "sm_90a")
    behind = ptx.split("bar.sync")[-1]
    assert bool(_LOADS.search(behind)) == (not promise)
