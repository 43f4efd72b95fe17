"""Artifacts whose kernels call cuBLASLt itself, beside products in ``f64``."""

from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from called_on_gpu import CALLED, group, loaded, product
from numpy.typing import NDArray

from dlc.compiler.targets import device_capability
from dlc.runtime.device_feeds import DeviceFeeds
from dlc.runtime.gpu_driver import Driver
from dlc.runtime.model import Model

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(device_capability() != (9, 0), reason="no GPU of compute capability 9.0"),
]

Array = NDArray[Any]

_DIGITS = {"float16": 11, "bfloat16": 8, "float32": 24, "float64": 53}
"""Of a number, the hidden one too."""

CASES = {
    "f16": ("512x768xf16", "768x1024xf16", "512x1024xf16", "", ""),
    "f16, odd": ("37x29xf16", "29x53xf16", "37x53xf16", "", ""),
    "f16, few rows of many columns": ("3x768xf16", "768x50257xf16", "3x50257xf16", "", ""),
    "f16, turned": ("128x256xf16", "384x256xf16", "128x384xf16", "transpose_rhs", ""),
    "f16, bias and relu": ("128x256xf16", "256x384xf16", "128x384xf16", "", "bias relu"),
    "f16, odd, bias": ("37x29xf16", "29x53xf16", "37x53xf16", "", "bias"),
    "f16, batch": ("12x64x32xf16", "12x32x64xf16", "12x64x64xf16", "", ""),
    "f16, batch, relu": ("12x64x32xf16", "12x32x64xf16", "12x64x64xf16", "", "relu"),
    "bf16": ("512x768xbf16", "768x1024xbf16", "512x1024xbf16", "", ""),
    "bf16, bias": ("128x256xbf16", "256x384xbf16", "128x384xbf16", "", "bias"),
    "f32": ("128x768xf32", "768x512xf32", "128x512xf32", "", ""),
    "f32, odd, bias and relu": ("37x29xf32", "29x53xf32", "37x53xf32", "", "bias relu"),
    "f32, one row": ("1x512xf32", "512x700xf32", "1x700xf32", "", ""),
    "f32, one column": ("700x512xf32", "512x1xf32", "700x1xf32", "", ""),
    "f32, long": ("64x8192xf32", "8192x64xf32", "64x64xf32", "", ""),
    "tf32": ("128x768xf32", "768x512xf32", "128x512xf32", "precision tf32", ""),
    "f64": ("128x300xf64", "300x200xf64", "128x200xf64", "", ""),
    "i8": ("64x256xi8", "96x256xi8", "64x96xi32", "transpose_rhs", ""),
}


def feeds_of(model: Model, seed: int) -> dict[str, Array]:
    """Return random numbers."""
    numbers = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for info in model.inputs:
        if info.dtype.kind == "i":
            found[info.name] = numbers.integers(-100, 100, info.shape).astype(info.dtype)
        else:
            found[info.name] = numbers.standard_normal(info.shape).astype(info.dtype)
    return found


def check(text: str, feeds: dict[str, Array], result: Array) -> None:
    """Check a result of ``product`` against that in ``f64``: sums of so many numbers, rounded."""
    x, y, *bias = (each.astype(np.float64) for each in feeds.values())
    y = y.swapaxes(-1, -2) if "transpose_rhs" in text else y
    exact, magnitude = x @ y, np.abs(x) @ np.abs(y)
    for each in bias:
        exact, magnitude = exact + each, magnitude + np.abs(each)
    exact = np.maximum(exact, 0) if "graph.relu" in text else exact
    if result.dtype == np.int32:
        np.testing.assert_array_equal(result, exact)
        return
    digits = 53 if result.dtype == np.float64 else 24
    factors = 2.0**-9 if "tf32" in text else 0.0
    # Tensor cores cut off what they add instead of rounding it: twice the error of each addition.
    allowed = magnitude * (x.shape[-1] * 2.0 ** (2 - digits) + factors)
    allowed += np.abs(exact) * 2.0 ** -_DIGITS[result.dtype.name]
    allowed += float(ml_dtypes.finfo(result.dtype).smallest_subnormal)
    assert np.all(np.abs(result.astype(np.float64) - exact) <= allowed)


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_a_product_is_right(case: tuple[str, str, str, str, str], tmp_path: Path) -> None:
    model = loaded("cublaslt", tmp_path, text := product(*case))
    for seed in range(3):
        feeds = feeds_of(model, seed)
        check(text, feeds, model(*feeds.values())[0])


@pytest.mark.parametrize("algorithm", range(3))
def test_another_algorithm_is_right(algorithm: int, tmp_path: Path) -> None:
    sizes = "512x768xf16", "768x1024xf16", "512x1024xf16"
    model = loaded(
        "cublaslt", tmp_path, text := product(*sizes, library=f", algorithm = {algorithm}")
    )
    check(text, feeds := feeds_of(model, 0), model(*feeds.values())[0])


@pytest.mark.parametrize("case", ["f16, bias and relu", "f32, odd, bias and relu", "f16, batch"])
def test_buffers_may_move_from_run_to_run(case: str, tmp_path: Path) -> None:
    """In the graph, whose nodes get new addresses, and by steps, on the stream itself."""
    model = loaded("cublaslt", tmp_path, text := product(*CASES[case]))
    driver = Driver()
    with driver.context(0), driver.stream() as stream:
        for seed in range(4):
            feeds = feeds_of(model, seed)
            with DeviceFeeds.of(driver, model, feeds) as device:
                if seed % 2:
                    steps = model.step_runner(device.inputs, device.outputs, stream)
                    steps(0, len(model.steps()))
                else:
                    model.enqueue(device.inputs, device.outputs, stream)
                check(text, feeds, device.results()[0])


def chain(count: int, size: int) -> str:
    """Return a model of so many products, each between kernels."""
    type = f"tensor<{size}x{size}xf16>"
    mapped = 'strategy = "map", target = "gpu", threads = 256, vector = 4'
    matmul = f"graph.matmul %a, %b : ({type}, {type}) -> {type}"
    groups, last = list[str](), "%x"
    for n in range(count):
        groups.append(
            group(f"e{n}", {last: type}, type, mapped, f"graph.tanh %a : {type} -> {type}")
        )
        groups.append(group(f"g{n}", {f"%e{n}": type, "%y": type}, type, CALLED, matmul))
        last = f"%g{n}"
    head, end = f"@main(%x: {type}, %y: {type}) -> {type}", f"func.return {last} : {type}"
    return f"func.func {head} {{\n{''.join(groups)}  {end}\n}}"


def test_calls_and_kernels_take_turns(tmp_path: Path) -> None:
    """A value that was not ready, or was overwritten, would be far off."""
    model = loaded("cublaslt", tmp_path, chain(6, 256))
    x, y = feeds_of(model, 0).values()
    y = (y / 16).astype(np.float16)
    exact = x.astype(np.float64)
    for _ in range(6):
        exact = np.tanh(exact) @ y.astype(np.float64)
    first = model(x, y)[0]
    error = np.linalg.norm(first.astype(np.float64) - exact) / np.linalg.norm(exact)
    assert error < 12 * 2.0**-9  # twelve results are rounded to 11 digits, each error at most grows
    for _ in range(20):
        np.testing.assert_array_equal(model(x, y)[0], first)
