"""Reductions over axes and windows: the code computes what the references say."""

import numpy as np
import pytest
from samples import Sample, check_code, sample, values, without_sample
from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import Attribute

from dlc.dialects.graph import (
    arg_reduction,
    interpolate,
    max_pool,
    pooling,
    reduction,
    resample,
    scan,
    sort,
    sum_pool,
    unpooling,
)
from dlc.dialects.graph.data_layout import CHANNELS_LAST
from dlc.dialects.graph.properties import integer, integers, number

FAMILIES = (
    reduction,
    arg_reduction,
    max_pool,
    sum_pool,
    scan,
    sort,
    interpolate,
    resample,
    unpooling,
)
FLOAT_ONLY = (reduction.ReduceL2Op, reduction.ReduceLogSumOp)
TIES = np.array([[1, 3, 3, 2], [np.nan, 5, np.nan, 7], [-np.inf] * 4, [2, 2, 2, 2]], np.float32)


def reduction_samples() -> list[Sample]:
    data = values(3, 4, 5)
    samples = [
        sample(op, f"{axes}", np.abs(data), axes=integers(axes), keep_dims=keep)
        for op in reduction.OPERATIONS
        for axes, keep in (([1], None), ([0, 2], UnitAttr()), ([0, 1, 2], None))
    ]
    samples += [
        sample(op, kind.__name__, values(3, 6, dtype=kind), axes=integers([1]))
        for op in reduction.OPERATIONS
        if op not in FLOAT_ONLY
        for kind in (np.int8, np.uint8, np.int32, np.int64)
    ]
    samples += [
        sample(op, "half", np.abs(values(2, 8, dtype=np.float16)), axes=integers([1]))
        for op in reduction.OPERATIONS
    ]
    return [
        *samples,
        sample(reduction.ReduceMaxOp, "nan", TIES, axes=integers([1])),
        sample(reduction.ReduceMinOp, "nan", TIES, axes=integers([0])),
        sample(reduction.ReduceSumOp, "empty", values(3, 0), axes=integers([1])),
        sample(reduction.ReduceMaxOp, "empty", values(3, 0), axes=integers([1])),
    ]


def arg_samples() -> list[Sample]:
    return [
        sample(op, f"{axis}-{last is not None}", data, axes=integers([axis]), select_last=last)
        for op in arg_reduction.OPERATIONS
        for data in (TIES, values(4, 6, dtype=np.int32))
        for axis in (0, 1)
        for last in (None, UnitAttr())
    ]


def pool(
    op: type[pooling.PoolOp],
    label: str,
    data: np.ndarray,
    window: list[int],
    **given: list[int] | Attribute | None,
) -> Sample:
    """Return a sample with the defaults of one spatial axis repeated."""
    axes = len(window)
    properties: dict[str, Attribute | None] = {
        "strides": integers([1] * axes),
        "padding": integers([0] * 2 * axes),
        "dilations": integers([1] * axes),
        **{k: integers(v) if isinstance(v, list) else v for k, v in given.items()},
    }
    return sample(op, label, data, results=1, window=integers(window), **properties)


def pooling_samples() -> list[Sample]:
    samples: list[Sample] = []
    data = values(2, 3, 6, 7)
    yes = UnitAttr()
    windows = {
        "plain": {},
        "strided": {"strides": [2, 3]},
        "padded": {"padding": [1, 0, 1, 2], "strides": [2, 1]},
        "dilated": {"dilations": [2, 1], "padding": [2, 1, 2, 0]},
        "ceil": {"strides": [2, 3], "padding": [1, 1, 0, 1], "ceil_mode": yes},
        "ceil-dilated": {
            "strides": [3, 2],
            "dilations": [1, 2],
            "padding": [0, 1, 1, 1],
            "ceil_mode": yes,
        },
    }
    last = {"data_layout": CHANNELS_LAST, "padding": [1, 1, 1, 1]}
    for op in (*max_pool.OPERATIONS, *sum_pool.OPERATIONS):
        own = {"exponent": number(2)} if op is sum_pool.LpPoolOp else {}
        samples += [pool(op, name, data, [3, 2], **own, **w) for name, w in windows.items()]
        samples.append(pool(op, "1d", values(1, 2, 8), [3], padding=[1, 1], **own))
        samples.append(pool(op, "3d", values(1, 2, 3, 4, 3), [2, 2, 2], **own))
        if op is not max_pool.MaxPoolIndexOp:
            samples.append(pool(op, "last", values(2, 4, 5, 3), [2, 2], **own, **last))
    average = sum_pool.AveragePoolOp
    samples += [
        pool(average, f"{name}-all", data, [3, 2], count_include_pad=yes, **window)
        for name, window in windows.items()
    ]
    infinite = np.full((1, 1, 3, 3), -np.inf, np.float32)
    around = {"padding": [1, 1, 1, 1]}
    index = max_pool.MaxPoolIndexOp
    return [
        *samples,
        *(
            pool(sum_pool.LpPoolOp, f"exponent-{p}", data, [2, 2], exponent=number(p))
            for p in (1, 3)
        ),
        pool(max_pool.MaxPoolOp, "bytes", values(1, 1, 4, 4, dtype=np.uint8), [2, 2], **around),
        pool(max_pool.MaxPoolOp, "infinite", infinite, [3, 3], **around),
        pool(index, "infinite", infinite, [3, 3], **around),
        pool(index, "columns", data, [2, 2], column_major=yes, **around),
        pool(index, "equal", np.ones((1, 2, 4, 4), np.float32), [3, 3], **around),
    ]


