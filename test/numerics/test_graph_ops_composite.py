"""Composite ops: the decomposition computes what the reference says."""

import numpy as np
import pytest
from samples import Sample, check_code, sample, values, without_sample
from xdsl.dialects.builtin import ArrayAttr, StringAttr, UnitAttr
from xdsl.ir import Attribute

from dlc.dialects.graph import (
    attention,
    local_response,
    normalization,
    quantize,
    recurrent_cell,
    softmax,
)
from dlc.dialects.graph.data_layout import CHANNELS_LAST
from dlc.dialects.graph.direction import Direction, DirectionAttr
from dlc.dialects.graph.properties import integer, integers, number, numbers
from dlc.dialects.graph.recurrent import LOOPED_STEPS, RecurrentOp

EPSILON = number(1e-5)


def softmax_samples() -> list[Sample]:
    far = np.array([[-1e30, 0, 1e30], [-np.inf, 1, -np.inf], [88, 89, 90]], np.float32)
    along = [
        sample(op, f"{axis}-{data.dtype}", data, axis=integer(axis))
        for op in (softmax.SoftmaxOp, softmax.LogSoftmaxOp, softmax.HardmaxOp)
        for data in (values(3, 4), values(3, 4, dtype=np.float16))
        for axis in (0, 1)
    ]
    far_apart = [
        sample(op, "far", far, axis=integer(1)) for op in (softmax.SoftmaxOp, softmax.LogSoftmaxOp)
    ]
    infinite = np.array([[np.inf, 0], [-np.inf, -np.inf], [-np.inf, 3]], np.float32)
    op = softmax.ReduceLogSumExpOp
    return [
        *along,
        *far_apart,
        sample(op, "two", values(3, 4, 5), axes=integers([0, 2])),
        sample(op, "kept", values(3, 4), axes=integers([1]), keep_dims=UnitAttr()),
        sample(op, "infinite", infinite, axes=integers([1])),
    ]


def normalization_samples() -> list[Sample]:
    data, channel = values(2, 6, 3, 4), [values(6, seed=n) for n in range(3)]
    variance = np.abs(values(6, seed=9)) + 0.1
    batch, layer, rms = (
        normalization.BatchNormOp,
        normalization.LayerNormOp,
        normalization.RmsNormOp,
    )
    group, lrn = normalization.GroupNormOp, local_response.LrnOp
    shifted = data + 1000  # a variance that is a difference of two large sums would be lost
    rows = values(4), values(4, seed=1)
    return [
        sample(batch, "first", data, *channel, variance, epsilon=EPSILON),
        sample(
            batch,
            "last",
            np.moveaxis(data, 1, -1),
            *channel,
            variance,
            data_layout=CHANNELS_LAST,
            epsilon=EPSILON,
        ),
        sample(batch, "two-axes", values(5, 6), *channel, variance, epsilon=EPSILON),
        *(
            sample(op, f"{n}-{axis}", shifted, *parameters, axis=integer(axis), epsilon=EPSILON)
            for op in (layer, rms)
            for n, parameters in enumerate((rows, rows[:1], (values(6, 3, 4), values(3, 4))))
            for axis in (1, 3)
        ),
        sample(
            layer,
            "half",
            data.astype(np.float16),
            *(r.astype(np.float16) for r in rows),
            axis=integer(3),
            epsilon=EPSILON,
        ),
        *(
            sample(group, f"{n}", data, *channel[:2], groups=integer(n), epsilon=EPSILON)
            for n in (1, 2, 6)
        ),
        *(
            sample(
                lrn,
                f"{size}",
                data,
                size=integer(size),
                alpha=number(0.3),
                beta=number(0.75),
                bias=number(2.0),
            )
            for size in (1, 2, 3, 5, 9)
        ),
    ]


ACTIVATIONS: dict[type[RecurrentOp], list[str]] = {
    recurrent_cell.RnnOp: ["tanh"],
    recurrent_cell.GruOp: ["sigmoid", "tanh"],
    recurrent_cell.LstmOp: ["sigmoid", "tanh", "tanh"],
}


