"""Data movement: the code of each op copies the elements that it should, exactly."""

from collections.abc import Sequence

import numpy as np
import pytest
from samples import Sample, check_code, sample, values, without_sample
from xdsl.dialects.builtin import (
    FloatAttr,
    IntegerAttr,
    StringAttr,
    TensorType,
    UnitAttr,
    f16,
    f32,
    i1,
    i8,
    i32,
)
from xdsl.ir import Attribute

from dlc.dialects.graph import gather, generate, layout, overlay, pad, reshape, scatter, source
from dlc.dialects.graph.properties import element_attribute, integer, integers
from dlc.dialects.graph.source import dense_attribute
from dlc.dialects.graph.structure import Array

RESHAPES = [
    ((2, 3, 4), (6, 4)),
    ((6, 4), (2, 3, 4)),
    ((4, 6), (6, 4)),
    ((2, 3, 4), (24,)),
    ((24,), (2, 3, 4)),
    ((1, 6, 1), (2, 1, 3)),
    ((), (1, 1)),
    ((1,), ()),
    ((2, 6, 5), (4, 3, 5)),
    ((2, 3, 2, 3), (3, 2, 3, 2)),
    ((0, 3), (3, 0)),
]


def reshape_samples() -> list[Sample]:
    plain = [
        sample(reshape.ReshapeOp, f"{old}-{new}", values(*old), sizes=integers(new))
        for old, new in RESHAPES
    ]
    inferred = sample(reshape.ReshapeOp, "inferred", values(2, 3, 4), sizes=integers([-1, -3]))
    return [*plain, inferred]


def layout_samples() -> list[Sample]:
    x = values(3, 4, 5)
    slices = [
        ((0, 0, 0), (3, 4, 5), (1, 1, 1)),
        ((1, -3, 4), (9, -1, -6), (1, 2, -2)),
        ((-1, 100, 0), (-100, -100, 5), (-1, -3, 4)),
        ((2, 0, 0), (1, 4, 5), (1, 1, 1)),
    ]
    parts = [values(2, n, 3, seed=n) for n in (1, 3, 0, 2, 1)]
    return [
        sample(layout.TransposeOp, "rotation", x, permutation=integers([2, 0, 1])),
        sample(layout.TransposeOp, "scalar", values(), permutation=integers([])),
        sample(layout.BroadcastOp, "new-axis", values(3, 1), sizes=integers([2, 1, 4])),
        sample(layout.BroadcastOp, "scalar", values(), sizes=integers([2, 3])),
        sample(layout.TileOp, "twice", values(2, 3), repeats=integers([2, 3])),
        sample(layout.TileOp, "bytes", values(2, 3, dtype=np.uint8), repeats=integers([1, 2])),
        *(
            sample(
                layout.SliceOp,
                str(number),
                x,
                starts=integers(starts),
                stops=integers(stops),
                steps=integers(steps),
            )
            for number, (starts, stops, steps) in enumerate(slices)
        ),
        sample(layout.ConcatOp, "five", *parts, axis=integer(1)),
        sample(layout.ConcatOp, "one", values(2, 3, dtype=np.bool_), axis=integer(0)),
        *overlay_samples(),
    ]


def overlay_samples() -> list[Sample]:
    x, a, b = values(2, 9, 3, seed=1), values(2, 4, 3, seed=2), values(2, 2, 3, seed=3)

    def over(label: str, starts: Sequence[int], *operands: Array, size: int = 9) -> Sample:
        places = integers(starts)
        return sample(
            overlay.OverlayOp, label, *operands, axis=integer(1), size=integer(size), starts=places
        )

    return [
        over("over-all", [0, 1, 7], x, a, b),
        over("gaps", [1, 6], a, b),
        over("later-over-earlier", [2, 3], a, b),
        over("covered", [0, 0], a, x),
        over("one", [0], a, size=4),
    ]


def pad_samples() -> list[Sample]:
    margins = [((1, 0), (0, 2)), ((-1, 2), (1, -1)), ((2, 3), (2, 3)), ((0, 0), (0, 0))]
    modes = [(mode, low, high) for mode in ("edge", "reflect", "wrap") for low, high in margins]
    modes += [("wrap", (7, 9), (0, 11)), ("reflect", (7, 9), (0, 11))]
    x = values(4, 5)

    def padded(
        label: str,
        x: Array,
        low: Sequence[int],
        high: Sequence[int],
        mode: str,
        value: Attribute | None = None,
    ) -> Sample:
        return sample(
            pad.PadOp,
            label,
            x,
            low=integers(low),
            high=integers(high),
            mode=StringAttr(mode),
            value=value,
        )

    fills = [
        (x, FloatAttr(-1.5, f32)),
        (values(4, 5, dtype=np.int8), IntegerAttr(-7, i8)),
        (values(4, 5, dtype=np.bool_), IntegerAttr(-1, i1)),
        (values(4, 5, dtype=np.int32), IntegerAttr(2**31 - 1, i32)),
    ]
    return [
        *(padded(f"{mode}-{low}-{high}", x, low, high, mode) for mode, low, high in modes),
        *(
            padded(f"{array.dtype}-{low}-{high}", array, low, high, "constant", value)
            for array, value in fills
            for low, high in margins
        ),
        padded("one-element", values(1, 1), (2, 0), (3, 0), "reflect"),
    ]


