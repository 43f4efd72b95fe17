"""How the results of contractions are stored: interleaved columns, whatever the shape of a result.

Small integers, so that products and sums are exact: every layout has to give the same bits.
"""

import numpy as np
import pytest
from lowered import lowered
from simulated import Runner, Simulated
from xdsl.dialects.builtin import ModuleOp
from xdsl.utils.exceptions import VerifyException

from dlc.core.parser import parse_module
from dlc.dialects import gpu
from dlc.dialects.graph.structure import Array
from dlc.ir.space import Space, space_of
from dlc.registry import new_context
from dlc.simulator import SimulationReport, run_module

ELEMENTS = {
    "f16": (np.float16, "f16", "", "mma.m16n8k16"),
    "tf32": (np.float32, "f32", " precision tf32", "mma.m16n8k8"),
    "warpgroup": (np.float16, "f16", "", "wgmma.m64n64k16"),
    "f32": (np.float32, "f32", "", "fma"),
}
TILE = "tile = [32, 64, 32], warps = [2, 1], stages = 2"
TILE_OF_WARPGROUP = "tile = [64, 64, 32], warps = [4, 1], stages = 3"


def product(
    name: str,
    sizes: tuple[int, int, int],
    interleave: int,
    after: str = "",
    order: str = "n k",
    exchange: bool = False,
    pipeline: str = "lower-to-loop,lower-to-gpu{arch=sm_90a}",
) -> ModuleOp:
    """Return the kernel of ``relu(x @ w + b + r)``, whose result is moved by the op ``after``."""
    (m, n, k), (_, element, precision, instruction) = sizes, ELEMENTS[name]
    tile = TILE_OF_WARPGROUP if name == "warpgroup" else TILE
    w, transposed = (f"{n}x{k}", " transpose_rhs") if order == "n k" else (f"{k}x{n}", "")
    x, w, b, y = (f"tensor<{s}x{element}>" for s in (f"{m}x{k}", w, f"{n}", f"{m}x{n}"))
    moved, result = (line.format(y=y, m=m, n=n, e=element) for line in MOVED[after])
    types = f"({x}, {w}, {b}, {y})"
    return lowered(
        f"func.func @main(%x: {x}, %w: {w}, %b: {b}, %r: {y}) -> {result} {{\n"
        f"%y = fused_group.group @g(%x, %w, %b, %r) : {types} -> {result} attributes {{schedule = "
        f'#loop.schedule<strategy = "contract", target = "gpu", {tile}, '
        f'instruction = "{instruction}", interleave = {interleave}, '
        f"exchange = {str(exchange).lower()}>}} {{\n"
        f"^bb0(%0: {x}, %1: {w}, %2: {b}, %3: {y}):\n"
        f"%4 = graph.matmul %0, %1{transposed}{precision} : ({x}, {w}) -> {y}\n"
        f"%5 = graph.add %4, %2 : ({y}, {b}) -> {y}\n"
        f"%6 = graph.add %5, %3 : ({y}, {y}) -> {y}\n"
        f"%7 = graph.relu %6 : {y} -> {y}\n{moved}"
        f"fused_group.yield %{8 if moved else 7} : {result} }}\nfunc.return %y : {result} }}",
        pipeline,
    )


MOVED = {
    "": ("", "{y}"),
    "transposed": (
        "%8 = graph.transpose %7 {{permutation = array<i64: 1, 0>}} : {y} -> tensor<{n}x{m}x{e}>\n",
        "tensor<{n}x{m}x{e}>",
    ),
    "cut_inside": (
        "%8 = graph.slice %7 {{starts = array<i64: 0, 5>, stops = array<i64: {m}, 36>, "
        "steps = array<i64: 1, 1>}} : {y} -> tensor<{m}x31x{e}>\n",
        "tensor<{m}x31x{e}>",
    ),
    "cut": (
        "%8 = graph.slice %7 {{starts = array<i64: 0, 8>, stops = array<i64: {m}, 32>, "
        "steps = array<i64: 1, 1>}} : {y} -> tensor<{m}x24x{e}>\n",
        "tensor<{m}x24x{e}>",
    ),
}
NUMPY = {
    "": lambda y: y,
    "transposed": np.transpose,
    "cut": lambda y: y[:, 8:32],
    "cut_inside": lambda y: y[:, 5:36],
}


def run(
    runner: Runner, module: ModuleOp, name: str, sizes: tuple[int, int, int], order: str
) -> tuple[Array, Array]:
    """Return what the kernel gives, and what it should give before it is moved."""
    (m, n, k), dtype = sizes, ELEMENTS[name][0]
    generator = np.random.default_rng(m + n)
    x, w, b, r = (
        generator.integers(-4, 5, s).astype(dtype) for s in ((m, k), (n, k), (n,), (m, n))
    )
    right = np.maximum(x.astype(np.float32) @ w.astype(np.float32).T + b + r, 0)
    (y,) = runner.run(module, x, w if order == "n k" else np.ascontiguousarray(w.T), b, r)
    return y, right


@pytest.mark.parametrize("name", ELEMENTS)
@pytest.mark.parametrize(
    ("interleave", "sizes"),
    [
        *((interleave, (45, 67, 33)) for interleave in (1, 2, 4, 8)),
        *((interleave, (33, 100, 40)) for interleave in (1, 8)),
        *((4, sizes) for sizes in ((1, 1, 1), (32, 64, 64), (70, 72, 96))),
    ],
    ids=str,
)
def test_result_is_that_of_the_product(
    runner: Runner, name: str, interleave: int, sizes: tuple[int, int, int]
) -> None:
    y, right = run(runner, product(name, sizes, interleave), name, sizes, "n k")
    np.testing.assert_array_equal(y, right)


