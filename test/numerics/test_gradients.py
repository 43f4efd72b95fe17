"""Each rule gives the gradient that differences of the op's reference give."""

from collections.abc import Sequence

import numpy as np
import pytest
from samples import Sample, sample
from xdsl.dialects.builtin import ModuleOp, StringAttr, UnitAttr, f64
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Attribute, Block, Region, SSAValue

from dlc.core.weights import WeightStore
from dlc.dialects.graph import (
    activation,
    cast,
    comparison,
    contraction,
    convolution,
    copy,
    elementwise,
    gather,
    generate,
    layout,
    math,
    max_pool,
    normalization,
    pad,
    reduction,
    reshape,
    softmax,
    sum_pool,
    transposed_convolution,
    wide,
)
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.data_layout import CHANNELS_LAST
from dlc.dialects.graph.gradient import NoRuleError, gradient, kinds
from dlc.dialects.graph.properties import element_attribute, integer, integers, number
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import element_type, is_float, numpy_dtype, shape
from dlc.oracle import run_reference

STEP = 1e-5
"""Of the differences, whose error is of its square: about 1e-10."""


def values(*sizes: int, seed: int = 0) -> Array:
    """Return numbers between 0.1 and 1.1 in size, with either sign and no two equal: none is nearer
    than a step to where a function bends.
    """
    random, count = np.random.default_rng(seed), int(np.prod(sizes))
    apart = 0.1 + (np.arange(count) + random.uniform(0.2, 0.8, count)) / count
    return (random.permutation(apart) * random.choice([-1, 1], count)).reshape(sizes)


SINGLE = values(3, 4).astype(np.float32)


def one(
    kind: type[GraphOp], label: str, *operands: Array, **properties: Attribute | None
) -> Sample:
    """Return a sample of an op class with one result."""
    return sample(kind, label, *operands, results=1, **properties)


def positive(*sizes: int) -> Array:
    return np.abs(values(*sizes))


def broadcasts(kind: type[GraphOp]) -> list[Sample]:
    """Return operands of one shape, and those that are repeated along axes."""
    shapes = {"same": [(3, 4), (3, 4)], "vector": [(2, 3, 4), (4,)], "each": [(3, 1), (2, 1, 4)]}
    return [
        one(kind, label, *(positive(*sizes) + n / 7 for n, sizes in enumerate(each)))
        for label, each in shapes.items()
    ]


def elementwise_samples() -> list[Sample]:
    e = elementwise
    binary = (e.AddOp, e.SubOp, e.MulOp, e.DivOp, e.PowOp, e.MaxOp, e.MinOp, activation.PreluOp)
    unary = (e.NegOp, e.AbsOp, e.SignOp, copy.CopyOp)
    condition = values(3, 4) > 0
    return [
        *(each for kind in binary for each in broadcasts(kind)),
        *(one(kind, "plain", values(3, 4)) for kind in unary),
        *(one(kind, "plain", SINGLE) for kind in (wide.WidenOp, wide.NarrowOp)),
        one(activation.PreluOp, "negative", values(3, 4), positive(4)),
        one(cast.CastOp, "plain", SINGLE, to=f64),
        one(comparison.WhereOp, "plain", condition, values(3, 4), values(3, 4, seed=1)),
        one(comparison.WhereOp, "scalar", condition, values(3, 4), values(seed=1)),
    ]


def function_samples() -> list[Sample]:
    a, small, above = activation, values(3, 5), 1.5 + positive(3, 5)
    large = 5 * values(4, 9)
    functions = [op for op in math.OPERATIONS if op is not math.AcoshOp]
    return [
        one(math.AcoshOp, "plain", above),
        *(one(op, "small", positive(3, 5) * 0.8) for op in functions),
        *(one(kind, "plain", large) for kind in (a.ReluOp, a.SigmoidOp, a.HardSwishOp)),
        *(one(kind, "plain", large) for kind in (a.SoftplusOp, a.SoftsignOp, a.MishOp)),
        *(one(kind, "alpha", large, alpha=number(0.3)) for kind in (a.LeakyReluOp, a.EluOp)),
        *(one(kind, "alpha", large, alpha=number(1.3)) for kind in (a.CeluOp, a.SiluOp)),
        one(a.ThresholdedReluOp, "alpha", large, alpha=number(1.3)),
        one(a.SeluOp, "plain", large, alpha=number(1.6), gamma=number(1.1)),
        one(a.HardSigmoidOp, "plain", large, alpha=number(0.3), beta=number(0.4)),
        one(a.ShrinkOp, "plain", small, bias=number(0.2), threshold=number(0.4)),
        one(a.GeluOp, "erf", large),
        one(a.GeluOp, "tanh", large, tanh=UnitAttr()),
    ]


