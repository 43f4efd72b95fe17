"""Convolutions of cuDNN with what follows: which groups it computes, their calls and prices."""

from collections.abc import Mapping
from typing import Any

import pytest
from dnn_calls import (
    ADD,
    CONV,
    CONVOLVED,
    NO_FIT,
    NOTHING,
    PRODUCT,
    SUM,
    VECTOR,
    WEIGHT,
    Edits,
    X,
    Y,
    edited,
    refused,
    seconds,
)
from dnn_clusters import (
    APART,
    BIAS,
    CONVOLUTIONS,
    F32,
    LAYOUT,
    ORDERED,
    POOLINGS,
    RELU,
    RESIDUAL,
    SINGLE,
    TANH,
    VOLUME,
    convolved,
    scalar,
)
from library_contract import check_refused, check_taken
from programs import cluster

from dlc.analysis.dataflow import Cluster
from dlc.arch.nvidia import H200
from dlc.dialects.loop.attributes import CallAttr
from dlc.libraries.cudnn import LIBRARY

EXP = "%{n} = graph.exp %{p} : {z} -> {z}"
LINE: dict[str, Any] = {"x": "2x9x16xf16", "w": "24x3x16xf16", "z": "2x7x24xf16"}


@pytest.mark.parametrize("asked", (CONVOLUTIONS | ORDERED).values(), ids=CONVOLUTIONS | ORDERED)
def test_a_convolution_is_taken(asked: Cluster) -> None:
    check_taken(LIBRARY, asked, H200)


BOTH = cluster("%0 = relu %x : 4x8\n%1 = exp %0 : 4x8", "%0: tensor<4x8xf32>, %1: tensor<4x8xf32>")
LARGER = cluster(
    f"%0 = graph.conv %x, %w strides [1, 1] padding [0, 0, 0, 0] dilations [1, 1] {LAYOUT} : "
    "(tensor<1x7x5x8xf16>, tensor<8x1x1x8xf16>) -> tensor<1x7x5x8xf16>\n"
    "%1 = graph.add %0, %v : (tensor<1x7x5x8xf16>, tensor<2x7x5x8xf16>) -> tensor<2x7x5x8xf16>",
    "%1: tensor<2x7x5x8xf16>",
    "%x: tensor<1x7x5x8xf16>, %w: tensor<8x1x1x8xf16>, %v: tensor<2x7x5x8xf16>",
)
ONE = "%c = graph.constant dense<{}> : tensor<{}x{{e}}>\n"
NUMBERS = ONE.format(list(range(24)), 24) + "%1 = graph.add %0, %c : ({z}, tensor<24x{e}>) -> {z}"
FROM = ONE.format("1.0", 1) + "%1 = graph.sub %c, %0 : (tensor<1x{e}>, {z}) -> {z}"
OWN_VIEW = (
    "%g = graph.reshape %0 : {z} -> tensor<24xf16>\n"
    "%1 = graph.mul %0, %g : ({z}, tensor<24xf16>) -> {z}"
)
ONE_POSITION: dict[str, Any] = {"x": "1x3x3x16xf16", "z": "1x1x1x24xf16"}
DISTANT: dict[str, Any] = {
    "x": "2x40000x40000x8xf16",
    "w": "8x1x1x8xf16",
    "z": "2x40000x40000x8xf16",
}
IN_F32 = "of f32 over three axes, cuDNN computes only a sum with a vector"
VOLUME_F32: dict[str, Any] = {name: each.replace("f16", "f32") for name, each in VOLUME.items()}
NOT_CONVOLVED = {
    "an op alone": (
        NOTHING,
        cluster("%1 = exp %x : 4x8", "%1: tensor<4x8xf32>"),
    ),
    "two results": ("groups with one result", BOTH),
    "f64": (
        "convolves f16, bf16, f32 here",
        convolved(x="2x9x7x16xf64", w="24x3x3x16xf64", z="2x7x5x24xf64", v="24xf64"),
    ),
    "a function of f32": ("computes tanh of 16-bit floats", convolved(TANH, **F32)),
    "a relu of f32 over three axes": (IN_F32, convolved(RELU, **VOLUME_F32)),
    "a residual of f32 over three axes": (IN_F32, convolved(RESIDUAL, **VOLUME_F32)),
    "a number of f32 over three axes": (IN_F32, convolved(scalar("add", "1.0"), **VOLUME_F32)),
    "a bias behind a relu over three axes": (IN_F32, convolved(RELU, BIAS, **VOLUME_F32)),
    "one axis": ("two or three axes", convolved(**LINE)),
    "a weight with channels first that is no constant": (
        "in the layout of the image, or a constant one",
        convolved(layout="layout channels_last", w="24x16x3x3xf16"),
    ),
    "data with channels first, and a weight that is no constant": (
        "in the layout of the image, or a constant one",
        convolved(layout="weight_layout ohwi", x="2x16x9x7xf16", z="2x24x7x5xf16"),
    ),
    "a residual behind channels first": (
        "with channels first, or of f32 over three axes, cuDNN computes only a sum",
        convolved(RESIDUAL, RELU, **APART),
    ),
    "a vector of the last axis behind channels first": (
        "one of the channels",
        convolved(BIAS, v="5xf16", **APART),
    ),
    "an empty batch": ("nothing in memory", convolved(x="0x9x7x16xf16", z="0x7x5x24xf16")),
    "no channels": ("nothing in memory", convolved(x="2x9x7x0xf16", w="24x3x3x0xf16")),
    "a splat": (
        "nothing in memory",
        convolved(first="%u = graph.splat 1.0 : f16 -> {w}", weight="%u"),
    ),
    "pixels cut off": ("begins are integers", convolved(begin=-1, z="2x6x5x24xf16")),
    "images far apart": ("strides are integers from 0", convolved(**DISTANT)),
    "exp": ("no graph.exp behind", convolved(EXP)),
    "a larger result": ("has the shape of the result", LARGER),
    "a number less something": ("not from it", convolved(FROM)),
    "numbers": ("stands in the code", convolved(NUMBERS)),
    "what drops a NaN": ("computes no graph.max", convolved(scalar("max", "0.0"))),
    "what drops a NaN, too": ("computes no graph.min", convolved(scalar("min", "6.0"))),
    "infinity": ("cannot hold the value inf", convolved(scalar("mul", "0x7C00"))),
    "a vector of rows": ("one of the channels", convolved(BIAS, v="5x1xf16")),
    "its own view": ("reads a view of what it computes", convolved(OWN_VIEW, **ONE_POSITION)),
}


