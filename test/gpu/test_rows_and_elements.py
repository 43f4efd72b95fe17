"""Kernels of the strategies ``map`` and ``row`` on the GPU, against the formula in float64."""

import numpy as np
import pytest
from launch import Gpu, lowered

pytestmark = pytest.mark.gpu

SIZES = (1, 7, 128, 1009, 4100)
HALF_EPS = 2.0**-11
"""The rounding of a result to f16; what is before it is in f32, whose error is far below."""


def group(types: str, result: str, schedule: str, body: str) -> str:
    """Return a module of one group on the arguments ``types``."""
    names = [f"%x{i}" for i, _ in enumerate(types.split(", "))]
    outer = ", ".join(f"{n}: {t}" for n, t in zip(names, types.split(", "), strict=True))
    inner = outer.replace("%x", "%g")
    return (
        f"func.func @main({outer}) -> {result} {{\n"
        f"%y = fused_group.group @g({', '.join(names)}) : ({types}) -> {result} "
        f"attributes {{schedule = #loop.schedule<{schedule}>}} {{\n"
        f"^bb0({inner}):\n{body}\nfused_group.yield %r : {result} }}\n"
        f"func.return %y : {result} }}"
    )


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("schedule", ["threads = 96", "threads = 128, vector = 4"])
def test_add_with_broadcast(gpu: Gpu, size: int, schedule: str) -> None:
    full, row = f"tensor<3x{size}xf16>", f"tensor<{size}xf16>"
    body = f"%r = graph.add %g0, %g1 : ({full}, {row}) -> {full}"
    text = group(f"{full}, {row}", full, f'strategy = "map", {schedule}', body)
    rng = np.random.default_rng(size)
    x, b = (rng.standard_normal(s).astype(np.float16) for s in ((3, size), (size,)))
    (y,) = gpu.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={gpu.target}}}"), x, b)
    np.testing.assert_array_equal(y, (x.astype(np.float32) + b).astype(np.float16))


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "schedule",
    ["threads = 32, rows = 4, vector = 4", "threads = 64", "threads = 96", "threads = 1024"],
)
def test_softmax(gpu: Gpu, size: int, schedule: str) -> None:
    full = f"tensor<5x{size}xf16>"
    body = f"%r = graph.softmax %g0 axis 1 : {full} -> {full}"
    text = group(full, full, f'strategy = "row", {schedule}', body)
    x = (8 * np.random.default_rng(size).standard_normal((5, size))).astype(np.float16)
    (y,) = gpu.run(lowered(text, f"lower-to-loop,lower-to-gpu{{arch={gpu.target}}}"), x)
    exact = np.exp(x.astype(np.float64) - x.max(1, keepdims=True))
    exact /= exact.sum(1, keepdims=True)
    smallest = float(np.finfo(np.float16).smallest_subnormal)
    bound = 2 * HALF_EPS * exact + smallest
    assert (np.abs(y - exact) <= bound).all()
