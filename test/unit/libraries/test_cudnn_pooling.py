"""Poolings of cuDNN: which groups it computes, their calls and prices."""

from collections.abc import Mapping

import pytest
from dnn_calls import NO_FIT, Edits, edited, seconds
from dnn_clusters import BF16_IMAGE, MEAN, POOLINGS, RELU_OF, SPACE, applied, pooled
from library_contract import check_refused, check_taken
from xdsl.dialects.builtin import MemRefType, bf16, f16
from xdsl.ir import Attribute

from dlc.analysis.dataflow import Cluster
from dlc.arch.nvidia import H200
from dlc.dialects.loop.attributes import CallAttr
from dlc.errors import CompileError
from dlc.libraries.cudnn import LIBRARY


@pytest.mark.parametrize("asked", POOLINGS.values(), ids=POOLINGS)
def test_a_pooling_or_a_function_is_taken(asked: Cluster) -> None:
    check_taken(LIBRARY, asked, H200)


SPLAT_OF = "%u = graph.splat 1.0 : f16 -> {x}"
NOT_POOLED = {
    "channels first": (
        "channels together",
        pooled("max_pool", x="2x24x9x7xf16", y="2x24x4x3xf16", layout=""),
    ),
    "one axis": (
        "two or three axes",
        applied(
            "%0 = graph.max_pool %x window [3] strides [2] padding [0, 0] dilations [1]"
            " layout channels_last : {x} -> {y}",
            x="2x9x24xf16",
            y="2x4x24xf16",
        ),
    ),
    "gaps": ("without gaps", pooled("max_pool", dilations="2, 2", y="2x3x2x24xf16")),
    "windows of padding": (
        "elements inside",
        pooled("max_pool", padding="3, 0, 3, 0", y="2x7x3x24xf16"),
    ),
    "padding behind": (
        "elements inside",
        pooled("max_pool", padding="0, 0, 3, 0", y="2x5x3x24xf16"),
    ),
    "a mean beyond the padding": (
        "beyond the padding",
        applied(
            "%0 = graph.average_pool %x window [3, 3] strides [2, 2] padding [0, 0, 0, 0]"
            " dilations [1, 1] ceil_mode count_include_pad layout channels_last : {x} -> {y}",
            x="2x10x8x24xf16",
            y="2x5x4x24xf16",
        ),
    ),
    "the largest of bf16": ("wrong values of windows in bf16", pooled("max_pool", **BF16_IMAGE)),
    "the mean of bf16": ("wrong values of windows in bf16", pooled("average_pool", **BF16_IMAGE)),
    "the largest of three axes": ("loses a NaN", pooled("max_pool", **SPACE)),
    "integers": ("pools f16, bf16, f32", pooled("max_pool", x="2x9x7x24xi32", y="2x4x3x24xi32")),
    "a relu behind it": (
        "no graph.relu beside a pooling",
        pooled("max_pool", "%1 = graph.relu %0 : {y} -> {y}"),
    ),
    "a splat": ("nothing in memory to pool", pooled("max_pool", first=SPLAT_OF, of="%u")),
    "no images": ("nothing in memory", pooled("max_pool", x="0x9x7x24xf16", y="0x4x3x24xf16")),
    "a mean of rows": (
        "of all positions",
        applied(MEAN.replace("[1, 2]", "[1]"), y="2x1x7x24xf16"),
    ),
    "a mean of channels": (
        "of all positions",
        applied(MEAN.replace("[1, 2]", "[2, 3]"), y="2x9x1x1xf16"),
    ),
    "a mean of an axis": (
        "of all positions",
        applied(MEAN.replace("[1, 2]", "[1]"), x="2x9x24xf16", y="2x1x24xf16"),
    ),
}


@pytest.mark.parametrize(("reason", "asked"), NOT_POOLED.values(), ids=NOT_POOLED)
def test_why_no_pooling_is_computed(reason: str, asked: Cluster) -> None:
    check_refused(LIBRARY, asked, H200, reason)


