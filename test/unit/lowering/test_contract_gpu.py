"""Contraction kernels of every kind and awkward size are accepted by the assembler."""

import pytest

from dlc import registry
from dlc.backends.cuda.cubins import compile_kernels
from dlc.core.parser import parse_module
from dlc.dialects.gpu import CpAsyncOp, KernelOp, LdmatrixOp

TARGETS = ("sm_80", "sm_86", "sm_89", "sm_90a")
SIZES = ((1, 1, 1), (17, 33, 129), (131, 72, 264))
WGMMA = 'tile = [128, 64, 64], warps = [8, 1], instruction = "wgmma.m64n64k16"'
MMA = "tile = [64, 32, 32], warps = [2, 2], instruction ="
KINDS = {
    "mma_f16": ("f16", "", f'{MMA} "mma.m16n8k16", stages = 3, split = 2, order = "row"'),
    "mma_f16_exchanged": (
        "f16",
        "",
        f'{MMA} "mma.m16n8k16", stages = 2, order = "grouped<8>", exchange = true',
    ),
    "mma_bf16": ("bf16", "", f'{MMA} "mma.m16n8k16", stages = 1, split = 1, order = "row"'),
    "wgmma_f16": ("f16", "", f'{WGMMA}, stages = 4, interleave = 4, order = "row"'),
    "wgmma_f16_in_turn": ("f16", "", f'{WGMMA}, stages = 1, split = 2, order = "grouped<8>"'),
    "wgmma_bf16_exchanged": ("bf16", "", f"{WGMMA}, stages = 2, exchange = true"),
    "mma_tf32": (
        "f32",
        " precision tf32",
        f'{MMA} "mma.m16n8k8", stages = 2, split = 1, order = "grouped<8>"',
    ),
    "fma_f32": (
        "f32",
        "",
        'tile = [32, 32, 16], warps = [1, 2], instruction = "fma", stages = 2, split = 3, '
        'order = "row"',
    ),
    "fma_f64": (
        "f64",
        "",
        'tile = [32, 32, 8], warps = [1, 2], instruction = "fma", stages = 2, split = 1, '
        'order = "row"',
    ),
    "fma_i32": (
        "i32",
        "",
        'tile = [16, 32, 8], warps = [1, 2], instruction = "fma", stages = 1, split = 1, '
        'order = "row"',
    ),
}


def module(m: int, n: int, k: int, transposed: bool, kind: str) -> str:
    """Return one product in a group."""
    element, precision, schedule = KINDS[kind]
    rhs = f"{n}x{k}" if transposed else f"{k}x{n}"
    x, w, y = (f"tensor<{s}x{element}>" for s in (f"{m}x{k}", rhs, f"{m}x{n}"))
    flag = " transpose_rhs" if transposed else ""
    return (
        f"func.func @main(%x: {x}, %w: {w}) -> {y} {{\n"
        f"%y = fused_group.group @g(%x, %w) : ({x}, {w}) -> {y} attributes "
        f'{{schedule = #loop.schedule<strategy = "contract", target = "gpu", {schedule}>}} {{\n'
        f"^bb0(%a: {x}, %b: {w}):\n%r = graph.matmul %a, %b{flag}{precision} : ({x}, {w}) -> {y}\n"
        f"fused_group.yield %r : {y} }}\nfunc.return %y : {y} }}"
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("sizes", SIZES, ids=lambda s: "x".join(map(str, s)))
def test_compiles_without_spills(kind: str, transposed: bool, sizes: tuple[int, int, int]) -> None:
    targets = TARGETS if not kind.startswith("wgmma") else TARGETS[-1:]
    target = targets[(sum(sizes) + len(kind) + transposed) % len(targets)]
    context = registry.new_context()
    lowered = parse_module(module(*sizes, transposed, kind), context)
    for step in registry.build_passes(f"lower-to-loop,lower-to-gpu{{arch={target}}}"):
        step.apply(context, lowered)
    lowered.verify()
    (kernel,) = (op for op in lowered.ops if isinstance(op, KernelOp))
    (compiled,) = compile_kernels(lowered, target)
    assert compiled.resources.spill_bytes == 0
    matrix_loads = [op for op in kernel.walk() if isinstance(op, LdmatrixOp)]
    assert bool(matrix_loads) == kind.startswith("mma")
    copies = [op for op in kernel.walk() if isinstance(op, CpAsyncOp)]
    # 264 elements of k or 72 of n stand together in a whole number of copies; of 1 and 129, each
    # needs a copy of its own, which moves 4 bytes at least.
    assert bool(copies) == (sizes == SIZES[-1] or KINDS[kind][0] not in ("f16", "bf16"))