def unpooling_samples() -> list[Sample]:
    samples: list[Sample] = []
    for window, stride, padding in ((2, 2, [0, 0]), (3, 2, [1, 1]), (2, 3, [0, 0]), (3, 1, [1, 0])):
        data = values(2, 3, 9, seed=window)
        shared = {"strides": [stride], "padding": padding}
        index = pool(max_pool.MaxPoolIndexOp, "", data, [window], **shared)
        places = np.asarray(index.op.reference(data))
        length = (places.shape[2] - 1) * stride + window - sum(padding)
        plane, place = np.divmod(places, 9)
        samples += [
            sample(
                unpooling.MaxUnpoolOp,
                f"{window}-{stride}-{label}",
                np.asarray(data.ravel()[places]),
                plane * length + place,
                window=integers([window]),
                strides=integers([stride]),
                padding=integers(padding),
                add=add,
            )
            for label, add in (("one", None), ("add", UnitAttr()))
        ]
    return samples


def scan_samples() -> list[Sample]:
    yes = UnitAttr()
    return [
        sample(
            op,
            f"{axis}-{exclusive is not None}-{reverse is not None}-{data.dtype}",
            data,
            axis=integer(axis),
            exclusive=exclusive,
            reverse=reverse,
        )
        for op in scan.OPERATIONS
        for data in (values(3, 4), values(3, 4, dtype=np.int8))
        for axis in (0, 1)
        for exclusive in (None, yes)
        for reverse in (None, yes)
    ]


def sort_samples() -> list[Sample]:
    yes = UnitAttr()
    places = np.array([[2, 0, 1, 3], [3, 2, 1, 0]])
    return [
        *(
            sample(
                op,
                f"{axis}-{largest is not None}-{data.dtype}",
                data,
                axis=integer(axis),
                largest=largest,
                results=results,
                count=count,
            )
            for op, results, count in ((sort.RankOp, 1, None), (sort.TopKOp, 2, integer(3)))
            for data in (TIES, values(4, 6, dtype=np.int32), values(4, 5, dtype=np.uint8))
            for axis in (0, 1)
            for largest in (None, yes)
        ),
        sample(sort.FindRankOp, "", places, axis=integer(1), count=integer(3)),
    ]


def interpolate_samples() -> list[Sample]:
    places, weights = np.array([[0, 1], [2, 2], [-1, 7]]), values(3, 2, seed=1)
    op = interpolate.InterpolateOp
    half = weights.astype(np.float16)
    even = resample.ResampleOp
    rows = values(2, 2, seed=2), values(7, 3, seed=3)
    return [
        sample(
            even,
            "two",
            values(2, 3, 4),
            *rows,
            axes=integers([1, 2]),
            sizes=integers([6, 7]),
            lines=integers([2, -2, 4, 18, -12, 7]),
        ),
        sample(
            even,
            "half",
            values(5, 2, dtype=np.float16),
            half,
            axes=integers([0]),
            sizes=integers([2]),
            lines=integers([5, 1, 2]),
        ),
        sample(op, "0", values(3, 4), places, weights, axis=integer(0)),
        sample(op, "1", values(2, 3, 4), places, weights, axis=integer(1)),
        sample(op, "half", values(2, 3, dtype=np.float16), places, half, axis=integer(1)),
    ]


SAMPLES = [
    *reduction_samples(),
    *arg_samples(),
    *pooling_samples(),
    *unpooling_samples(),
    *scan_samples(),
    *sort_samples(),
    *interpolate_samples(),
]


@pytest.mark.parametrize("this", SAMPLES, ids=str)
def test_code_computes_the_reference(this: Sample) -> None:
    check_code(this)


def test_every_op_has_a_sample() -> None:
    assert not without_sample(FAMILIES, SAMPLES)


def test_average_pool_counts_what_is_inside() -> None:
    """The reference against figures computed by hand: 1 to 4 under windows of 3 with padding 1."""
    x = np.arange(1, 5, dtype=np.float64).reshape(1, 1, 4)
    inside = pool(sum_pool.AveragePoolOp, "", values(1, 1, 4), [3], padding=[1, 1])
    padded = pool(
        sum_pool.AveragePoolOp,
        "",
        values(1, 1, 4),
        [3],
        padding=[1, 1],
        count_include_pad=UnitAttr(),
    )
    assert np.ravel(inside.op.reference(x)).tolist() == [1.5, 2, 3, 3.5]
    assert np.ravel(padded.op.reference(x)).tolist() == [1, 2, 3, 7 / 3]