@pytest.mark.parametrize(("reason", "asked"), NOT_CONVOLVED.values(), ids=NOT_CONVOLVED)
def test_why_no_convolution_is_computed(reason: str, asked: Cluster) -> None:
    check_refused(LIBRARY, asked, H200, reason)


def test_small_groups_are_computed_with_zeros_between() -> None:
    """64 groups of 8 channels take as long as 8 of 64, though they are an eighth of the work."""
    of_8, of_64 = (
        seconds(
            convolved(
                w=f"512x3x3x{n}xf16", x="8x58x58x512xf16", z="8x56x56x512xf16", groups=512 // n
            )
        )
        for n in (8, 64)
    )
    assert of_8 == pytest.approx(of_64, rel=0.02)


def test_what_was_not_fitted_is_dear() -> None:
    """Products of all bits of f32, channels that are copied, and what follows single channels."""
    types: dict[str, Any] = {
        "x": "8x58x58x64xf16",
        "w": "64x3x3x64xf16",
        "z": "8x56x56x64xf16",
        "v": "64xf16",
    }
    wide: dict[str, Any] = {name: each.replace("f16", "f32") for name, each in types.items()}
    halves, rounded, full = (
        LIBRARY.price(asked, H200)
        for asked in (
            convolved(**types),
            convolved(layout=f"{LAYOUT} precision tf32", **wide),
            convolved(**wide),
        )
    )
    assert halves.seconds < rounded.seconds < full.seconds / 2
    assert halves.error < rounded.error == full.error
    assert halves.bound.time_s < rounded.bound.time_s < full.bound.time_s
    odd: dict[str, Any] = {**types, "x": "8x58x58x63xf16", "w": "64x3x3x63xf16"}
    assert seconds(convolved(**types)) < seconds(convolved(**odd))
    assert seconds(convolved(RELU, **SINGLE)) > seconds(convolved(**SINGLE))
    biased, other = (seconds(convolved(*each, **wide)) for each in ((BIAS, RELU), (RELU,)))
    assert full.seconds == biased < other / 10


