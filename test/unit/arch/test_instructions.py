"""An instruction is its row: one that lives here is found, chosen, printed, read, simulated and
emulated.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from added_files import added
from launched import Case, launch
from lowered import lowered
from xdsl.dialects.builtin import ModuleOp

from dlc import arch, registry
from dlc.arch import instructions
from dlc.arch.nvidia import A100
from dlc.backends.cuda import cuda_text
from dlc.core.nvrtc import compile_cuda
from dlc.core.parser import parse_module
from dlc.dialects.gpu import KernelOp
from dlc.errors import CompileError
from dlc.simulator import simulate
from dlc.tools._strategy_page import strategy_page

EARLY = replace(
    A100,
    name="early",
    capabilities=A100.capabilities - {"mma.sync.i8"} | {"mma.sync.m16n8k16.i8"},
)
"""A chip with half of the depth for bytes, and the copies of today."""

M, N, K = 33, 40, 72
GRAPH = f"""
func.func @main(%x: tensor<{M}x{K}xi8>, %w: tensor<{N}x{K}xi8>) -> tensor<{M}x{N}xi32> {{
  %y = graph.matmul %x, %w transpose_rhs
    : (tensor<{M}x{K}xi8>, tensor<{N}x{K}xi8>) -> tensor<{M}x{N}xi32>
  func.return %y : tensor<{M}x{N}xi32>
}}
"""


@pytest.fixture(autouse=True)
def half_depth(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Add the folder ``extra`` to those where instructions are found, and a chip that has it."""
    monkeypatch.setattr(arch, "GPUS", (*arch.GPUS, EARLY))
    with added(instructions, Path(__file__).parent / "extra", instructions.refresh):
        yield


TILED = "fuse{arch=early},tile{arch=early}"


def _kernel() -> tuple[ModuleOp, KernelOp]:
    module = lowered(GRAPH, f"{TILED},lower-to-loop,lower-to-gpu{{arch=early}}")
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    return module, kernel


def test_the_widest_of_a_kind_that_fits() -> None:
    assert instructions.widest("mma.m16n8k16", 64) == "mma.m16n8k16"
    assert instructions.widest("wgmma.m64n8k16", 112) == "wgmma.m64n112k16"
    assert instructions.widest("wgmma.m64n8k16", 208) == "wgmma.m64n16k16"


def test_it_shares_its_name_with_the_row_of_other_types() -> None:
    assert [row.element for row in instructions.named("mma.m16n8k16")] == ["f16", "bf16", "i8"]
    found = instructions.find("mma.m16n8k16", "i8", "i8", "i32")
    assert found is not None
    assert found.ptx == "mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32"


@pytest.mark.parametrize(("chip", "name"), [("early", "mma.m16n8k16"), ("a100", "mma.m16n8k32")])
def test_it_is_chosen_where_the_chip_has_it(chip: str, name: str) -> None:
    text = str(lowered(GRAPH, f"fuse{{arch={chip}}},tile{{arch={chip}}}"))
    assert f'instruction = "{name}"' in text


def test_it_is_printed_and_read_at_every_level() -> None:
    for passes in ("", ",lower-to-loop", ",lower-to-loop,lower-to-gpu{arch=early}"):
        text = str(lowered(GRAPH, TILED + passes))
        assert "m16n8k16" in text
        assert str(parse_module(text, registry.new_context())) == text


def test_a_chip_without_it_says_so() -> None:
    with pytest.raises(CompileError, match=r"needs mma\.sync\.m16n8k16\.i8, which sm_80 has not"):
        lowered(GRAPH, f"{TILED},lower-to-loop,lower-to-gpu{{arch=sm_80}}")


def test_its_kernel_is_simulated() -> None:
    module, kernel = _kernel()
    rng = np.random.default_rng(0)
    x, w = (rng.integers(-4, 5, (size, K)).astype(np.int8) for size in (M, N))
    y = np.zeros((M, N), np.int32)
    simulate(module, kernel.sym_name.data, [x, w, y])
    np.testing.assert_array_equal(y, x.astype(np.int32) @ w.astype(np.int32).T)


def test_its_kernel_is_cuda_that_the_assembler_takes() -> None:
    text = cuda_text([_kernel()[1]])
    assert 'asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 "' in text
    assert re.search(r'"\{%0, %1, %2, %3\}, \{%4, %5\}, \{%6\}, \{%0, %1, %2, %3\};"', text)
    cubin = compile_cuda(text, "sm_80")
    assert all(used.spill_bytes == 0 for used in cubin.resources.values())


def test_it_is_emulated(tmp_path: Path) -> None:
    body = """
      int a[2];
      int b[1];
      int c[4];
      for (int i = 0; i < 4; i++) c[i] = 1;
      a[0] = a[1] = b[0] = 0x01010101;
      mma_m16n8k16_i8(a, b, c);
      y[threadIdx.x] = c[3];"""
    y = launch(Case(body), np.ones(1, np.float32), np.empty(32, np.float32), tmp_path)
    assert set(y.tolist()) == {17.0}


def test_it_is_in_the_documentation() -> None:
    assert '`"mma.m16n8k16"`' in strategy_page("")