def movement_samples() -> list[Sample]:
    x, zero = values(4, 5, 3), element_attribute(0, f64)
    constant = {"mode": StringAttr("constant"), "value": zero}

    def pads(label: str, low: Sequence[int], high: Sequence[int]) -> Sample:
        return one(pad.PadOp, label, x, low=integers(low), high=integers(high), **constant)

    def part(
        label: str, starts: Sequence[int], stops: Sequence[int], steps: Sequence[int]
    ) -> Sample:
        bounds = {"starts": starts, "stops": stops, "steps": steps}
        return one(layout.SliceOp, label, x, **{k: integers(v) for k, v in bounds.items()})

    rows = np.array([[2, 0], [-1, 2]], np.int64)
    return [
        one(layout.TransposeOp, "three", x, permutation=integers([2, 0, 1])),
        one(layout.BroadcastOp, "two", values(3, 1), sizes=integers([2, 3, 4])),
        one(layout.TileOp, "some", x, repeats=integers([2, 1, 3])),
        one(layout.ConcatOp, "three", x, values(4, 2, 3), values(4, 1, 3), axis=integer(1)),
        one(reshape.ReshapeOp, "plain", x, sizes=integers([5, 12])),
        pads("both", [1, 0, 2], [0, 3, 1]),
        pads("cut", [-1, 0, 2], [-1, 3, -1]),
        part("plain", [1, 0, 1], [3, 5, 2], [1, 1, 1]),
        part("steps", [0, 1, 0], [4, 5, 3], [2, 3, 2]),
        part("back", [3, -1, 0], [0, -6, 3], [-2, -1, 1]),
        part("one", [2, 1, 0], [3, 2, 1], [4, 1, 1]),
        one(gather.GatherOp, "twice", values(4, 3), rows, axis=integer(0)),
        one(generate.TriluOp, "upper", x, diagonal=integer(1), upper=UnitAttr()),
    ]


def reduction_samples() -> list[Sample]:
    r = reduction
    kinds = [r.ReduceSumOp, r.ReduceMeanOp, r.ReduceMaxOp, r.ReduceMinOp, r.ReduceSumSquareOp]
    kinds += [r.ReduceL1Op, r.ReduceL2Op, softmax.ReduceLogSumExpOp]
    x = values(3, 4, 5)
    return [
        this
        for kind in kinds
        for this in (
            one(kind, "two", x, axes=integers([0, 2])),
            one(kind, "kept", x, axes=integers([1]), keep_dims=UnitAttr()),
        )
    ]


def normalization_samples() -> list[Sample]:
    x, channel = values(2, 3, 2, 2), [values(3, seed=n) for n in range(3)]
    softmaxes = (softmax.SoftmaxOp, softmax.LogSoftmaxOp)
    return [
        *(one(k, str(a), values(3, 4), axis=integer(a)) for k in softmaxes for a in (0, 1)),
        one(normalization.BatchNormOp, "first", x, *channel, positive(3), epsilon=number(0.1)),
        one(
            normalization.BatchNormOp,
            "last",
            np.moveaxis(x, 1, -1),
            *channel,
            positive(3),
            epsilon=number(0.1),
            data_layout=CHANNELS_LAST,
        ),
    ]


def product_samples() -> list[Sample]:
    turned = {"transpose_lhs": UnitAttr()}, {"transpose_rhs": UnitAttr()}
    m = contraction.MatmulOp
    return [
        one(m, "plain", values(3, 4), values(4, 5)),
        one(m, "lhs", values(4, 3), values(4, 5), **turned[0]),
        one(m, "rhs", values(3, 4), values(5, 4), **turned[1]),
        one(m, "both", values(4, 3), values(5, 4), **turned[0], **turned[1]),
        one(m, "batch", values(2, 3, 4), values(2, 4, 5)),
        one(m, "one-matrix", values(2, 3, 4), values(4, 5)),
        one(m, "one-matrix-rhs", values(2, 6, 3, 4), values(5, 4), **turned[1]),
        one(m, "one-matrix-lhs", values(2, 4, 3), values(4, 5), **turned[0]),
        one(m, "one-lhs", values(3, 4), values(2, 4, 5)),
        one(m, "broadcast", values(2, 1, 3, 4), values(3, 4, 5)),
    ]


