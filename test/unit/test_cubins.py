"""Every kind of kernel compiles for every GPU target, without a GPU and without spills."""

from pathlib import Path

import pytest
from lowered import lowered

from dlc.backends.cuda.cubins import SMALL_OPERATIONS, compile_kernels, translation_units
from dlc.dialects.gpu import KernelOp

TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90a")
SIZES = (2, 7, 128, 1009, 4100)
"""One element, primes, a multiple of everything, and neither."""
FEW = (7, 4100)
"""Of these for targets whose text is that of others: only the assembler is another one."""


def sizes_for(target: str) -> tuple[int, ...]:
    return SIZES if target == "sm_90a" else FEW


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path))


def elementwise(name: str, op: str, size: int, element: str, schedule: str) -> str:
    """Return a group of one op on a 3 x ``size`` tensor and a row that is broadcast."""
    full, row = f"tensor<3x{size}x{element}>", f"tensor<{size}x{element}>"
    return f"""
      func.func @{name}(%x: {full}, %b: {row}) -> {full} {{
        %y = fused_group.group @{name}_0(%x, %b) : ({full}, {row}) -> {full}
          attributes {{schedule = #loop.schedule<strategy = "map", target = "gpu", {schedule}>}} {{
        ^bb0(%xi: {full}, %bi: {row}):
          %0 = graph.{op} %xi, %bi : ({full}, {row}) -> {full}
          fused_group.yield %0 : {full}
        }}
        func.return %y : {full}
      }}"""


def softmax(name: str, columns: int, element: str, schedule: str) -> str:
    """Return a group that is a softmax over the rows of a 5 x ``columns`` tensor."""
    full = f"tensor<5x{columns}x{element}>"
    return f"""
      func.func @{name}(%x: {full}) -> {full} {{
        %y = fused_group.group @{name}_0(%x) : ({full}) -> {full}
          attributes {{schedule = #loop.schedule<strategy = "row", target = "gpu", {schedule}>}} {{
        ^bb0(%xi: {full}):
          %0 = graph.softmax %xi axis 1 : {full} -> {full}
          fused_group.yield %0 : {full}
        }}
        func.return %y : {full}
      }}"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", ["f32", "f16", "bf16", "i8", "ui8", "i32", "i64", "f64"])
def test_elementwise(target: str, element: str) -> None:
    schedules = {"scalar": "threads = 96", "vector": "threads = 128, vector = 4"}
    text = "".join(
        elementwise(f"k{size}_{name}", "add", size, element, schedule)
        for size in sizes_for(target)
        for name, schedule in schedules.items()
    )
    module = lowered(text, f"lower-to-loop,lower-to-gpu{{arch={target}}}")
    compiled = compile_kernels(module, target)
    assert len(compiled) == len(sizes_for(target)) * len(schedules)
    assert all(kernel.resources.spill_bytes == 0 for kernel in compiled)


@pytest.mark.parametrize("target", TARGETS)
def test_rows(target: str) -> None:
    schedules = {
        "warp": "threads = 32, rows = 4, vector = 4",
        "two_warps": "threads = 64",
        "three_warps": "threads = 96, vector = 2",
        "block": "threads = 512",
    }
    text = "".join(
        softmax(f"k{columns}_{name}", columns, "f16", schedule)
        for columns in sizes_for(target)
        for name, schedule in schedules.items()
    )
    module = lowered(text, f"lower-to-loop,lower-to-gpu{{arch={target}}}")
    compiled = compile_kernels(module, target, jobs=2)
    assert len(compiled) == len(sizes_for(target)) * len(schedules)
    assert all(kernel.resources.spill_bytes == 0 for kernel in compiled)


def products(name: str, sizes: tuple[int, int, int], signs: tuple[str, str], order: str) -> str:
    """Return a group that is a product of 8-bit integers."""
    m, n, k = sizes
    x, y = f"tensor<{m}x{k}x{signs[0]}>", f"tensor<{m}x{n}xi32>"
    w = f"tensor<{n}x{k}x{signs[1]}>" if order else f"tensor<{k}x{n}x{signs[1]}>"
    return f"""
      func.func @{name}(%x: {x}, %w: {w}) -> {y} {{
        %y = fused_group.group @{name}_0(%x, %w) : ({x}, {w}) -> {y} attributes {{
          schedule = #loop.schedule<strategy = "contract", target = "gpu", tile = [64, 128, 64],
          warps = [2, 2], instruction = "mma.m16n8k32", stages = 3>}} {{
        ^bb0(%xi: {x}, %wi: {w}):
          %0 = graph.matmul %xi, %wi {order} : ({x}, {w}) -> {y}
          fused_group.yield %0 : {y}
        }}
        func.return %y : {y}
      }}"""


@pytest.mark.parametrize("target", TARGETS)
def test_products_of_bytes(target: str) -> None:
    orders = {"along_k": "transpose_rhs", "across": ""}
    sizes = (1, 67, 128) if target == "sm_80" else (67,)
    text = "".join(
        products(f"k{left}_{right}_{size}_{name}", (size, 65, size), (left, right), order)
        for left, right in (("i8", "ui8"), ("ui8", "i8"))
        for size in sizes
        for name, order in orders.items()
    )
    module = lowered(text, f"lower-to-loop,lower-to-gpu{{arch={target}}}")
    compiled = compile_kernels(module, target, jobs=2)
    assert len(compiled) == 4 * len(sizes)
    assert all(kernel.resources.spill_bytes == 0 for kernel in compiled)


def test_small_kernels_share_a_unit_and_large_ones_do_not() -> None:
    wide = "".join(f"%v{i} = arith.constant {i} : i32\n" for i in range(SMALL_OPERATIONS))
    kernel = (
        "gpu.kernel @{name}() attributes {{grid = array<i64: 1, 1, 1>, "
        "block = array<i64: 1, 1, 1>, outputs = 0 : i64}} {{ {body} gpu.end }}"
    )
    names = [("a", ""), ("large", wide), ("b", "")]
    text = "\n".join(kernel.format(name=name, body=body) for name, body in names)
    kernels = [op for op in lowered(text, "gpu-check-limits").ops if isinstance(op, KernelOp)]
    units = [[k.sym_name.data for k in unit] for unit in translation_units(kernels)]
    assert units == [["large"], ["a", "b"]]
