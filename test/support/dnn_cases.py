"""What is run where cuDNN, or a small library in its place, computes; and what is right then."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from dnn_models import convolution, normalization
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
}  # fmt: skip
"""Sums of small integers, which are exact in any order: each result is rounded once."""

ROUNDED = {
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


def exact(text: str, feeds: dict[str, Array]) -> Array:
    """Return what the only result of a model is in ``f64``, rounded once; feeds are in order."""
    module = parse_module(text, new_context())
    names = input_names(find_main(module))
    named = dict(zip(names, feeds.values(), strict=True))
    (result,) = run_reference(module, named, WeightStore()).values()
    return result
