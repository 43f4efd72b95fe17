"""Which groups cuDNN computes, and what that is thought to take."""

from typing import Any

import pytest
from dnn_clusters import (
    ATTENTIONS,
    BF16,
    BIAS,
    CONVOLUTIONS,
    LAYOUT,
    MASKED,
    RELU,
    SCALED,
    TANH,
    attended,
    convolved,
    scalar,
)
from dnn_normalizations import BY_DEVIATION, CENTRED, NORMALIZATIONS, ONLY_SCALED, normalized
from library_contract import check_refused, check_taken
from programs import cluster

from dlc.analysis.dataflow import Cluster
from dlc.arch.nvidia import H200, V100
from dlc.libraries.cudnn import LIBRARY
from dlc.plan import Plan, Planner

EXP = "%{n} = graph.exp %{p} : {z} -> {z}"
F32: dict[str, Any] = {name: each.replace("bf16", "f32") for name, each in BF16.items()}
LINE: dict[str, Any] = {"x": "2x9x16xf16", "w": "24x3x16xf16", "z": "2x7x24xf16"}


@pytest.mark.parametrize("asked", CONVOLUTIONS.values(), ids=CONVOLUTIONS)
def test_a_convolution_is_taken(asked: Cluster) -> None:
    check_taken(LIBRARY, asked, H200)


@pytest.mark.parametrize("asked", ATTENTIONS.values(), ids=ATTENTIONS)
def test_attention_is_taken(asked: Cluster) -> None:
    check_taken(LIBRARY, asked, H200)


@pytest.mark.parametrize("asked", NORMALIZATIONS.values(), ids=NORMALIZATIONS)
def test_a_normalization_is_taken(asked: Cluster) -> None:
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

NOT_CONVOLVED = {
    "an op alone": (
        "convolutions, attention, and normalisations",
        cluster("%1 = exp %x : 4x8", "%1: tensor<4x8xf32>"),
    ),
    "two results": ("groups with one result", BOTH),
    "f32": ("convolves f16 and bf16", convolved(**F32)),
    "two types": ("convolves f16 and bf16", convolved(w="24x3x3x16xbf16")),
    "one axis": ("two or three axes", convolved(**LINE)),
    "channels first": (
        "channels that lie together",
        convolved(layout="", x="2x16x9x7xf16", w="24x16x3x3xf16", z="2x24x7x5xf16"),
    ),
    "a weight with channels first": (
        "channels that lie together",
        convolved(layout="layout channels_last", w="24x16x3x3xf16"),
    ),
    "data with channels first": (
        "channels that lie together",
        convolved(layout="weight_layout ohwi", x="2x16x9x7xf16", z="2x24x7x5xf16"),
    ),
    "12 channels in": ("a multiple of 8", convolved(x="2x9x7x12xf16", w="24x3x3x12xf16")),
    "12 channels out": ("a multiple of 8", convolved(w="12x3x3x16xf16", z="2x7x5x12xf16")),
    "groups of 4": ("a multiple of 8", convolved(w="24x3x3x4xf16", groups=4)),
    "an empty batch": ("nothing in memory", convolved(x="0x9x7x16xf16", z="0x7x5x24xf16")),
    "no channels": ("nothing in memory", convolved(x="2x9x7x0xf16", w="24x3x3x0xf16")),
    "a splat": (
        "nothing in memory",
        convolved(first="%u = graph.splat 1.0 : f16 -> {w}", weight="%u"),
    ),
    "pixels cut off": ("begins are integers", convolved(begin=-1, z="2x6x5x24xf16")),
    "images far apart": ("strides are integers from 0", convolved(**DISTANT)),
    "exp": ("no graph.exp behind", convolved(EXP)),
    "a larger result": ("has its shape", LARGER),
    "a number less something": ("not from it", convolved(FROM)),
    "numbers": ("stands in the code", convolved(NUMBERS)),
    "what drops a NaN": ("computes no graph.max", convolved(scalar("max", "0.0"))),
    "what drops a NaN, too": ("computes no graph.min", convolved(scalar("min", "6.0"))),
    "infinity": ("cannot hold the value inf", convolved(scalar("mul", "0x7C00"))),
    "a vector of rows": ("one of the channels", convolved(BIAS, v="5x1xf16")),
    "its own view": ("reads a view of what it computes", convolved(OWN_VIEW, **ONE_POSITION)),
}

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
NO_NORMALIZATION = "convolutions, attention, and normalisations"

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


@pytest.mark.parametrize(("reason", "asked"), NOT_CONVOLVED.values(), ids=NOT_CONVOLVED)
def test_why_no_convolution_is_computed(reason: str, asked: Cluster) -> None:
    check_refused(LIBRARY, asked, H200, reason)


@pytest.mark.parametrize(("reason", "asked"), NOT_ATTENDED.values(), ids=NOT_ATTENDED)
def test_why_no_attention_is_computed(reason: str, asked: Cluster) -> None:
    check_refused(LIBRARY, asked, H200, reason)


def test_a_chip_that_does_not_multiply_the_type() -> None:
    assert LIBRARY.obstacle(convolved(), V100) is None
    reason = "v100 has nothing that multiplies bf16"
    assert LIBRARY.obstacle(convolved(**BF16), V100) == reason


def test_a_plan_has_the_call_beside_generated_kernels() -> None:
    asked = convolved(BIAS, RELU)
    plain, plan = Planner(H200).plan(asked), Planner(H200, libraries=["cudnn"]).plan(asked)
    assert isinstance(plain, Plan)
    assert isinstance(plan, Plan)
    calls = [each for each in plan.candidates if each.schedule.library]
    assert len(calls) == 1
    assert [each for each in plan.candidates if each not in calls] == list(plain.candidates)
    assert calls[0].text == plain.best.text[:-1] + ', library = "cudnn">'


def seconds(asked: Cluster) -> float:
    """Return what a group is thought to take."""
    return LIBRARY.price(asked, H200).seconds


def test_more_work_takes_longer() -> None:
    """More taps, more that follows, dearer functions, more keys, more rows."""
    plain: dict[str, Any] = {"x": "1x56x56x256xf16", "w": "256x1x1x256xf16", "z": "1x56x56x256xf16"}
    windowed: dict[str, Any] = {
        "x": "1x58x58x256xf16",
        "w": "256x3x3x256xf16",
        "z": "1x56x56x256xf16",
    }
    assert seconds(convolved(**plain)) < seconds(convolved(**windowed)) / 2
    costs = [seconds(convolved(each, **plain)) for each in (RELU, scalar("mul", "0.5"), TANH)]
    assert seconds(convolved(**plain)) == costs[0] < costs[1] < costs[2]
    rows, more = (normalized(x=f"{n}x768xf16", s="768xf16", axes="1") for n in (8192, 32768))
    assert seconds(rows) < seconds(more) / 2
    longer = dict.fromkeys("qkv", f"2x3x{4096}x64xf16")
    assert seconds(attended()) < seconds(attended(**longer)) / 4


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


@pytest.mark.parametrize("first", range(1, 8))
def test_a_part_of_attention_is_not_computed(first: int) -> None:
    """The ops that the weights come from are found also where they are another group's."""
    whole = attended()
    part = Cluster(whole.flow, whole.ops[first:])
    check_refused(LIBRARY, part, H200, "all of attention, or nothing of it")
