"""Contractions behind which whole rows are needed: a block, or those of a cluster, total them.

Small integers are multiplied, so that the products are exact in whatever order they are added.
"""

from collections.abc import Callable

import numpy as np
import pytest
from launch import Gpu
from lowered import lowered
from simulated import Runner, Simulated
from xdsl.dialects.builtin import IntegerAttr, ModuleOp, i64
from xdsl.ir import Operation
from xdsl.rewriter import Rewriter

from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects import gpu
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.simulator import SimulationError, simulate
from dlc.simulator.launch import Order

TARGET = "sm_90a"
Size = tuple[int, int, int]
_EPSILON = 1e-5

_NORM = """
    %f = graph.cast %c {{to = f32}} : tensor<{m}x{n}x{e}> -> tensor<{m}x{n}xf32>
    %mean = graph.reduce_mean %f axes [1] keep_dims : tensor<{m}x{n}xf32> -> tensor<{m}x1xf32>
    %s = graph.sub %f, %mean : (tensor<{m}x{n}xf32>, tensor<{m}x1xf32>) -> tensor<{m}x{n}xf32>
    %q = graph.mul %s, %s : (tensor<{m}x{n}xf32>, tensor<{m}x{n}xf32>) -> tensor<{m}x{n}xf32>
    %v = graph.reduce_mean %q axes [1] keep_dims : tensor<{m}x{n}xf32> -> tensor<{m}x1xf32>
    %e = graph.splat 1.000000e-05 : f32 -> tensor<f32>
    %ve = graph.add %v, %e : (tensor<{m}x1xf32>, tensor<f32>) -> tensor<{m}x1xf32>
    %sq = graph.sqrt %ve : tensor<{m}x1xf32> -> tensor<{m}x1xf32>
    %y = graph.div %s, %sq : (tensor<{m}x{n}xf32>, tensor<{m}x1xf32>) -> tensor<{m}x{n}xf32>"""
_SOFTMAX = """
    %f = graph.cast %c {{to = f32}} : tensor<{m}x{n}x{e}> -> tensor<{m}x{n}xf32>
    %top = graph.reduce_max %f axes [1] keep_dims : tensor<{m}x{n}xf32> -> tensor<{m}x1xf32>
    %s = graph.sub %f, %top : (tensor<{m}x{n}xf32>, tensor<{m}x1xf32>) -> tensor<{m}x{n}xf32>
    %q = graph.exp %s : tensor<{m}x{n}xf32> -> tensor<{m}x{n}xf32>
    %v = graph.reduce_sum %q axes [1] keep_dims : tensor<{m}x{n}xf32> -> tensor<{m}x1xf32>
    %y = graph.div %q, %v : (tensor<{m}x{n}xf32>, tensor<{m}x1xf32>) -> tensor<{m}x{n}xf32>"""
ROWS = {"norm": _NORM, "softmax": _SOFTMAX}

_TEXT = """
func.func @main(%x: {x}, %w: {w}, %r: {c}) -> ({c}, {y}) {{
  %0, %1 = fused_group.group @g(%x, %w, %r) : ({x}, {w}, {c}) -> ({c}, {y}) attributes {{
      schedule = #loop.schedule<strategy = "contract", target = "gpu", {keys}>}} {{
  ^bb0(%a: {x}, %b: {w}, %z: {c}):
    %p = graph.matmul %a, %b transpose_rhs : ({x}, {w}) -> {c}
    %c = graph.add %p, %z : ({c}, {c}) -> {c}{rows}
    fused_group.yield %c, %y : {c}, {y}
  }}
  func.return %0, %1 : {c}, {y}
}}"""

_BOXES = 'stages = 4, producers = 4, producer_registers = 40, copies = "tensor"'
_MMA = 'instruction = "mma.m16n8k16", stages = 3'


def _wgmma(columns: int) -> str:
    return f'warps = [4, 1], instruction = "wgmma.m64n{columns}k16"'


KEYS: dict[str, tuple[str, str, int]] = {
    "threads": ("f32", 'tile = [32, 64, 16], warps = [2, 2], instruction = "fma", stages = 2', 64),
    "a thread for each column": (
        "f32",
        'tile = [2, 64, 16], warps = [1, 2], instruction = "fma.1x32", stages = 2, row_blocks = 2',
        128,
    ),
    "warps below each other": ("f16", f"tile = [32, 64, 32], warps = [2, 1], {_MMA}", 64),
    "warps beside each other": (
        "f16",
        f"tile = [32, 64, 32], warps = [1, 4], {_MMA}, row_blocks = 2",
        128,
    ),
    "interleaved": (
        "f16",
        f"tile = [32, 32, 32], warps = [2, 2], {_MMA}, interleave = 2, row_blocks = 4",
        128,
    ),
    "exchange": (
        "f16",
        f"tile = [32, 64, 32], warps = [2, 2], {_MMA}, exchange = true, row_blocks = 2",
        128,
    ),
    "warpgroup": ("f16", f"tile = [64, 96, 64], {_wgmma(96)}, stages = 2, row_blocks = 2", 192),
    "producers": ("f16", f"tile = [64, 32, 64], {_wgmma(32)}, {_BOXES}, row_blocks = 8", 256),
    "producers alone": ("f16", f"tile = [64, 96, 64], {_wgmma(96)}, {_BOXES}", 96),
}
SIZES: list[tuple[int, int, int]] = [
    (45, 0, 136),  # tails of rows
    (33, 3, 67),  # columns that there are not, lines that no copy is aligned to
    (1, 0, 8),
    (131, 5, 72),
]
"""Rows, columns that the last tile lacks, and the length of the reduction."""
CASES = [
    (name, rows, size)
    for name, (_, keys, _) in KEYS.items()
    for size in SIZES
    for rows in ROWS
    if "tensor" not in keys or (size[2] % 8 == 0 and size[1] == 0)  # as a tensor map describes
]
_NUMPY = {"f32": np.float32, "f16": np.float16}