def gather_samples() -> list[Sample]:
    x = values(3, 4, 5)
    few = np.array([[0, 2], [-1, -3]], np.int64)
    outside = np.array([7, -9, 1], np.int32)
    pairs = np.array([[0, 1], [-1, -2], [2, 3]], np.int64)
    batched = np.array([[[0], [3]], [[1], [-1]], [[2], [9]]], np.int32)
    along = np.array([[[0] * 5, [-1] * 5], [[2] * 5, [1] * 5]], np.int64)
    lengths = np.array([4, 1, 2, 0], np.int64)
    gather_nd, reverse = gather.GatherNdOp, gather.ReverseSequenceOp
    return [
        *(sample(gather.GatherOp, f"axis-{a}", x, few, axis=integer(a)) for a in range(3)),
        sample(gather.GatherOp, "outside", x, outside, axis=integer(1)),
        sample(gather.GatherOp, "scalar", x, np.array(-1, np.int64), axis=integer(0)),
        sample(gather.GatherElementsOp, "axis-0", x, along, axis=integer(0)),
        sample(gather.GatherElementsOp, "axis-1", x, along, axis=integer(1)),
        sample(gather_nd, "slices", x, pairs, batch_axes=integer(0)),
        sample(gather_nd, "batched", x, batched, batch_axes=integer(1)),
        sample(gather_nd, "elements", x[:, :, 0], pairs, batch_axes=integer(0)),
        sample(gather_nd, "nothing", values(2), np.zeros((3, 0), np.int64), batch_axes=integer(0)),
        sample(reverse, "time-first", x, lengths, batch_axis=integer(1), time_axis=integer(0)),
        sample(reverse, "batch-first", x, lengths[:3], batch_axis=integer(0), time_axis=integer(2)),
    ]


def scatter_samples() -> list[Sample]:
    elements = np.array([[0, 2, -1], [1, 1, 9]], np.int64)
    places = np.array([[[0, 1]], [[-1, -2]], [[0, 1]]], np.int64)
    rows = np.array([[1], [-1], [1], [5]], np.int32)
    found = []
    for reduction in ("none", "add", "mul", "max", "min"):
        for dtype in (np.float32, np.int8):
            chosen = StringAttr(reduction)
            label = f"{reduction}-{np.dtype(dtype)}"
            x = values(3, 4, dtype=dtype)
            found += [
                sample(
                    scatter.ScatterElementsOp,
                    f"{label}-axis-{axis}",
                    x,
                    elements,
                    values(2, 3, dtype=dtype, seed=1),
                    axis=integer(axis),
                    reduction=chosen,
                )
                for axis in range(2)
            ]
            for name, indices, sizes in (("elements", places, (3, 1)), ("rows", rows, (4, 4))):
                update = values(*sizes, dtype=dtype, seed=2)
                op = scatter.ScatterNdOp
                found.append(sample(op, f"{label}-{name}", x, indices, update, reduction=chosen))
    return found


def generated_samples() -> list[Sample]:
    generated, trilu = generate.RangeOp, generate.TriluOp
    return [
        sample(generated, "int", start=integer(5), step=integer(-2), size=integer(4)),
        sample(
            generated,
            "float",
            start=FloatAttr(0.5, f32),
            step=FloatAttr(0.25, f32),
            size=integer(5),
        ),
        *(
            sample(
                trilu, f"{k}-{upper is not None}", values(2, 3, 4), diagonal=integer(k), upper=upper
            )
            for k in (-1, 0, 2, 9)
            for upper in (None, UnitAttr())
        ),
        sample(trilu, "bool", values(3, 3, dtype=np.bool_), diagonal=integer(0)),
    ]


def source_samples() -> list[Sample]:
    elements = [element_attribute(2.5, f16), element_attribute(-3, i8), element_attribute(1, i1)]
    constants = [values(2, 3), values(dtype=np.int64), np.array([True, False, True])]
    return [
        *(Sample(str(x.dtype), source.ConstantOp(dense_attribute(x)), ()) for x in constants),
        *(
            Sample(str(element.type), source.SplatOp(element, TensorType(element.type, [2, 3])), ())
            for element in elements
        ),
    ]


SAMPLES = [
    *reshape_samples(),
    *layout_samples(),
    *pad_samples(),
    *gather_samples(),
    *scatter_samples(),
    *generated_samples(),
    *source_samples(),
]


@pytest.mark.parametrize("this", SAMPLES, ids=str)
def test_code_computes_the_reference(this: Sample) -> None:
    check_code(this)


def test_every_op_has_a_sample() -> None:
    families = (reshape, layout, pad, gather, scatter, generate, source)
    assert not without_sample(families, SAMPLES)
