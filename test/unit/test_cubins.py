"""Every kind of kernel compiles for every GPU target, without a GPU and without spills."""

from pathlib import Path

import pytest
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.backends._cubins import SMALL_OPERATIONS, compile_kernels, translation_units
from dlc.core.parser import parse_module
from dlc.dialects.gpu import KernelOp

TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90a")
SIZES = (1, 7, 128, 1009, 4100)
"""One element, primes, a multiple of everything, and neither."""


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path))


def lowered(text: str, pipeline: str) -> ModuleOp:
    """Return the module of ``text`` after a pipeline."""
    context = registry.new_context()
    module = parse_module(text, context)
    for step in registry.build_passes(pipeline):
        step.apply(context, module)
    module.verify()
    return module


def elementwise(name: str, op: str, size: int, element: str, schedule: str) -> str:
    """Return a group of one op on a 3 x ``size`` tensor and a row that is broadcast."""
    full, row = f"tensor<3x{size}x{element}>", f"tensor<{size}x{element}>"
    return f"""
      func.func @{name}(%x: {full}, %b: {row}) -> {full} {{
        %y = fused_group.group @{name}_0(%x, %b) : ({full}, {row}) -> {full}
          attributes {{schedule = #loop.schedule<strategy = "map", {schedule}>}} {{
        ^bb0(%xi: {full}, %bi: {row}):
          %0 = graph.{op} %xi, %bi : ({full}, {row}) -> {full}
          fused_group.yield %0 : {full}
        }}
        func.return %y : {full}
      }}"""


def reduction(name: str, columns: int, over: str, threads: int) -> str:
    """Return a loop kernel that sums rows over the lanes of a warp or the threads of a block."""
    map, workers = ("lane", 32) if over == "warp" else ("thread", threads)
    x, y = f"memref<5x{columns}xf16>", "memref<5x1xf32>"
    return f"""
      loop.kernel @{name}(%x: {x}, %y: {y}) attributes {{outputs = 1 : i64}} {{
        loop.for %b = 0 to 5 kind = parallel map = grid {{
          %zero = arith.constant 0.0 : f32
          %part = loop.for %k = 0 to {columns} kind = reduction map = {map}
              iter_args(%a = %zero) -> (f32) {{
            %v = loop.load %x[%b, %k] : {x} -> f32
            %n = arith.addf %a, %v : f32
            loop.yield %n : f32
          }}
          %total = loop.combine %part over {over} : f32 {{
          ^bb0(%l: f32, %r: f32):
            %s = arith.addf %l, %r : f32
            loop.yield %s : f32
          }}
          loop.for %t = 0 to {workers} kind = parallel map = {map} {{
            %first = arith.constant 0 : index
            %mine = arith.cmpi eq, %t, %first : index
            scf.if %mine {{
              loop.store %total, %y[%b, 0] : f32 -> {y}
            }}
            loop.yield
          }}
          loop.yield
        }}
        loop.end
      }}"""


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("element", ["f32", "f16", "bf16", "i8", "ui8", "i32", "i64", "f64"])
def test_elementwise(target: str, element: str) -> None:
    schedules = {"scalar": "threads = 96", "vector": "threads = 128, vector = 4"}
    text = "".join(
        elementwise(f"k{size}_{name}", "add", size, element, schedule)
        for size in SIZES
        for name, schedule in schedules.items()
    )
    module = lowered(text, f"lower-to-loop,lower-to-gpu{{arch={target}}}")
    compiled = compile_kernels(module, target)
    assert len(compiled) == len(SIZES) * len(schedules)
    assert all(kernel.resources.spill_bytes == 0 for kernel in compiled)


@pytest.mark.parametrize("target", TARGETS)
def test_reductions(target: str) -> None:
    text = "".join(
        reduction(f"{over}_{columns}_{threads}", columns, over, threads)
        for columns in SIZES
        for over, threads in (("warp", 32), ("block", 32), ("block", 96), ("block", 256))
    )
    compiled = compile_kernels(lowered(text, f"lower-to-gpu{{arch={target}}}"), target, jobs=2)
    assert len(compiled) == 4 * len(SIZES)
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