SMALL = {"sizes": [2, 24, 1, 5]}
BOTH_SMALL = {CONVOLVED: SMALL, SUM: SMALL, PRODUCT: SMALL, Y: SMALL}
UNEVEN: Edits = {
    WEIGHT: {"sizes": [24, 1, 3, 3]},
    X: {"sizes": [2, 14, 9, 7]},
}
"""14 groups of a channel, of which 24 is no multiple."""
OTHER_SIZES = {
    "a result of less rows": (f"relu {NO_FIT}", {Y: SMALL}),
    "a summand of more rows": (f"mul {NO_FIT}", {PRODUCT: SMALL, Y: SMALL}),
    "a vector of less channels": (f"add {NO_FIT}", {VECTOR: {"sizes": [1, 8, 1, 1]}}),
    "a vector of one axis": (f"add {NO_FIT}", {VECTOR: {"sizes": [24], "strides": [1]}}),
    "less rows of all that is made": (f"convolution {NO_FIT}", BOTH_SMALL),
    "less rows of the data": (f"convolution {NO_FIT}", {X: {"sizes": [2, 16, 8, 7]}}),
    "less images": (f"convolution {NO_FIT}", {X: {"sizes": [1, 16, 9, 7]}}),
    "less channels": (f"convolution {NO_FIT}", {X: {"sizes": [2, 15, 9, 7]}}),
    "less results": (f"convolution {NO_FIT}", {WEIGHT: {"sizes": [23, 16, 3, 3]}}),
    "14 groups of 24 results": (f"convolution {NO_FIT}", UNEVEN),
    "data with channels first": (
        f"convolution {NO_FIT}",
        {X: {"strides": [1008, 63, 7, 1]}},
    ),
    "a weight with channels first": (
        f"convolution {NO_FIT}",
        {WEIGHT: {"strides": [144, 9, 3, 1]}},
    ),
    "a result with channels first": (
        f"convolution {NO_FIT}",
        {CONVOLVED: {"strides": [840, 35, 5, 1]}},
    ),
    "less taps": (f"convolution {NO_FIT}", {WEIGHT: {"sizes": [24, 16, 3, 2]}}),
    "a weight of another rank": (
        f"convolution {NO_FIT}",
        {WEIGHT: {"sizes": [24, 16, 3], "strides": [144, 1, 48]}},
    ),
    "data of another rank": (
        f"convolution {NO_FIT}",
        {X: {"sizes": [2, 16, 9], "strides": [1008, 1, 112]}},
    ),
}
OTHER_WINDOWS = {
    "another step": {"strides": [2, 1]},
    "no step": {"strides": [0, 1]},
    "one more before": {"begins": [1, 0]},
    "one more behind": {"ends": [0, 1]},
    "a gap": {"dilations": [1, 2]},
    "a window that is larger than the data": {"dilations": [9, 1]},
}


@pytest.mark.parametrize(("reason", "edits"), OTHER_SIZES.values(), ids=OTHER_SIZES)
def test_sizes_that_do_not_fit_are_refused(reason: str, edits: Edits) -> None:
    """Not all of them does cuDNN itself compare: it computes beyond a smaller tensor."""
    refused(reason, tensors=edited("tensors", edits))


@pytest.mark.parametrize("edits", OTHER_WINDOWS.values(), ids=OTHER_WINDOWS)
def test_windows_that_do_not_fit_are_refused(edits: Mapping[str, object]) -> None:
    refused(f"convolution {NO_FIT}", operations=edited("operations", {CONV: edits}))


def test_what_is_broadcast_is_the_second_input() -> None:
    swapped = {ADD: {"inputs": [VECTOR, CONVOLVED]}}
    refused(f"add {NO_FIT}", operations=edited("operations", swapped))


def is_full(call: CallAttr) -> bool:
    """Whether the code of a call asks for products of all bits."""
    return ".is_full = 1" in LIBRARY.code(call)


def test_products_of_f32_are_full_unless_they_are_rounded() -> None:
    """Of poolings and functions nothing is asked, whose engines may say that they round."""
    assert is_full(LIBRARY.call(convolved(**F32)))
    rounding = LIBRARY.call(convolved(layout=f"{LAYOUT} precision tf32", **F32))
    assert rounding.get("rounds", "") == "tf32"
    assert not is_full(rounding)
    assert not is_full(LIBRARY.call(convolved()))
    assert not any(map(is_full, map(LIBRARY.call, POOLINGS.values())))
