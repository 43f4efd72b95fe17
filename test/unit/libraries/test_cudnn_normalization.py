"""Normalisations of cuDNN: which groups it computes, and their calls."""

import pytest
from dnn_calls import NO_FIT, NOTHING, Edits, edited, normalization
from dnn_normalizations import (
    BY_DEVIATION,
    CENTRED,
    NORMALIZATIONS,
    ONLY_SCALED,
    SQUARES,
    normalized,
)
from library_contract import check_refused, check_taken

from dlc.analysis.dataflow import Cluster
from dlc.arch.nvidia import H200
from dlc.errors import CompileError
from dlc.libraries.cudnn import LIBRARY


@pytest.mark.parametrize("asked", NORMALIZATIONS.values(), ids=NORMALIZATIONS)
def test_a_normalization_is_taken(asked: Cluster) -> None:
    check_taken(LIBRARY, asked, H200)


ADDED = "%{n} = graph.add %{p}, %y : ({x}, {x}) -> {x}"
BEFORE = "%x = graph.add %z, %y : ({x}, {x}) -> {x}"
SPLAT = "%x = graph.splat 1.0 : f16 -> {x}"
NO_SCALE = {
    "scaled": "%0 = graph.cast %n {{to = {e}}} : {f} -> {x}",
    "shift": "",
}
CONSTANT_SCALE = "%k = graph.constant dense<2.0> : tensor<1x{e}>\n" + ONLY_SCALED["scaled"]
BY_CONSTANT = {
    "scaled": CONSTANT_SCALE,
    "shift": "%0 = graph.mul %o, %k : ({x}, tensor<1x{e}>) -> {x}",
}
INTEGERS = """%o = graph.cast %n {{to = i32}} : {f} -> tensor<5x3x48xi32>
%j = graph.cast %o {{to = {e}}} : tensor<5x3x48xi32> -> {x}
%u = graph.mul %j, %s : ({x}, {s}) -> {x}"""
MIXED = CENTRED.replace("%d, %d", "%a, %d")
OTHER_MEAN = CENTRED.replace("graph.reduce_mean %b", "graph.reduce_mean %y_wide")
SUMMED = CENTRED.replace("reduce_mean", "reduce_sum")
ELSEWHERE = "%y_wide = graph.cast %y {{to = f32}} : {x} -> {f}\n" + OTHER_MEAN
OF_ALL = "tensor<5x1x1xf32>"
MEANS = CENTRED.replace("{over} : {f} -> {r}", "axes [1, 2] keep_dims : {f} -> " + OF_ALL)
OTHER_AXES = MEANS.replace("({f}, {r})", f"({{f}}, {OF_ALL})")
BF16_INSIDE = """%o = graph.cast %n {{to = bf16}} : {f} -> tensor<5x3x48xbf16>
%j = graph.mul %o, %s : (tensor<5x3x48xbf16>, {s}) -> tensor<5x3x48xbf16>
%u = graph.cast %j {{to = {e}}} : tensor<5x3x48xbf16> -> {x}"""
BESIDE = "no graph.cast beside a normalisation"  # of distances, by the root of their mean square
WIDENED = """%o = graph.mul %s, %n : ({s}, {f}) -> {f}
%0 = graph.add %t, %o : ({t}, {f}) -> {f}"""
CONSTANT_VECTOR = {name: each.replace("1x{e}", "48x{e}") for name, each in BY_CONSTANT.items()}
NO_NORMALIZATION = NOTHING
NOT_NORMALIZED = {
    "f32": (
        "normalises f16 and bf16",
        normalized(x="5x3x48xf32", s="48xf32"),
    ),
    "bf16 inside": (
        "normalises f16 in f16 and f32",
        normalized(scaled=BF16_INSIDE, s="48xbf16", t="48xf16"),
    ),
    "a result of f32": (
        "normalises f16 and bf16",
        normalized(s="48xf32", scaled=WIDENED, shift="", result="f"),
    ),
    "a scale that is a constant": (
        "nothing in memory to normalise",
        normalized(**CONSTANT_VECTOR),
    ),
    "a sum after it": (NO_NORMALIZATION, normalized(ADDED)),
    "a sum before it": ("no graph.add beside a normalisation", normalized(first=BEFORE)),
    "a splat": ("nothing in memory to normalise", normalized(first=SPLAT)),
    "no rows": ("nothing in memory to normalise", normalized(x="0x3x48xf16")),
    "a residual": ("of each element of a row", normalized(t="5x3x48xf16")),
    "a scale of rows": ("of each element of a row", normalized(s="3x1xf16", t="48xf16")),
    "a scale of a part": (
        "of each element of a row",
        normalized(x="5x6x8xf16", s="8xf16", axes="1, 2"),
    ),
    "a scale that is a number": ("of each element of a row", normalized(**BY_CONSTANT)),
    "an infinite epsilon": ("cannot hold the value inf", normalized(epsilon="0x7F800000")),
    "no scale": (NO_NORMALIZATION, normalized(**NO_SCALE)),
    "a bit more than one": (NO_NORMALIZATION, normalized(one="1.0005")),
    "cut to integers": (NO_NORMALIZATION, normalized(scaled=INTEGERS)),
    "the first axes": (
        NO_NORMALIZATION,
        normalized(x="5x3x48xf16", axes="0, 1", s="48xf16"),
    ),
    "means of other axes": (BESIDE, normalized(centred=OTHER_AXES)),
    "means without their axes": (
        NO_NORMALIZATION,
        normalized(x="48x48xf16", axes="1", keep="", by=BY_DEVIATION),
    ),
    "a sum for a mean": (BESIDE, normalized(centred=SUMMED)),
    "a mean of something else": (BESIDE, normalized(centred=ELSEWHERE)),
    "products with distances": (NO_NORMALIZATION, normalized(centred=MIXED)),
}