CONVOLUTIONS = {
    # data, weight, strides, padding, dilations, groups
    "plain": ((2, 3, 7, 6), (4, 3, 3, 2), [1, 1], [0, 0, 0, 0], [1, 1], 1),
    "point": ((2, 3, 5, 4), (4, 3, 1, 1), [1, 1], [0, 0, 0, 0], [1, 1], 1),
    "padded-point": ((2, 3, 5, 4), (4, 3, 1, 1), [1, 1], [1, 0, 0, 1], [1, 1], 1),
    "strided-point": ((2, 3, 6, 5), (4, 3, 1, 1), [2, 3], [0, 0, 0, 0], [1, 1], 1),
    "padded": ((1, 2, 5, 7), (3, 2, 3, 3), [1, 1], [1, 2, 0, 1], [1, 1], 1),
    "strided": ((2, 2, 8, 7), (3, 2, 3, 3), [2, 3], [1, 1, 1, 1], [1, 1], 1),
    "rest": ((1, 2, 8, 9), (3, 2, 3, 2), [3, 4], [0, 0, 0, 0], [1, 1], 1),
    "dilated": ((1, 2, 9, 8), (3, 2, 3, 2), [1, 2], [2, 0, 1, 1], [2, 3], 1),
    "groups": ((2, 4, 5, 6), (6, 2, 3, 3), [2, 1], [1, 1, 1, 1], [1, 1], 2),
    "groups-point": ((2, 4, 5, 4), (6, 2, 1, 1), [1, 1], [0, 0, 0, 0], [1, 1], 2),
    "depthwise": ((2, 3, 6, 5), (6, 1, 3, 3), [1, 2], [1, 1, 1, 1], [1, 2], 3),
    "padding-only": ((2, 3, 4, 1), (4, 3, 1, 1), [1, 3], [0, 1, 0, 1], [1, 1], 1),
    "one-axis": ((2, 2, 9), (3, 2, 4), [2], [3, 0], [1], 1),
    "three-axes": ((1, 2, 4, 3, 5), (2, 2, 2, 2, 3), [1, 2, 2], [1, 0, 1, 0, 1, 1], [1, 1, 1], 1),
}


def convolution_samples() -> list[Sample]:
    found = []
    for label, (data, weight, strides, padding, dilations, groups) in CONVOLUTIONS.items():
        properties = {
            "strides": integers(strides),
            "padding": integers(padding),
            "dilations": integers(dilations),
            "groups": integer(groups),
        }
        forward = one(convolution.ConvOp, label, values(*data), values(*weight), **properties)
        found.append(forward)
        small = (data[0], weight[0], *(3 for _ in strides))
        for growth in (0, 1):
            found.append(
                one(
                    transposed_convolution.ConvTransposeOp,
                    f"{label}-{growth}",
                    values(*small),
                    values(*weight),
                    growth=integers([growth for _ in strides]),
                    **properties,
                )
            )
    return found


WINDOWS = {
    # data, window, strides, padding, dilations, ceil
    "apart": ((2, 3, 6, 4), [2, 2], [2, 2], [0, 0, 0, 0], [1, 1], False),
    "overlap": ((1, 2, 7, 8), [3, 3], [2, 1], [1, 1, 1, 1], [1, 1], False),
    "rest": ((1, 2, 8, 6), [3, 2], [2, 4], [0, 0, 0, 0], [1, 1], False),
    "ceil": ((1, 2, 8, 6), [3, 2], [2, 4], [0, 0, 0, 0], [1, 1], True),
    "dilated": ((1, 2, 8, 9), [3, 2], [1, 2], [1, 1, 2, 0], [2, 3], False),
    "whole": ((2, 2, 3, 4), [3, 4], [1, 1], [0, 0, 0, 0], [1, 1], False),
    "one-axis": ((1, 2, 9), [4], [2], [1, 2], [1], True),
}


def pooling_samples() -> list[Sample]:
    found = []
    for label, (data, window, strides, padding, dilations, ceil) in WINDOWS.items():
        properties: dict[str, Attribute | None] = {
            "window": integers(window),
            "strides": integers(strides),
            "padding": integers(padding),
            "dilations": integers(dilations),
            "ceil_mode": UnitAttr() if ceil else None,
        }
        x, average = values(*data), sum_pool.AveragePoolOp
        found += [
            one(max_pool.MaxPoolOp, label, x, **properties),
            one(average, label, x, **properties),
            one(average, f"{label}-padding", x, count_include_pad=UnitAttr(), **properties),
        ]
    return found


SAMPLES = [
    *elementwise_samples(),
    *function_samples(),
    *movement_samples(),
    *reduction_samples(),
    *normalization_samples(),
    *product_samples(),
    *convolution_samples(),
    *pooling_samples(),
]


TIES = values(2, 3)
TIED_ROWS = np.array([[3.0, 1.0, 3.0, 3.0], [2.0, 5.0, 4.0, 5.0]])


@pytest.mark.parametrize("kind", [elementwise.MaxOp, elementwise.MinOp])
def test_of_equal_operands_the_first_has_the_gradient(kind: type[GraphOp]) -> None:
    found = computed(one(kind, "ties", TIES, TIES), TIES)
    np.testing.assert_array_equal(found[0], TIES)
    np.testing.assert_array_equal(found[1], np.zeros_like(TIES))


