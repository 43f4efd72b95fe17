"""Attention of cuDNN: which groups it computes, and their calls."""

from typing import Any

import pytest
from dnn_calls import NO_FIT, Edits, edited
from dnn_clusters import ATTENTIONS, MASKED, SCALED, TURN, attended
from library_contract import check_refused, check_taken
from xdsl.dialects.builtin import MemRefType, f16

from dlc.analysis.dataflow import Cluster
from dlc.arch.nvidia import H200
from dlc.errors import CompileError
from dlc.libraries._operation_graph import OperationGraph
from dlc.libraries.cudnn import LIBRARY


@pytest.mark.parametrize("asked", ATTENTIONS.values(), ids=ATTENTIONS)
def test_attention_is_taken(asked: Cluster) -> None:
    check_taken(LIBRARY, asked, H200)


SQUARED = "%l = graph.mul %s, %s : ({s}, {s}) -> {s}"
WEIGHTED = "%l = graph.mul %s, %m : ({s}, {s}) -> {s}"
TWICE = SCALED.replace("%l", "%z") + "\n%l = graph.mul %z, %n : ({s}, tensor<{e}>) -> {s}"
DIVIDED = SCALED.replace("mul", "div")
SUM = "%{n} = graph.add %{p}, %b : ({y}, {y}) -> {y}"
FIVE: dict[str, Any] = {"q": "2x2x3x32x64xf16", "k": "2x2x3x40x64xf16", "v": "2x2x3x40x64xf16"}
SWAP = "permutation = array<i64: 1, 0, 2, 3>"
SQUARE: dict[str, Any] = {"q": "2x2x32x64xf16", "k": "2x2x40x64xf16", "v": "2x2x40x64xf16"}
SWAPPED = f"%u = graph.transpose %k {{{{{SWAP}}}}} : {{k}} -> {{k}}"
NOT_ATTENDED = {
    "f32": ("attends f16 and bf16", attended(q="3x32x64xf32", k="3x40x64xf32", v="3x40x64xf32")),
    "a mask": ("without a mask", attended(logits=MASKED)),
    "two scales": ("without a mask", attended(logits=TWICE)),
    "a divisor": ("without a mask", attended(logits=DIVIDED)),
    "scores by scores": ("without a mask", attended(logits=SQUARED)),
    "a scale for each score": ("a scale that is a number", attended(logits=WEIGHTED)),
    "a sum": ("no graph.add beside attention", attended(SUM)),
    "keys that are turned in the group": (
        "no graph.transpose beside attention",
        attended(first=SWAPPED, keys="%u", **SQUARE),
    ),
    "five axes": ("at most 4 axes", attended(**FIVE)),
    "keys for all heads": (
        "as many keys and values",
        attended(k="2x1x40x64xf16", v="2x1x40x64xf16"),
    ),
    "76 elements": ("attends 8, 16", attended(q="2x3x32x76xf16", k="2x3x40x76xf16")),
    "136 elements": ("attends 8, 16", attended(q="2x3x32x136xf16", k="2x3x40x136xf16")),
    "values of 136 elements": ("attends 8, 16", attended(v="2x3x40x136xf16")),
    "turned keys": ("attends 8, 16", attended(k="2x3x64x40xf16", turned="")),
    "a splat": (
        "nothing in memory",
        attended(first="%u = graph.splat 1.0 : f16 -> {k}", keys="%u"),
    ),
    "no queries": ("nothing in memory", attended(q="2x3x0x64xf16")),
    "no keys": ("nothing in memory", attended(k="2x3x0x64xf16", v="2x3x0x64xf16")),
}


@pytest.mark.parametrize(("reason", "asked"), NOT_ATTENDED.values(), ids=NOT_ATTENDED)
def test_why_no_attention_is_computed(reason: str, asked: Cluster) -> None:
    check_refused(LIBRARY, asked, H200, reason)


@pytest.mark.parametrize("first", range(1, 8))
def test_a_part_of_attention_is_not_computed(first: int) -> None:
    """The ops that the weights come from are found also where they are another group's."""
    whole = attended()
    part = Cluster(whole.flow, whole.ops[first:])
    check_refused(LIBRARY, part, H200, "all of attention, or nothing of it")


QUERY, KEY, VALUE, SCALE, RESULT = range(5)
OTHER_HEADS = {
    "less queries": {QUERY: {"sizes": [2, 3, 31, 64]}},
    "less keys": {KEY: {"sizes": [2, 3, 39, 64]}},
    "shorter keys": {KEY: {"sizes": [2, 3, 40, 56]}},
    "heads of keys": {KEY: {"sizes": [2, 1, 40, 64]}},
    "less values": {VALUE: {"sizes": [2, 3, 39, 64]}},
    "images of values": {VALUE: {"sizes": [1, 3, 40, 64]}},
    "a shorter result": {RESULT: {"sizes": [2, 3, 32, 56]}},
    "less results": {RESULT: {"sizes": [2, 3, 31, 64]}},
    "three axes": {QUERY: {"sizes": [6, 32, 64], "strides": [2048, 64, 1]}},
    "a scale for each query": {
        SCALE: {"sizes": [2, 3, 32, 1], "strides": [96, 32, 1, 1], "number": None, "buffer": 0}
        | {"element": "f16"}
    },
}


@pytest.mark.parametrize("edits", OTHER_HEADS.values(), ids=OTHER_HEADS)
def test_attention_that_does_not_fit_is_refused(edits: Edits) -> None:
    call = LIBRARY.call(attended())
    sizes = ([2, 3, 32, 64], [2, 3, 40, 64], [2, 3, 40, 64], [2, 3, 32, 64])
    given = [MemRefType(f16, each) for each in sizes]
    LIBRARY.check(call, given)
    with pytest.raises(CompileError, match=f"attention {NO_FIT}"):
        LIBRARY.check(call.replace(tensors=edited("tensors", edits, call)), given)


def test_a_result_may_be_turned_by_any_permutation() -> None:
    """Axes of a result of [heads, rows, batch, elements] stand where attention has them."""
    turned = attended(TURN, axes="1, 2, 0, 3", result="3x32x2x64xf16")
    result = OperationGraph.read(LIBRARY.call(turned)).tensors[-1]
    assert (result.sizes, result.strides) == ((2, 3, 32, 64), (64, 4096, 128, 1))
