"""NVIDIA's compiler leaves what a kernel does in memory behind its wait for the launches before."""

import importlib
import re
from collections.abc import Callable
from typing import Any

import pytest
from contraction_text import contraction_text
from lowered import lowered
from test_simulated_row_faults import GPU, across, held, packed, scanned, shared_by_blocks, turned
from xdsl.dialects.builtin import ModuleOp

from dlc.backends.cuda.printer import cuda_text
from dlc.dialects import gpu

nvrtc: Any = importlib.import_module("cuda.bindings.nvrtc")
_MEMORY = re.compile(r"\b(?:ld|st|red|atom)\.[\w.]*global|cp\.async")


def split() -> ModuleOp:
    """Sums in parts that go through global memory: the last block to come reads them all again."""
    types = "tensor<64x256xf16>", "tensor<256x64xf16>", "tensor<64x64xf16>"
    keys = 'tile = [64, 64, 32], warps = [2, 2], instruction = "mma.m16n8k16", split = 4'
    return lowered(contraction_text(types, "graph.matmul %a, %b", keys), GPU)


def _halves(text: str) -> tuple[str, str]:
    """Return the PTX of a kernel before and behind its wait."""
    _, program = nvrtc.nvrtcCreateProgram(text.encode(), b"k.cu", 0, [], [])
    flags = [b"-arch=sm_90a", b"--std=c++17"]
    nvrtc.nvrtcCompileProgram(program, len(flags), flags)
    _, size = nvrtc.nvrtcGetPTXSize(program)
    ptx = bytearray(size)
    nvrtc.nvrtcGetPTX(program, ptx)
    nvrtc.nvrtcDestroyProgram(program)
    before, behind = ptx.decode().split("griddepcontrol.wait;")
    return before, behind


def _text(module: ModuleOp) -> str:
    return cuda_text([op for op in module.ops if isinstance(op, gpu.KernelOp)])


@pytest.mark.parametrize("made", [turned, held, packed, across, shared_by_blocks, scanned, split])
def test_memory_is_touched_behind_the_wait(made: Callable[[], ModuleOp]) -> None:
    """Nor is it said to be constant: the assembler moves such loads before the wait."""
    before, behind = _halves(_text(made()))
    assert not _MEMORY.search(before)
    assert _MEMORY.search(behind)
    assert ".nc." not in behind


def test_a_promise_that_inputs_are_constant_is_seen() -> None:
    text = _text(across())
    promised = text.replace("const float* b1", "const float* __restrict__ b1")
    assert promised != text
    assert ".nc." in _halves(promised)[1]
