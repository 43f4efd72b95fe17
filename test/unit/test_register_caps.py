"""Kernels whose registers spill are compiled again with more of them."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest
from xdsl.dialects.builtin import DenseArrayBase, ModuleOp, i64

from dlc import registry
from dlc.arch.nvidia import A100, H200
from dlc.backends.cuda import cubins, cuda_text
from dlc.backends.cuda.cubins import compile_kernels
from dlc.backends.cuda.register_caps import next_cap
from dlc.core.nvrtc import Cubin, Resources, compile_cuda
from dlc.core.parser import parse_module
from dlc.dialects.gpu import KernelOp

PRODUCT = """
func.func @main(%x: tensor<1x4096xf32>, %w: tensor<1000x4096xf32>) -> tensor<1x1000xf32> {
  %y = fused_group.group @g(%x, %w) : (tensor<1x4096xf32>, tensor<1000x4096xf32>)
      -> tensor<1x1000xf32> attributes {schedule = #loop.schedule<
      strategy = "contract", target = "gpu", tile = [16, 32, 16], warps = [1, 2],
      instruction = "fma", stages = 4, split = 16, order = "row">} {
  ^bb0(%a: tensor<1x4096xf32>, %b: tensor<1000x4096xf32>):
    %r = graph.matmul %a, %b transpose_rhs : (tensor<1x4096xf32>, tensor<1000x4096xf32>)
      -> tensor<1x1000xf32>
    fused_group.yield %r : tensor<1x1000xf32>
  }
  func.return %y : tensor<1x1000xf32>
}
"""
"""The assembler of CUDA 13.5 spills 24 bytes at 48 registers of this one on sm_80."""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path))


def parse(text: str, pipeline: str = "gpu-check-limits") -> ModuleOp:
    context = registry.new_context()
    module = parse_module(text, context)
    for step in registry.build_passes(pipeline):
        step.apply(context, module)
    return module


def kernel_of(module: ModuleOp) -> KernelOp:
    (kernel,) = (op for op in module.ops if isinstance(op, KernelOp))
    return kernel


def products(threads: int, values: int, attributes: str = "") -> ModuleOp:
    """Return a kernel that multiplies ``values`` numbers by their sum: it holds them all."""
    type = f"memref<{values}x{threads}xf32>"
    lines = [f"%v{i} = loop.load %x[{i}, %t] : {type} -> f32" for i in range(values)]
    for i in range(1, values):
        lines.append(f"%s{i} = arith.addf {f'%s{i - 1}' if i > 1 else '%v0'}, %v{i} : f32")
    for i in range(values):
        lines += [
            f"%p{i} = arith.mulf %v{i}, {f'%s{values - 1}' if values > 1 else '%v0'} : f32",
            f"loop.store %p{i}, %y[{i}, %t] : f32 -> {type}",
        ]
    body = "\n".join(lines)
    return parse(
        f"gpu.kernel @k(%x: {type}, %y: {type}) attributes {{grid = array<i64: 1, 1, 1>, "
        f"block = array<i64: {threads}, 1, 1>, outputs = 1 : i64{attributes}}} {{\n"
        f"%t = gpu.thread_id x : index\n{body}\ngpu.end }}"
    )


@pytest.mark.parametrize(
    ("threads", "shared", "registers", "expected"),
    [
        (128, 0, 80, 96),  # 6 blocks have 80; 5 blocks: 65536 / (5 x 128) = 102, in units of 8
        (128, 98304, 80, 255),  # the shared memory lets 2 blocks run: 256 registers are theirs
        (256, 0, 48, 64),  # 5 blocks have 51, so 48; 4 have 64
        (512, 0, 128, None),  # one block has all
        (1024, 0, 40, 64),
        (1024, 0, 64, None),
        (64, 0, 255, None),  # what an instruction can name
    ],
)
def test_next_cap(threads: int, shared: int, registers: int, expected: int | None) -> None:
    kernel = kernel_of(products(threads, 1, f", shared_bytes = {shared} : i64"))
    assert next_cap(kernel, registers, H200) == expected


def test_caps_rise_until_one_block_has_all_registers() -> None:
    kernel = kernel_of(products(96, 1))
    caps = [32]
    while (cap := next_cap(kernel, caps[-1], A100)) is not None:
        caps.append(cap)
    assert caps == sorted(set(caps))
    assert caps[-1] == 255


@pytest.mark.parametrize(("blocks", "expected"), [(132, 255), (133, 128), (264, 128)])
def test_blocks_that_wait_for_each_other_have_room_together(blocks: int, expected: int) -> None:
    kernel = kernel_of(products(256, 1, ", cooperative"))
    kernel.grid = DenseArrayBase.from_list(i64, [blocks, 1, 1])
    caps = [32]
    while (cap := next_cap(kernel, caps[-1], H200)) is not None:
        caps.append(cap)
    assert caps[-1] == expected


@pytest.mark.parametrize("target", ["sm_80", "sm_90a"])
def test_a_product_that_spills_gets_more_registers(target: str) -> None:
    module = parse(PRODUCT, f"lower-to-loop,lower-to-gpu{{arch={target}}}")
    kernel = kernel_of(module)
    alone = compile_cuda(cuda_text([kernel]), target).resources["g"]
    (compiled,) = compile_kernels(module, target)
    assert compiled.resources.spill_bytes == 0
    assert (kernel.max_registers is not None) == (alone.spill_bytes > 0)


def test_only_kernels_that_spill_are_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of two kernels in one unit, the first needs 90 registers."""
    texts: list[str] = []

    def assemble(text: str, target: str) -> Cubin:
        texts.append(text)
        registers = 96 if "__maxnreg__(96)" in text else 72
        return Cubin(
            str(len(texts)),
            text,
            b"",
            {
                "k": Resources(registers, 0 if registers >= 90 else 16, 0, 0),
                "l": Resources(20, 0, 0, 0),
            },
        )

    monkeypatch.setattr(cubins, "compile_cuda", assemble)
    first, second = products(128, 1), products(128, 1)
    other = kernel_of(second)
    other.detach()
    other.properties["sym_name"] = type(other.sym_name)("l")
    first.body.block.add_op(other)
    compiled = compile_kernels(first, "sm_90a")
    assert [c.resources.registers for c in compiled] == [96, 20]
    assert caps_of(first) == [96, None]
    # 72 registers: 7 blocks; 6 blocks have 80, 5 have 96.
    assert [re.findall(r"__maxnreg__\((\d+)\)", t) for t in texts] == [[], ["80"], ["96"]]


def caps_of(module: ModuleOp) -> Sequence[int | None]:
    kernels = [op for op in module.ops if isinstance(op, KernelOp)]
    return [k.max_registers.value.data if k.max_registers else None for k in kernels]


def test_what_spills_with_all_registers_says_so() -> None:
    module = products(1024, 128)
    (compiled,) = compile_kernels(module, "sm_80")
    assert compiled.resources.spill_bytes > 0
    assert compiled.resources.registers == 64


def test_a_cap_that_was_given_is_kept() -> None:
    module = products(128, 64, ", max_registers = 32 : i64")
    (compiled,) = compile_kernels(module, "sm_80")
    assert compiled.resources.spill_bytes > 0
    assert compiled.resources.registers == 32
    assert caps_of(module) == [32]
