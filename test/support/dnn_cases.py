"""What is run where cuDNN, or a small library in its place, computes; and what is right then."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from dnn_models import alone, convolution, normalization, pooling
from numpy.typing import NDArray

from dlc.analysis.entry import find_main, input_names
from dlc.compiler.emission import emit
from dlc.compiler.options import Options
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.oracle import run_reference
from dlc.registry import new_context
from dlc.runtime.library import TensorInfo

Array = NDArray[Any]

ONE = ("2x13x11x16xf16", "24x3x3x16xf16", "2x13x11x24xf16")
PADDED = "1, 1, 1, 1"

APART: dict[str, Any] = {"layout": "oihw", "is_apart": True}

EXACT = {
    "f16": convolution(*ONE, padding=PADDED),
    "bias": convolution(*ONE, "bias", padding=PADDED),
    "relu": convolution(*ONE, "relu", padding=PADDED),
    "bias, then relu": convolution(*ONE, "bias", "relu", padding=PADDED),
    "relu, then bias": convolution(*ONE, "relu", "bias", padding=PADDED),
    "residual, then relu": convolution(*ONE, "residual", "relu", padding=PADDED),
    "two numbers": convolution(*ONE, "bias", "affine", padding=PADDED),
    "bf16": convolution(*(x.replace("f", "bf") for x in ONE), "bias", "relu", padding=PADDED),
    "one tap": convolution("1x7x7x64xf16", "32x1x1x64xf16", "1x7x7x32xf16", "bias"),
    "strides": convolution(
        "1x15x13x8xf16", "16x3x3x8xf16", "1x8x5x16xf16", "bias", "relu", strides="2, 3",
        padding="0, 1, 2, 1",
    ),
    "dilations": convolution(
        "1x15x13x8xf16", "16x3x3x8xf16", "1x11x7x16xf16", "bias", dilations="2, 3"
    ),
    "groups": convolution("1x9x9x32xf16", "64x3x3x8xf16", "1x9x9x64xf16", groups=4, padding=PADDED),
    "three axes": convolution(
        "1x5x6x7x16xf16", "24x3x3x3x16xf16", "1x5x6x7x24xf16", "relu", strides="1, 1, 1",
        padding="1, 1, 1, 1, 1, 1", dilations="1, 1, 1",
    ),
    "channels first": convolution(
        "2x16x13x11xf16", "24x16x3x3xf16", "2x24x13x11xf16", "bias", "relu", padding=PADDED, **APART
    ),
    "channels first, strides": convolution(
        "1x8x15x13xf16", "16x8x3x3xf16", "1x16x8x5xf16", strides="2, 3", padding="0, 1, 2, 1",
        **APART,
    ),
    "f32, channels first": convolution(
        "2x5x13x11xf32", "24x5x3x3xf32", "2x24x13x11xf32", "bias", padding=PADDED, **APART
    ),
    "3 channels": convolution(
        "2x13x11x3xf16", "24x3x3x3xf16", "2x13x11x24xf16", "relu", padding=PADDED
    ),
    "12 channels": convolution("1x9x9x12xf16", "20x3x3x12xf16", "1x9x9x20xf16", padding=PADDED),
    "groups of one channel": convolution(
        "1x9x9x32xf16", "32x3x3x1xf16", "1x9x9x32xf16", groups=32, padding=PADDED
    ),
    "groups of one channel, then relu": convolution(
        "1x9x9x32xf16", "32x3x3x1xf16", "1x9x9x32xf16", "relu", groups=32, padding=PADDED
    ),
    "f32": convolution(*(x.replace("f16", "f32") for x in ONE), "bias", "relu", padding=PADDED),
    "f32, two numbers": convolution(
        *(x.replace("f16", "f32") for x in ONE), "affine", padding=PADDED
    ),
    "f32, 3 channels": convolution(
        "2x13x11x3xf32", "24x3x3x3xf32", "2x13x11x24xf32", "relu", padding=PADDED
    ),
    "f32, groups of one channel": convolution(
        "1x9x9x32xf32", "32x3x3x1xf32", "1x9x9x32xf32", "bias", groups=32, padding=PADDED
    ),
    "f32, three axes": convolution(
        "1x5x6x7x16xf32", "24x3x3x3x16xf32", "1x5x6x7x24xf32", "bias", "relu", strides="1, 1, 1",
        padding="1, 1, 1, 1, 1, 1", dilations="1, 1, 1",
    ),
}  # fmt: skip
"""Sums of small integers, which are exact in any order: each result is rounded once."""

WEIGHTED = {
    "hwio": convolution(
        "2x13x11x16xf16", "3x3x16x24xf16", "2x13x11x24xf16", "bias", padding=PADDED,
        layout="hwio", is_weighted=True,
    ),
    "hwio of f32": convolution(
        "2x13x11x16xf32", "3x3x16x24xf32", "2x13x11x24xf32", "relu", padding=PADDED,
        layout="hwio", is_weighted=True,
    ),
    "hwio of groups of one channel": convolution(
        "1x9x9x32xf16", "3x3x1x32xf16", "1x9x9x32xf16", groups=32, padding=PADDED,
        layout="hwio", is_weighted=True,
    ),
    "oihw of three axes": convolution(
        "1x5x6x7x16xf16", "24x16x3x3x3xf16", "1x5x6x7x24xf16", strides="1, 1, 1",
        padding="1, 1, 1, 1, 1, 1", dilations="1, 1, 1", layout="oihw", is_weighted=True,
    ),
    "ohwi": convolution(*ONE, padding=PADDED, is_weighted=True),
}  # fmt: skip
"""The same, with a constant weight ``@w``, whose order of axes the call may choose."""

WINDOW = ("3, 3", "2, 2", "1, 1, 1, 1")

POOLED = {
    "largest": pooling("max_pool", "2x13x11x24xf16", "2x7x6x24xf16", *WINDOW),
    "largest of f32, odd channels": pooling("max_pool", "2x13x11x3xf32", "2x7x6x3xf32", *WINDOW),
    "largest, rounded up": pooling(
        "max_pool", "1x14x14x16xf16", "1x7x7x16xf16", "3, 3", "2, 2", "0, 0, 0, 0",
        more="ceil_mode",
    ),
    "other steps": pooling(
        "max_pool", "1x9x9x8xf16", "1x5x4x8xf16", "2, 3", "2, 2", "0, 0, 1, 0"
    ),
}  # fmt: skip
"""Models of poolings that are exact."""

SPACE = ("1x4x6x8x16xf16", "1x2x3x4x16xf16", "2, 2, 2", "2, 2, 2", "0, 0, 0, 0, 0, 0")

MISCOMPUTED = {
    "largest of bf16": pooling("max_pool", "2x13x11x24xbf16", "2x7x6x24xbf16", *WINDOW),
    "mean of bf16": pooling("average_pool", "2x13x11x24xbf16", "2x7x6x24xbf16", *WINDOW),
    "largest of three axes": pooling("max_pool", *SPACE),
}
"""Models of poolings that cuDNN 9.19 computes wrongly."""

MEANS = {
    "mean of what is inside": pooling("average_pool", "2x13x11x24xf16", "2x7x6x24xf16", *WINDOW),
    "mean of three axes": pooling("average_pool", *SPACE),
    "mean of f32": pooling("average_pool", "2x13x11x5xf32", "2x7x6x5xf32", *WINDOW),
    "mean with padding": pooling(
        "average_pool", "2x13x11x24xf16", "2x7x6x24xf16", *WINDOW, more="count_include_pad"
    ),
    "mean, rounded up": pooling(
        "average_pool", "1x14x14x16xf16", "1x7x7x16xf16", "3, 3", "2, 2", "0, 0, 0, 0",
        more="ceil_mode",
    ),
    "mean of all": alone("reduce_mean %x axes [1, 2] keep_dims", "2x7x7x40xf16", "2x1x1x40xf16"),
    "mean of all, odd channels": alone(
        "reduce_mean %x axes [1, 2]", "1x13x13x1001xf32", "1x1001xf32"
    ),
}  # fmt: skip
"""Models of poolings that are rounded: to the digits of the type, of sums in f32."""

ELEMENTWISE = {
    "relu": alone("relu %x", "2x7x5x24xf16"),
    "relu of f32": alone("relu %x", "1x3x5x7xf32"),
    "relu of one axis": alone("relu %x", "1001xf32"),
    "sum": alone("add %x, %r : ({x}, {r}) -> {y}", "2x7x5x24xf16", r="2x7x5x24xf16"),
    "sum, then relu": alone(
        "add %x, %r : ({x}, {r}) -> {x}\nrelu %0", "2x7x5x24xf32", r="2x7x5x24xf32"
    ),
    "a factor and a summand of channels": alone(
        "mul %x, %s : ({x}, {s}) -> {x}\nadd %0, %t : ({x}, {t}) -> {x}\nrelu %1",
        "2x7x5x24xbf16", s="24xbf16", t="24xbf16",
    ),
    "difference of f32": alone("sub %x, %r : ({x}, {r}) -> {y}", "7x30xf32", r="7x30xf32"),
}  # fmt: skip
"""Models of functions of elements, exact for small integers, in any layout."""

FUNCTIONS = {
    name: alone(f"{name} %x", "2x7x5x24xf16") for name in ("sigmoid", "tanh", "gelu")
} | {
    "swish": alone("sigmoid %x : {x} -> {x}\nmul %x, %0 : ({x}, {x}) -> {x}", "2x7x5x24xf16"),
    "sigmoid of f32": alone("sigmoid %x", "9x24xf32"),
    "sigmoid of bf16": alone("sigmoid %x", "9x24xbf16"),
}  # fmt: skip
"""The same, right within two roundings."""

ROUNDED = {
    "swish of f32": convolution(
        *(x.replace("f16", "f32") for x in ONE), "bias", "swish", padding=PADDED
    ),
    "swish": convolution(*ONE, "bias", "swish", padding=PADDED),
    "sigmoid": convolution(*ONE, "sigmoid", padding=PADDED),
    "tanh": convolution(*ONE, "bias", "tanh", padding=PADDED),
    "gelu": convolution(*ONE, "bias", "gelu", padding=PADDED),
}

Case = tuple[str, str, str, str, bool]


def _case(query: str, key: str, turned: bool = False) -> Case:
    return query, key, key, query, turned


ATTENTION = {
    "short": _case("1x2x16x64xf16", "1x2x16x64xf16"),
    "odd": _case("2x3x197x64xf16", "2x3x197x64xf16"),
    "turned": _case("2x3x129x64xf16", "2x3x129x64xf16", turned=True),
    "longer keys": _case("1x4x65x128xf16", "1x4x300x128xf16"),
    "short values": ("1x4x64x64xf16", "1x4x128x64xf16", "1x4x128x32xf16", "1x4x64x32xf16", True),
}
"""Types of a query, keys, values and what attention gives, and whether that is turned."""

NORMALIZATION = {
    "layer norm": normalization("layer_norm", "2x67x768xf16", "768xf16", 2, is_biased=True),
    "bf16": normalization("layer_norm", "67x768xbf16", "768xbf16", 1, is_biased=True),
    "a row": normalization("layer_norm", "1x1000xf16", "1000xf16", 1, is_biased=True),
    "1000 elements of bf16": normalization(
        "layer_norm", "33x1000xbf16", "1000xbf16", 1, is_biased=True
    ),
    "odd elements": normalization("layer_norm", "3x125xf16", "125xf16", 1, is_biased=True),
    "two axes": normalization("layer_norm", "5x6x32xf16", "6x32xf16", 1, is_biased=True),
    "without a bias": normalization("layer_norm", "5x768xf16", "768xf16", 1, is_biased=False),
    "rms norm": normalization("rms_norm", "67x768xf16", "768xf16", 1, is_biased=False),
    "rms norm of bf16, with a bias": normalization(
        "rms_norm", "5x1000xbf16", "1000xbf16", 1, is_biased=True
    ),
}
"""Models that are not divided into groups yet. Their first input is the data, then come the scale
and maybe the bias.
"""


def weights_of(text: str, seed: int = 0) -> dict[str, Array]:
    """Return small integers for the weight ``@w`` of a model, if it has one."""
    found = re.search(r"graph.weight @w : tensor<([\dx]+)x(f16|f32)>", text)
    if found is None:
        return {}
    sizes = tuple(map(int, found[1].split("x")))
    type = np.float16 if found[2] == "f16" else np.float32
    return {"w": np.random.default_rng(seed).integers(-3, 4, sizes).astype(type)}


def grouped(graph: str, folder: Path) -> str:
    """Return a model of one group in which cuDNN computes it."""
    source = folder / "graph.mlir"
    source.write_text(graph)
    text = emit(source, Options("sm_90a", weights_from={}), "fused-group")
    head, schedule = "#loop.schedule<", '#loop.schedule<library = "cudnn", '
    assert text.count(head) == 1
    return text.replace(head, schedule)


def feeds_of(inputs: Sequence[TensorInfo], seed: int, largest: int) -> dict[str, Array]:
    """Return random integers up to ``largest``, random numbers where that is 0."""
    numbers = np.random.default_rng(seed)
    found: dict[str, Array] = {}
    for info in inputs:
        drawn = numbers.integers(-largest, largest + 1, info.shape)
        found[info.name] = (drawn if largest else numbers.standard_normal(info.shape)).astype(
            info.dtype
        )
    return found


def exact(text: str, feeds: dict[str, Array], weights: Mapping[str, Array] | None = None) -> Array:
    """Return what the only result of a model is in ``f64``, rounded once; feeds are in order."""
    store = WeightStore()
    for name, weight in (weights or {}).items():
        store.define(name, weight)
    module = parse_module(text, new_context())
    names = input_names(find_main(module))
    named = dict(zip(names, feeds.values(), strict=True))
    (result,) = run_reference(module, named, store).values()
    return result
