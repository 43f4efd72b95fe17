"""The functions of the C prelude: errors in ulp over all exponents, and 16-bit conversions."""

import ctypes
import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from ml_dtypes import bfloat16

from dlc import arch
from dlc.backends.c import COMPILER_FLAGS, c_prelude
from dlc.core.c_compiler import Source, find_c_compiler

# numpy says of a signalling NaN that it is invalid
pytestmark = pytest.mark.filterwarnings("ignore:invalid value encountered")

WRAPPERS = """
void over_{name}(const {from_} *x, {to} *y, long n) {{
  #pragma omp simd
  for (long i = 0; i < n; ++i) y[i] = {name}(x[i]);
}}
"""
SIGNATURES = {
    **{f"dlc_{f}f": ("float", "float") for f in ("exp", "expm1", "log", "log1p", "tanh", "erf")},
    "dlc_load_f16": ("unsigned short", "float"),
    "dlc_store_f16": ("float", "unsigned short"),
    "dlc_load_bf16": ("unsigned short", "float"),
    "dlc_store_bf16": ("float", "unsigned short"),
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    text = c_prelude() + "".join(
        WRAPPERS.format(name=n, from_=f, to=t) for n, (f, t) in SIGNATURES.items()
    )
    options = (*COMPILER_FLAGS, *arch.host().compiler_flags, "-fvisibility=default")
    compiler = find_c_compiler()
    objects = compiler.compile_objects([Source("functions.c", text, options)], {}, 1)
    path = Path(tmp_path_factory.mktemp("c"), "functions.so")
    compiler.link_library(objects, ["-lm"], path)
    return ctypes.CDLL(str(path))


def call(library: ctypes.CDLL, name: str, x: np.ndarray, dtype: type) -> np.ndarray:
    y = np.empty(x.shape, dtype)
    pointers = (ctypes.c_void_p(a.ctypes.data) for a in (x, y))
    getattr(library, f"over_{name}")(*pointers, ctypes.c_long(x.size))
    return y


def sampled_floats() -> np.ndarray:
    """Return floats of every sign and exponent, NaN and infinities included: 4096 apart in bits."""
    return np.arange(0, 1 << 32, 4093, dtype=np.int64).astype(np.uint32).view(np.float32)


@pytest.mark.parametrize(
    ("name", "function", "ulps"),
    [
        ("dlc_expf", math.exp, 2),
        ("dlc_expm1f", math.expm1, 4),
        ("dlc_logf", math.log, 2),
        ("dlc_log1pf", lambda x: -math.inf if x == -1 else math.log1p(x), 4),
        ("dlc_tanhf", math.tanh, 3),
        ("dlc_erff", math.erf, 3),
    ],
)
def test_error_is_bounded(
    library: ctypes.CDLL, name: str, function: Callable[[float], float], ulps: int
) -> None:
    dense = np.linspace(-5, 5, 100_001, dtype=np.float32)
    x = np.concatenate([sampled_floats(), dense])
    found = call(library, name, x, np.float32)
    right = np.array([_exactly(function, v) for v in x.astype(np.float64)])
    with np.errstate(over="ignore"):
        stored = right.astype(np.float32)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(right))
    infinite = np.isinf(stored)
    np.testing.assert_array_equal(found[infinite], stored[infinite])
    finite = np.isfinite(stored)
    spacing = np.spacing(np.abs(stored[finite])).astype(np.float64)
    error = np.abs(found[finite].astype(np.float64) - right[finite]) / spacing
    worst = int(np.argmax(error))
    assert error[worst] <= ulps, f"{error[worst]} ulp at {x[finite][worst]!r}"


def _exactly(function: Callable[[float], float], x: float) -> float:
    try:
        return function(x)
    except OverflowError:
        return math.inf
    except ValueError:  # the logarithm of what has none
        return -math.inf if x == 0 else math.nan


@pytest.mark.parametrize(("name", "dtype"), [("f16", np.float16), ("bf16", bfloat16)])
def test_16_bit_floats_convert_as_numpy_does(library: ctypes.CDLL, name: str, dtype: type) -> None:
    bits = np.arange(1 << 16, dtype=np.uint16)
    widened = call(library, f"dlc_load_{name}", bits, np.float32)
    np.testing.assert_array_equal(widened, bits.view(dtype).astype(np.float32))
    floats = sampled_floats()
    ties = (widened[:-1].astype(np.float64) + widened[1:]) / 2
    x = np.concatenate([floats, ties[np.isfinite(ties)].astype(np.float32)])
    with np.errstate(over="ignore"):
        right = x.astype(dtype)
    found = call(library, f"dlc_store_{name}", x, np.uint16).view(dtype)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(right))
    number = ~np.isnan(right)
    np.testing.assert_array_equal(found[number].view(np.uint16), right[number].view(np.uint16))