def recurrent(
    op: type[RecurrentOp],
    label: str,
    direction: Direction,
    names: list[str] | None = None,
    steps: int = 3,
    hidden: int = 3,
    **given: Attribute | None,
) -> Sample:
    """Return a sample with a batch of 2 and 4 inputs."""
    d, h = 2 if direction is Direction.bidirectional else 1, hidden
    names = (names or ACTIVATIONS[op]) * d
    operands = [
        values(steps, 2, 4),
        values(d, h * op.GATES, 4, seed=1) / 4,
        values(d, h * op.GATES, h, seed=2) / 4,
        values(d, 2 * h * op.GATES, seed=3) / 4,
        np.array([steps, 2], np.int32),
        values(d, 2, h, seed=4),
    ]
    if op is recurrent_cell.LstmOp:
        operands += [values(d, 2, h, seed=5), values(d, 3 * h, seed=6) / 4]
    return sample(
        op,
        label,
        *operands,
        results=3 if op is recurrent_cell.LstmOp else 2,
        direction=DirectionAttr(direction),
        activations=ArrayAttr(map(StringAttr, names)),
        parameters=numbers([0.3, 0.6] * len(names)),
        **given,
    )


def recurrent_samples() -> list[Sample]:
    each = [
        recurrent(op, direction, direction, clip=clip)
        for op in ACTIVATIONS
        for direction in Direction
        for clip in (None, number(0.5))
    ]
    names = ["relu", "hardsigmoid", "leakyrelu", "thresholdedrelu", "elu", "softsign", "softplus",
             "affine", "scaledtanh"]  # fmt: skip
    activations = [
        recurrent(recurrent_cell.RnnOp, name, Direction.forward, [name]) for name in names
    ]
    loops = [
        recurrent(op, f"{direction}-loop", direction, steps=LOOPED_STEPS + 1, hidden=4)
        for op in ACTIVATIONS
        for direction in Direction
    ]
    yes = UnitAttr()
    return [
        *each,
        *activations,
        *loops,
        recurrent(recurrent_cell.GruOp, "after", Direction.bidirectional, reset_after=yes),
        recurrent(recurrent_cell.LstmOp, "coupled", Direction.bidirectional, coupled=yes),
    ]


def quantize_samples() -> list[Sample]:
    op, back = quantize.QuantizeLinearOp, quantize.DequantizeLinearOp
    data, quarter = values(4, 6) * 100, np.array(0.25, np.float32)
    samples: list[Sample] = []
    for kind in (np.int8, np.uint8, np.int16, np.uint16):
        stored = (np.abs(values(4, 6)) * 30).astype(kind)
        zero, three = np.array(7, kind), np.array([1, 2, 3, 4], kind)
        scales = np.array([0.5, 1, 2, 4], np.float32)
        for quantizer, x in ((op, data), (back, stored)):
            name = kind.__name__
            samples += [
                sample(quantizer, f"{name}", x, quarter, zero, axis=integer(0)),
                sample(quantizer, f"{name}-axis", x, scales, three, axis=integer(0)),
            ]
    blocks = np.array([[0.5, 1], [2, 4], [1, 1], [8, 0.25]], np.float32)
    points = np.zeros((4, 2), np.int8)
    one, four = integer(1), integer(4)
    return [
        *samples,
        sample(op, "block", data, blocks, points, axis=one, block=four),
        sample(back, "block", values(4, 6, dtype=np.int8), blocks, points, axis=one, block=four),
        sample(
            back, "wide", values(4, dtype=np.int32), quarter, np.array(0, np.int32), axis=integer(0)
        ),
    ]


def attention_samples() -> list[Sample]:
    query, key, value = values(2, 3, 4, 5), values(2, 1, 6, 5, seed=1), values(2, 3, 6, 2, seed=2)
    op, scale, yes = attention.AttentionOp, number(0.4), UnitAttr()
    return [
        sample(op, "plain", query, key, value, scale=scale),
        sample(op, "mask", query, key, value, values(4, 6, seed=3), scale=scale),
        sample(op, "seen", query, key, value, values(3, 4, 6, seed=3) > -2, scale=scale),
        sample(op, "causal", query, key, value, values(6, seed=3), causal=yes, scale=scale),
    ]


SAMPLES = [
    *attention_samples(),
    *softmax_samples(),
    *normalization_samples(),
    *recurrent_samples(),
    *quantize_samples(),
]


@pytest.mark.parametrize("this", SAMPLES, ids=str)
def test_decomposition_computes_the_reference(this: Sample) -> None:
    check_code(this)


def test_every_op_has_a_sample() -> None:
    families = (attention, softmax, normalization, recurrent_cell, quantize)
    assert not without_sample(families, SAMPLES)
