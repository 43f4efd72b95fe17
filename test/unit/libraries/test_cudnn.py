"""Which groups cuDNN computes, and what that is thought to take."""

from typing import Any

import pytest
from dnn_clusters import (
    ATTENTIONS,
    BF16,
    BF16_IMAGE,
    BIAS,
    CONVOLUTIONS,
    F32,
    LAYOUT,
    MASKED,
    MEAN,
    ORDERED,
    POOLINGS,
    RELU,
    RELU_OF,
    RESIDUAL,
    SCALED,
    SINGLE,
    SPACE,
    TANH,
    VOLUME,
    applied,
    attended,
    convolved,
    pooled,
    scalar,
)
from dnn_normalizations import BY_DEVIATION, CENTRED, NORMALIZATIONS, ONLY_SCALED, normalized
from library_contract import check_refused, check_taken
from programs import cluster

from dlc.analysis.dataflow import Cluster
from dlc.arch.nvidia import H200, V100
from dlc.errors import CompileError
from dlc.libraries.cudnn import LIBRARY
from dlc.plan import Plan, Planner
from dlc.tuning.tuned import Tuned

EXP = "%{n} = graph.exp %{p} : {z} -> {z}"
LINE: dict[str, Any] = {"x": "2x9x16xf16", "w": "24x3x16xf16", "z": "2x7x24xf16"}


@pytest.mark.parametrize("asked", (CONVOLUTIONS | ORDERED).values(), ids=CONVOLUTIONS | ORDERED)
def test_a_convolution_is_taken(asked: Cluster) -> None:
    check_taken(LIBRARY, asked, H200)


@pytest.mark.parametrize("asked", POOLINGS.values(), ids=POOLINGS)
def test_a_pooling_or_a_function_is_taken(asked: Cluster) -> None:
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

NOTHING = "convolutions, attention, normalisations, poolings and functions"
IN_F32 = "behind a convolution of f32 over three axes"
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
    "channels first": (
        "channels that lie together",
        convolved(layout="", x="2x16x9x7xf16", w="24x16x3x3xf16", z="2x24x7x5xf16"),
    ),
    "a weight with channels first that is no constant": (
        "whose channels lie together, or a constant one",
        convolved(layout="layout channels_last", w="24x16x3x3xf16"),
    ),
    "data with channels first": (
        "channels that lie together",
        convolved(layout="weight_layout ohwi", x="2x16x9x7xf16", z="2x24x7x5xf16"),
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
    "the largest of bf16": ("wrong largest elements of bf16", pooled("max_pool", **BF16_IMAGE)),
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


@pytest.mark.parametrize(("reason", "asked"), NOT_POOLED.values(), ids=NOT_POOLED)
def test_why_no_pooling_is_computed(reason: str, asked: Cluster) -> None:
    check_refused(LIBRARY, asked, H200, reason)


@pytest.mark.parametrize(("reason", "asked"), NOT_APPLIED.values(), ids=NOT_APPLIED)
def test_why_no_function_is_computed(reason: str, asked: Cluster) -> None:
    check_refused(LIBRARY, asked, H200, reason)


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
    rounding = convolved(layout=f"{LAYOUT} precision tf32", **F32)
    assert LIBRARY.obstacle(rounding, V100) == "v100 has nothing that multiplies tf32"
    assert LIBRARY.obstacle(convolved(**F32), V100) is None
    assert LIBRARY.obstacle(applied(RELU_OF, x="8x8xbf16"), V100) is None


def test_a_plan_has_the_call_beside_generated_kernels() -> None:
    asked = convolved(BIAS, RELU)
    plain, plan = Planner(H200).plan(asked), Planner(H200, libraries=["cudnn"]).plan(asked)
    assert isinstance(plain, Plan)
    assert isinstance(plan, Plan)
    calls = [each for each in plan.candidates if each.schedule.library]
    assert len(calls) == 1
    assert [each for each in plan.candidates if each not in calls] == list(plain.candidates)
    assert calls[0].text == plain.best.text[:-1] + ', library = "cudnn">'


SEVERAL = {
    "a convolution": (convolved(BIAS, RELU), 8),
    "attention": (attended(), 8),
    "a normalisation": (normalized(), 2),
    "a pooling": (pooled("max_pool"), 2),
    "a function": (applied(RELU_OF), 2),
}


@pytest.mark.parametrize(("asked", "count"), SEVERAL.values(), ids=SEVERAL)
def test_as_many_algorithms_are_tried_as_there_may_be(asked: Cluster, count: int) -> None:
    plan = Planner(H200, Tuned(), ["cudnn"]).plan(asked)
    assert isinstance(plan, Plan)
    calls = [each.schedule for each in plan.candidates if each.schedule.library]
    assert [each.algorithm for each in calls] == list(range(count))
    LIBRARY.require(asked, H200, count - 1)
    reason = f"key algorithm should be from 0 to {count - 1} for this group .* cudnn, is {count}"
    with pytest.raises(CompileError, match=reason):
        LIBRARY.require(asked, H200, count)


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


@pytest.mark.parametrize("first", range(1, 8))
def test_a_part_of_attention_is_not_computed(first: int) -> None:
    """The ops that the weights come from are found also where they are another group's."""
    whole = attended()
    part = Cluster(whole.flow, whole.ops[first:])
    check_refused(LIBRARY, part, H200, "all of attention, or nothing of it")