@pytest.mark.parametrize("sign", [1, -1], ids=["max", "min"])
def test_equal_elements_share_the_gradient_of_the_largest(sign: int) -> None:
    kind = reduction.ReduceMaxOp if sign > 0 else reduction.ReduceMinOp
    (found,) = computed(
        one(kind, "ties", sign * TIED_ROWS, axes=integers([1])), np.array([6.0, 2.0])
    ).values()
    np.testing.assert_allclose(found, [[2, 0, 2, 2], [0, 1, 0, 1]])


@pytest.mark.parametrize("this", SAMPLES, ids=str)
def test_a_rule_gives_what_differences_give(this: Sample) -> None:
    (result,) = this.op.results
    of_result = values(*shape(result), seed=5).astype(numpy_dtype(element_type(result)))
    for place, found in computed(this, of_result).items():
        expected = differences(this, of_result, place)
        assert found.shape == expected.shape
        np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-8, err_msg=f"of {place}")


def computed(this: Sample, of_result: Array) -> dict[int, Array]:
    """Return the gradients by the rule, by the number of the operand."""
    block = this.op.operands[0].owner
    assert isinstance(block, Block)
    block.add_op(this.op)
    given = block.insert_arg(this.op.results[0].type, len(block.args))
    each = {place: written(block, this.op, given, place) for place in asked(this.op)}
    found = {place: x for place, x in each.items() if x is not None}
    block.add_op(ReturnOp(*found.values()))
    types = [x.type for x in block.args], [x.type for x in found.values()]
    module = ModuleOp([FuncOp("main", types, Region(block))])
    module.verify()
    feeds = {f"input{n}": x for n, x in enumerate((*this.operands, of_result))}
    arrays = run_reference(module, feeds, WeightStore()).values()
    zeros = {place: np.zeros_like(this.operands[place]) for place in asked(this.op)}
    return zeros | dict(zip(found, arrays, strict=True))


def written(block: Block, op: GraphOp, given: SSAValue, place: int) -> SSAValue | None:
    def insert(new: GraphOp) -> SSAValue:
        block.add_op(new)
        return new.results[0]

    return gradient(op, Composer(insert), given, place)


def asked(op: GraphOp) -> list[int]:
    """Return the operands of floats, without statistics, which no training asks for."""
    places = range(3) if isinstance(op, normalization.BatchNormOp) else range(len(op.operands))
    return [place for place in places if is_float(element_type(op.operands[place]))]


def differences(this: Sample, of_result: Array, place: int) -> Array:
    """Return the derivative of the sum of ``of_result * y`` by each element of an operand."""
    operands = [x.astype(np.float64) if x.dtype.kind == "f" else x for x in this.operands]
    moved, found = operands[place], np.zeros(operands[place].shape)
    for at in np.ndindex(*moved.shape):
        kept, sums = moved[at], list[float]()
        for step in (STEP, -STEP):
            moved[at] = kept + step
            sums.append(float(np.sum(of_result * this.op.reference(*operands))))
        moved[at] = kept
        found[at] = (sums[0] - sums[1]) / (2 * STEP)
    return found


def test_each_rule_has_a_sample() -> None:
    sampled = {type(this.op) for this in SAMPLES}
    assert not [kind.name for kind in kinds() if kind not in sampled]


X, W = values(1, 2, 4, 4), values(3, 2, 3, 3)
FLAT: dict[str, Attribute | None] = {
    "strides": integers([1, 1]),
    "dilations": integers([1, 1]),
    "padding": integers([0, 0, 0, 0]),
}


REFUSED = {
    "graph.reduce_prod": one(reduction.ReduceProdOp, "", X, axes=integers([1])),
    "graph.pad of mode edge": one(
        pad.PadOp, "", X, mode=StringAttr("edge"), low=integers([0] * 4), high=integers([1] * 4)
    ),
    "graph.gather along axis 1": one(
        gather.GatherOp, "", X, np.array([0, 1], np.int64), axis=integer(1)
    ),
    "graph.matmul with shared products": one(
        contraction.MatmulOp, "", values(4, 3, 4), values(2, 4, 5), shared=integer(2)
    ),
    "graph.conv with other layouts than channels first": one(
        convolution.ConvOp, "", np.moveaxis(X, 1, -1), W, data_layout=CHANNELS_LAST, **FLAT
    ),
    "graph.max_pool with other layouts than channels first": one(
        max_pool.MaxPoolOp,
        "",
        np.moveaxis(X, 1, -1),
        window=integers([2, 2]),
        data_layout=CHANNELS_LAST,
        **FLAT,
    ),
}


@pytest.mark.parametrize("reason", REFUSED)
def test_what_has_no_rule_is_said(reason: str) -> None:
    this = REFUSED[reason]
    with pytest.raises(NoRuleError, match=f"^{reason}$"):
        computed(this, values(*shape(this.op.results[0])))
