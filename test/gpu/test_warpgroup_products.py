"""Products of warpgroups: every row, every way in which the factors may lie."""

import numpy as np
import pytest
from fragment_values import DTYPES
from lowered import lowered
from simulated import Runner
from warpgroup_products import Case, arguments, kernel, sums_of_threads

from dlc.arch import instructions
from dlc.arch.instruction import Instruction
from dlc.arch.matrix_descriptor import ROW_BYTES
from dlc.arch.scope import Scope
from dlc.backends.cuda.cubins import compile_kernels
from dlc.dialects.graph.structure import Array

ROWS = [row for row in instructions.rows() if row.scope is Scope.WARPGROUP]
WIDTHS = (8, 24, 64, 96, 256)
"""Columns for which the factors lie in all ways: less than a row of them, one and a half, many."""
LAYOUTS = [
    Case(it, rows_a, rows_b, transpose_a and bool(rows_a), transpose_b)
    for it in ROWS
    if it.n in WIDTHS and it.c.element == "f32" and it.element != "bf16"  # it lies as f16
    for transpose_a, transpose_b in ((False, False), (False, True), (True, False), (True, True))
    if it.element == "f16" or not (transpose_a or transpose_b)
    for rows_a, rows_b in ((128, 64), (64, 32), (32, 128), (0, 128))
    if rows_a or not transpose_a
] + [
    Case(it, *rows)
    for it in ROWS
    if it.n == 96 and it.element == "i8"
    for rows in ((64, 32), (0, 64))
]
COMPILED = [case for case in LAYOUTS if case.it.n in (24, 256)]


def integers(seed: int, rows: int, columns: int, element: str | None) -> Array:
    """Return small integers, whose products and sums are exact in every type here."""
    type = DTYPES[str(element)]
    least = 0 if type is np.uint8 else -4
    return np.random.default_rng(seed).integers(least, 5, (rows, columns)).astype(type)


def wide(x: Array) -> Array:
    """Return the same values in f64."""
    return x.astype(np.float64)


def run(runner: Runner, case: Case, a: Array, b: Array, c: Array) -> Array:
    """Return what the threads hold of ``c + a @ b.T``."""
    if runner.target != "sm_90a":
        pytest.skip(f"{runner.target} has no products of warpgroups")
    module = lowered(kernel(case), "gpu-check-limits{arch=sm_90a}")
    (y,) = runner.run(module, *arguments(case, a, b, c))
    return y


@pytest.mark.parametrize("case", [*map(Case, ROWS), *LAYOUTS], ids=str)
def test_product_of_integers(runner: Runner, case: Case) -> None:
    """Exact, so that an element that is taken from a wrong place is seen."""
    it = case.it
    a = integers(1, it.m, case.depth, it.a.element)
    b = integers(2, it.n, case.depth, it.b.element)
    c = integers(3, it.m, it.n, it.c.element)
    wanted = (wide(c) + wide(a) @ wide(b).T).astype(c.dtype)
    np.testing.assert_array_equal(run(runner, case, a, b, c), sums_of_threads(wanted, case))


def without_last_bits(x: Array, it: Instruction) -> Array:
    """Return f32 as the instruction sees it."""
    bits = it.ignored_bits
    return (x.view(np.uint32) >> bits << bits).view(np.float32) if bits else x


@pytest.mark.parametrize(
    "it", [it for it in ROWS if it.n == 128 and it.c.element == "f32"], ids=str
)
def test_product_of_random_numbers(runner: Runner, it: Instruction) -> None:
    """Against f64: each of the terms may be cut off to f32 once, at the size of the sum so far."""
    case, generator = Case(it), np.random.default_rng(7)
    type = DTYPES[str(it.a.element)]
    a = generator.standard_normal((it.m, case.depth)).astype(type)
    b = generator.standard_normal((it.n, case.depth)).astype(type)
    c = generator.standard_normal((it.m, it.n)).astype(np.float32)
    y = run(runner, case, a, b, c)
    x, w = (wide(without_last_bits(factor, it)) for factor in (a, b))
    sizes = np.abs(wide(c)) + np.abs(x) @ np.abs(w).T
    bound = sums_of_threads(sizes * (case.depth + 1) * np.finfo(np.float32).eps, case)
    assert (np.abs(y - sums_of_threads(wide(c) + x @ w.T, case)) <= bound).all()


def test_every_size_of_rows_is_tried() -> None:
    assert {case.rows_b for case in LAYOUTS} == set(ROW_BYTES)
    assert {case.rows_a for case in LAYOUTS} == {0, *ROW_BYTES}


@pytest.mark.parametrize("case", COMPILED, ids=str)
def test_kernel_compiles(case: Case) -> None:
    """An error where the assembler lets one product wait for another (``compile_cuda``)."""
    module = lowered(kernel(case), "gpu-check-limits{arch=sm_90a}")
    (compiled,) = compile_kernels(module, "sm_90a")
    assert compiled.resources.spill_bytes == 0