def test_larger_windows_and_tensors_take_longer() -> None:
    sizes = [{"x": f"{n}x58x58x64xf16"} for n in (8, 80)]
    small, large = (seconds(applied(RELU_OF, **each)) for each in sizes)
    assert small < large / 2
    assert seconds(applied(RELU_OF, RELU_OF.replace("0", "1").replace("%x", "%0"))) == seconds(
        applied(RELU_OF)
    )
    image = {"x": "8x64x64x64xf16"}
    few = seconds(pooled("max_pool", y="8x32x32x64xf16", window="2, 2", **image))
    many = seconds(pooled("max_pool", y="8x29x29x64xf16", window="8, 8", **image))
    assert few < many


IMAGE, WINDOWS = range(2)
OTHER_POOLS = {
    "a row less": {IMAGE: {"sizes": [2, 24, 8, 7]}},
    "an image less": {IMAGE: {"sizes": [1, 24, 9, 7]}},
    "a channel less": {IMAGE: {"sizes": [2, 23, 9, 7]}},
    "channels first": {IMAGE: {"strides": [1512, 63, 7, 1]}},
    "a result with channels first": {WINDOWS: {"strides": [288, 12, 3, 1]}},
    "an axis less": {IMAGE: {"sizes": [2, 24, 63], "strides": [1512, 1, 24]}},
}
OTHER_TAPS = {
    "larger windows": {"taps": [4, 3]},
    "smaller windows": {"taps": [2, 3], "ends": [1, 0]},
    "no windows": {"taps": [0, 3]},
    "other steps": {"strides": [1, 2]},
    "no steps": {"strides": [0, 2]},
    "padding before": {"begins": [2, 0]},
    "padding behind": {"ends": [2, 0]},
    "windows of padding": {"begins": [3, 0], "ends": [0, 0], "taps": [3, 3], "strides": [3, 2]},
}


def pooling() -> tuple[CallAttr, list[MemRefType[Attribute]]]:
    """Return the call of a pooling, and its buffers."""
    return LIBRARY.call(pooled("max_pool")), [
        MemRefType(f16, each) for each in ([2, 9, 7, 24], [2, 4, 3, 24])
    ]


@pytest.mark.parametrize("edits", OTHER_POOLS.values(), ids=OTHER_POOLS)
def test_images_that_do_not_fit_are_refused(edits: Edits) -> None:
    call, given = pooling()
    LIBRARY.check(call, given)
    with pytest.raises(CompileError, match=f"max_pool {NO_FIT}"):
        LIBRARY.check(call.replace(tensors=edited("tensors", edits, call)), given)


@pytest.mark.parametrize("edits", OTHER_TAPS.values(), ids=OTHER_TAPS)
def test_windows_of_a_pooling_that_do_not_fit_are_refused(edits: Mapping[str, object]) -> None:
    call, given = pooling()
    with pytest.raises(CompileError, match=f"max_pool {NO_FIT}"):
        LIBRARY.check(call.replace(operations=edited("operations", {0: edits}, call)), given)


def test_a_largest_element_that_cudnn_computes_wrongly_is_refused() -> None:
    """The mean of the same windows is not."""
    call = LIBRARY.call(pooled("average_pool", **SPACE))
    given = [MemRefType(f16, [int(n) for n in SPACE[name].split("x")[:-1]]) for name in "xy"]
    LIBRARY.check(call, given)
    largest = edited("operations", {0: {"name": "max_pool"}}, call)
    with pytest.raises(CompileError, match="loses a NaN among largest elements"):
        LIBRARY.check(call.replace(operations=largest), given)


@pytest.mark.parametrize("name", ["max_pool", "average_pool"])
def test_windows_that_cudnn_computes_wrongly_are_refused(name: str) -> None:
    call = LIBRARY.call(pooled(name))
    given = [MemRefType(bf16, [2, 9, 7, 24]), MemRefType(bf16, [2, 4, 3, 24])]
    tensors = edited("tensors", {0: {"element": "bf16"}, 1: {"element": "bf16"}}, call)
    with pytest.raises(CompileError, match="wrong values of windows in bf16"):
        LIBRARY.check(call.replace(tensors=tensors), given)


def test_a_pooling_has_two_algorithms() -> None:
    call, given = pooling()
    LIBRARY.check(call.replace(algorithm=1), given)
    with pytest.raises(CompileError, match="names no algorithm"):
        LIBRARY.check(call.replace(algorithm=2), given)