def sizes_of(name: str, size: Size) -> Size:
    m, lacking, k = size
    return m, KEYS[name][2] - lacking, k


def product(name: str, rows: str, size: Size, target: str = TARGET) -> ModuleOp:
    m, n, k = sizes_of(name, size)
    element, keys, _ = KEYS[name]
    x, w, c, y = (
        f"tensor<{a}x{b}x{e}>"
        for a, b, e in ((m, k, element), (n, k, element), (m, n, element), (m, n, "f32"))
    )
    written = ROWS[rows].format(m=m, n=n, e=element)
    if element == "f32":
        cast, *others = written.strip("\n").split("\n")
        assert "cast" in cast
        written = "\n" + "\n".join(others).replace("%f", "%c")
    text = _TEXT.format(x=x, w=w, c=c, y=y, keys=keys, rows=written)
    return lowered(text, f"lower-to-loop,lower-to-gpu{{arch={target}}}")


def inputs(name: str, size: Size) -> list[Array]:
    m, n, k = sizes_of(name, size)
    generator, type = np.random.default_rng(5), _NUMPY[KEYS[name][0]]
    x, w, r = (generator.integers(-2, 3, s).astype(type) for s in ((m, k), (n, k), (m, n)))
    r[1::3] -= 300  # rows whose largest element is far below zero
    return [x, w, r]


def wanted(rows: str, x: Array, w: Array, r: Array) -> tuple[Array, Array]:
    c = (x.astype(np.int64) @ w.astype(np.int64).T + r).astype(np.float64)
    if rows == "norm":
        s = c - c.mean(1, keepdims=True)
        return c, s / np.sqrt((s * s).mean(1, keepdims=True) + _EPSILON)
    q = np.exp(c - c.max(1, keepdims=True))
    return c, q / q.sum(1, keepdims=True)


def check(runner: Runner, name: str, rows: str, size: Size) -> None:
    given = inputs(name, size)
    c, y = runner.run(product(name, rows, size), *given)
    exact, normal = wanted(rows, *given)
    np.testing.assert_array_equal(c, exact.astype(c.dtype))
    n = exact.shape[1]
    rounding = np.finfo(np.float32).eps * (np.log2(n) + n / 16 + 8)  # of sums in lanes, and after
    largest = max(1.0, float(np.abs(exact).max()))
    np.testing.assert_allclose(y, normal, rtol=rounding, atol=rounding * largest)


@pytest.mark.parametrize(("name", "rows", "size"), CASES, ids=str)
def test_rows_are_right(name: str, rows: str, size: Size) -> None:
    check(Simulated(), name, rows, size)


@pytest.mark.gpu
@pytest.mark.parametrize(("name", "rows", "size"), CASES, ids=str)
def test_rows_on_the_gpu(gpu: Gpu, name: str, rows: str, size: Size) -> None:
    if gpu.target != TARGET:
        pytest.skip(f"{gpu.target} has no clusters")
    check(gpu, name, rows, size)


@pytest.mark.parametrize("name", KEYS)
def test_no_register_spills(name: str) -> None:
    (kernel,) = compile_kernels(product(name, "norm", (260, 0, 512)), TARGET)
    assert kernel.resources.spill_bytes == 0


def test_other_chips_have_no_clusters() -> None:
    with pytest.raises(CompileError, match="clusters, which sm_89 has not"):
        product("warps beside each other", "norm", SIZES[0], "sm_89")


Fault = Callable[[ModuleOp], None]


def without_last(kind: type[Operation]) -> Fault:
    def erase(module: ModuleOp) -> None:
        *_, found = (op for op in module.walk() if isinstance(op, kind))
        Rewriter.erase_op(found)

    return erase


def half_of_the_bytes(module: ModuleOp) -> None:
    """A block waits for half of what is sent to it."""
    *_, found = (op for op in module.walk() if isinstance(op, gpu.MbarrierArriveOp))
    found.bytes = IntegerAttr(found.expected_bytes // 2, i64)


def parts_in_one_place(module: ModuleOp) -> None:
    """All blocks send to the first block's place."""
    for op in [o for o in module.walk() if isinstance(o, gpu.StAsyncOp)]:
        at = op.destination_map.data
        op.destination_map = type(op.destination_map)(
            type(at)(at.num_dims, at.num_symbols, (at.results[0] * 0, *at.results[1:]))
        )


FAULTS: dict[str, tuple[Fault, str]] = {
    "blocks may not have begun": (without_last(gpu.ClusterWaitOp), "may not have begun"),
    "parts may not have come": (without_last(gpu.MbarrierWaitOp), "not waited for"),
    "fewer parts are waited for": (
        half_of_the_bytes,
        "has filled that it did not wait for: a race",
    ),
    "two parts in one place": (parts_in_one_place, "a race"),
    "totals may not be there": (without_last(gpu.BarrierOp), "a race"),
}


@pytest.mark.parametrize("order", [None, "forward", "backward", 1])
@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(name: str, order: Order | None) -> None:
    fault, message = FAULTS[name]
    case, size = "warps beside each other", (45, 0, 136)
    module = product(case, "norm", size)
    fault(module)
    kernel = next(op for op in module.ops if isinstance(op, gpu.KernelOp))
    m, n, _ = sizes_of(case, size)
    outputs = [np.zeros((m, n), np.float16), np.zeros((m, n), np.float32)]
    with pytest.raises(SimulationError, match=message):
        simulate(module, kernel.sym_name.data, [*inputs(case, size), *outputs], warp_order=order)
