"""Functions of elements of cuDNN: which groups it computes, and their calls."""

import pytest
from dnn_calls import NOTHING
from dnn_clusters import GELU, RELU_OF, SIGMOID, TANH, TANH_GELU, applied, convolved
from library_contract import check_refused

from dlc.analysis.dataflow import Cluster
from dlc.arch.nvidia import H200
from dlc.libraries.cudnn import LIBRARY

NOT_APPLIED = {
    "integers": ("elements of f16, bf16, f32", applied(RELU_OF, x="2x9xi32")),
    "no elements": ("no elements", applied(RELU_OF, x="0x9xf16")),
    "a number": ("no elements", applied(RELU_OF, x="f16")),
    "tanh of f32": (
        "tanh of 16-bit floats",
        applied("%0 = graph.tanh %x : {x} -> {x}", x="2x9xf32"),
    ),
    "a vector of rows": (
        "one of the channels",
        applied("%0 = graph.add %x, %v : ({x}, {v}) -> {x}", v="9x1x1xf16"),
    ),
    "nothing in memory": (
        "nothing in memory to read",
        applied("%u = graph.splat 1.0 : f16 -> {x}", "%0 = graph.relu %u : {x} -> {x}"),
    ),
    "what drops a NaN": (
        NOTHING,
        applied("%0 = graph.max %x, %r : ({x}, {x}) -> {x}"),
    ),
}


@pytest.mark.parametrize(("reason", "asked"), NOT_APPLIED.values(), ids=NOT_APPLIED)
def test_why_no_function_is_computed(reason: str, asked: Cluster) -> None:
    check_refused(LIBRARY, asked, H200, reason)


def test_the_numbers_of_pointwise_functions_are_those_of_cudnn() -> None:
    """``cudnnPointwiseMode_t``: the two forms of gelu differ by less than a rounding of f16."""
    for after, mode in ((GELU, 104), (TANH_GELU, 107), (TANH, 101), (SIGMOID, 102)):
        assert f".mode = {mode}," in LIBRARY.code(LIBRARY.call(convolved(after)))