@pytest.mark.parametrize("name", ELEMENTS)
@pytest.mark.parametrize(
    ("interleave", "sizes"),
    [
        *((interleave, (45, 67, 33)) for interleave in (1, 4)),
        *((1, sizes) for sizes in ((1, 1, 1), (70, 127, 96), (64, 66, 40))),
        (4, (33, 72, 64)),
    ],
    ids=str,
)
def test_exchanged_result(
    runner: Runner, name: str, interleave: int, sizes: tuple[int, int, int]
) -> None:
    module = product(name, sizes, interleave, exchange=True)
    y, right = run(runner, module, name, sizes, "n k")
    np.testing.assert_array_equal(y, right)


@pytest.mark.parametrize("after", MOVED)
def test_exchanged_result_is_moved(runner: Runner, after: str) -> None:
    sizes = (45, 67, 33)
    module = product("f16", sizes, 1, after, order="k n", exchange=True)
    y, right = run(runner, module, "f16", sizes, "k n")
    np.testing.assert_array_equal(y, NUMPY[after](right))


@pytest.mark.parametrize("name", ELEMENTS)
def test_rhs_along_its_columns_is_staged_in_any_order(runner: Runner, name: str) -> None:
    sizes = (33, 72, 64)
    y, right = run(runner, product(name, sizes, 4, order="k n"), name, sizes, "k n")
    np.testing.assert_array_equal(y, right)


@pytest.mark.parametrize("after", MOVED)
@pytest.mark.parametrize("sizes", [(33, 72, 64), (45, 67, 33)], ids=str)
def test_moved_result(runner: Runner, after: str, sizes: tuple[int, int, int]) -> None:
    y, right = run(runner, product("f16", sizes, 4, after), "f16", sizes, "n k")
    np.testing.assert_array_equal(y, NUMPY[after](right))


def test_stores_of_a_cut_between_runs_are_wide() -> None:
    assert widths(product("f16", (64, 72, 64), 4, "cut")) == {8}
    assert widths(product("f16", (64, 72, 64), 4, "cut_inside")) == set()


def widths(module: ModuleOp) -> set[int]:
    """Return how many elements the stores to global memory take at once."""
    found: set[int] = set()
    for op in module.walk():
        if isinstance(op, gpu.CopyOp) and space_of(op.destination) is Space.GLOBAL:
            found.add(op.elements.value.data)
    return found


@pytest.mark.parametrize(
    ("name", "columns", "interleave", "width"),
    [
        ("f16", 128, 1, 2),
        ("f16", 128, 4, 8),
        ("f16", 100, 4, 4),
        ("warpgroup", 128, 4, 8),
        ("warpgroup", 100, 4, 4),
        ("tf32", 128, 2, 4),
        ("tf32", 70, 2, 2),
        ("f32", 128, 4, 4),
        ("f32", 70, 4, 2),
    ],
)
def test_stores_are_as_wide_as_the_columns_are_aligned(
    name: str, columns: int, interleave: int, width: int
) -> None:
    assert widths(product(name, (64, columns, 64), interleave)) == {width}


def test_exchanged_stores_are_wide_and_have_no_conflicts() -> None:
    reports: list[SimulationReport] = []
    x, w, b, r = (np.ones(s, np.float16) for s in ((64, 128), (128, 128), (128,), (64, 128)))
    module = product("f16", (64, 128, 128), 1, exchange=True)
    assert widths(module) == {4}
    run_module(module, [x, w, b, r], reports=reports)
    assert reports[0].bank_conflicts == 0


def test_matrix_loads_have_no_conflicts() -> None:
    """The lines of the rhs are staged in the order in which they are loaded."""
    reports: list[SimulationReport] = []
    x, w, b, r = (np.ones(s, np.float16) for s in ((64, 128), (128, 128), (128,), (64, 128)))
    run_module(product("f16", (64, 128, 128), 4), [x, w, b, r], reports=reports)
    assert reports[0].bank_conflicts == 0
    assert reports[0].wavefronts > 0


@pytest.mark.parametrize("order", ["n k", "k n"])
def test_threads_load_16_bytes_without_conflicts(order: str) -> None:
    """Of lines along the reduction, four steps of a column; of other lines, four columns."""
    reports: list[SimulationReport] = []
    shapes = (64, 128), (128, 128), (128,), (64, 128)
    x, w, b, r = (np.ones(s, np.float32) for s in shapes)
    module = product("f32", (64, 128, 128), 4, order=order)
    loads = [op for op in module.walk() if isinstance(op, gpu.CopyOp)]
    shared = [op for op in loads if space_of(op.source) is Space.SHARED]
    assert {op.bytes for op in shared} == {16}
    assert len(shared) == 2
    run_module(module, [x, w, b, r], reports=reports)
    assert reports[0].bank_conflicts == 0


def test_layout_and_order_of_the_rhs_go_together() -> None:
    """An edited layout is refused where the product says that the rhs is in another order. Where
    both are edited, the columns are others, since the lines are staged as before.
    """
    sizes = (32, 64, 32)
    text = str(product("f16", sizes, 4, pipeline="lower-to-loop"))
    plain = text.replace(", interleave = 4>", ">")
    with pytest.raises(VerifyException, match="the columns of 4 instructions interleaved"):
        parse_module(plain, new_context()).verify()
    module = lowered(plain.replace(" {interleave = 4 : i64}", ""), "lower-to-gpu{arch=sm_90a}")
    y, right = run(Simulated(), module, "f16", sizes, "n k")
    assert not np.array_equal(y, right)
