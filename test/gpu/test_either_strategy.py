"""Products that threads do alone or in tiles, and short rows, by each strategy that offers them."""

import numpy as np
import pytest
from lowered import lowered
from simulated import Runner
from test_rows_and_elements import HALF_EPS, group

MAP = 'strategy = "map", target = "gpu", threads = 64'
TILES = (
    'strategy = "contract", target = "gpu", tile = [16, 32, 32], warps = [1, 2], '
    'instruction = "mma.m16n8k16"'
)


@pytest.mark.parametrize("schedule", [MAP, TILES], ids=["map", "contract"])
@pytest.mark.parametrize(
    ("m", "n", "k"), [(1, 67, 1), (1, 64, 128), (2, 65, 31), (3, 5, 127), (67, 1, 64), (65, 3, 7)]
)
def test_narrow_product(runner: Runner, m: int, n: int, k: int, schedule: str) -> None:
    lhs, rhs, result = (f"tensor<{a}x{b}xf16>" for a, b in ((m, k), (k, n), (m, n)))
    body = f"%p = graph.matmul %g0, %g1 : ({lhs}, {rhs}) -> {result}\n"
    body += f"%r = graph.relu %p : {result} -> {result}"
    text = group(f"{lhs}, {rhs}", result, schedule, body)
    rng = np.random.default_rng(m * n * k)
    x, w = (rng.standard_normal(s).astype(np.float16) for s in ((m, k), (k, n)))
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x, w)
    exact = np.maximum(x.astype(np.float64) @ w.astype(np.float64), 0)
    magnitude = np.abs(x).astype(np.float64) @ np.abs(w).astype(np.float64)
    bound = HALF_EPS * exact + k * 2.0**-23 * magnitude + float(np.finfo(np.float16).tiny)
    assert (np.abs(y - exact) <= bound).all()


@pytest.mark.parametrize("length", [2, 3, 5, 7, 10, 16, 31])
@pytest.mark.parametrize(
    "keys", ["threads = 4, rows = 64", "threads = 8, rows = 32", "threads = 32, rows = 3"]
)
def test_softmax_of_short_rows(runner: Runner, length: int, keys: str) -> None:
    full = f"tensor<67x{length}xf16>"
    body = f"%r = graph.softmax %g0 axis 1 : {full} -> {full}"
    text = group(full, full, f'strategy = "row", target = "gpu", {keys}', body)
    x = (8 * np.random.default_rng(length).standard_normal((67, length))).astype(np.float16)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    exact = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    exact /= exact.sum(1, keepdims=True)
    smallest = float(np.finfo(np.float16).smallest_subnormal)
    assert (np.abs(y - exact) <= 2 * HALF_EPS * exact + smallest).all()


@pytest.mark.parametrize("length", [2, 3, 7, 31])
@pytest.mark.parametrize("keys", ["threads = 1, rows = 64", "threads = 4, rows = 64, vector = 2"])
def test_sums_across_short_rows(runner: Runner, length: int, keys: str) -> None:
    full, result = f"tensor<3x{length}x70xf32>", "tensor<3x70xf32>"
    body = f"%r = graph.reduce_sum %g0 axes [1] : {full} -> {result}"
    text = group(full, result, f'strategy = "row", target = "gpu", lanes = "across", {keys}', body)
    x = np.random.default_rng(length).standard_normal((3, length, 70)).astype(np.float32)
    (y,) = runner.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={runner.target}}}"), x)
    magnitude = np.abs(x.astype(np.float64)).sum(1)
    bound = length * np.finfo(np.float32).eps * magnitude
    assert (np.abs(y - x.astype(np.float64).sum(1)) <= bound).all()