@pytest.mark.parametrize(("reason", "asked"), NOT_NORMALIZED.values(), ids=NOT_NORMALIZED)
def test_why_no_normalization_is_computed(reason: str, asked: Cluster) -> None:
    check_refused(LIBRARY, asked, H200, reason)


@pytest.mark.parametrize("first", range(1, 13))
def test_a_part_of_a_normalization_is_not_computed(first: int) -> None:
    whole = normalized()
    part = Cluster(whole.flow, whole.ops[first:])
    assert len(whole.ops) == 13
    check_refused(LIBRARY, part, H200, "all of a normalisation, or nothing of it")


ROW, VECTOR_OF_ROW, EPSILON, SHIFT, NORMAL = range(5)
OTHER_ROWS = {
    "less rows": {ROW: {"sizes": [14, 48, 1, 1]}},
    "a row of less": {ROW: {"sizes": [15, 47, 1, 1]}},
    "less results": {NORMAL: {"sizes": [14, 48, 1, 1]}},
    "a shorter scale": {VECTOR_OF_ROW: {"sizes": [1, 47, 1, 1]}},
    "a scale of one": {VECTOR_OF_ROW: {"sizes": [1, 1, 1, 1]}},
    "a shorter bias": {SHIFT: {"sizes": [1, 47, 1, 1]}},
    "a bias of two axes": {SHIFT: {"sizes": [1, 48], "strides": [48, 1]}},
    "two axes": {n: {"sizes": [15, 48], "strides": [48, 1]} for n in (ROW, NORMAL)},
    "three axes": {
        n: {"sizes": [1 if n in (VECTOR_OF_ROW, SHIFT) else 15, 48, 1], "strides": [48, 1, 1]}
        for n in (ROW, VECTOR_OF_ROW, SHIFT, NORMAL)
    },
    "an epsilon of rows": {
        EPSILON: {"sizes": [15, 1, 1, 1], "number": None, "buffer": 0, "element": "f16"}
    },
    "an epsilon of one axis": {EPSILON: {"sizes": [1], "strides": [1]}},
}


@pytest.mark.parametrize("edits", OTHER_ROWS.values(), ids=OTHER_ROWS)
def test_a_normalization_that_does_not_fit_is_refused(edits: Edits) -> None:
    call, given = normalization()
    LIBRARY.check(call, given)
    with pytest.raises(CompileError, match=f"layer_norm {NO_FIT}"):
        LIBRARY.check(call.replace(tensors=edited("tensors", edits, call)), given)


@pytest.mark.parametrize("inputs", [[ROW, VECTOR_OF_ROW], [*range(4), SHIFT]])
def test_a_normalization_has_a_bias_or_none(inputs: list[int]) -> None:
    call, given = normalization()
    wrong = edited("operations", {0: {"inputs": inputs}}, call)
    with pytest.raises(CompileError, match="layer_norm of cuDNN has 3 or 4 inputs"):
        LIBRARY.check(call.replace(operations=wrong), given)


def test_the_code_of_a_normalization_names_its_mode() -> None:
    for asked, mode in ((normalized(), 0), (normalized(centred=SQUARES, **ONLY_SCALED), 4)):
        code = LIBRARY.code(LIBRARY.call(asked))
        assert f".kind = CUDNN_NORMALIZATION, .mode = {mode}, " in code
