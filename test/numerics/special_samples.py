"""Samples at the values where arithmetic goes wrong: limits of integers, zeros with a sign,
infinities, NaN, denormals and numbers whose functions overflow.
"""

from collections.abc import Sequence
from itertools import product

import numpy as np
from ml_dtypes import bfloat16, finfo
from samples import Sample, sample
from xdsl.dialects.builtin import StringAttr, UnitAttr

from dlc.dialects.graph import activation, arg_reduction, cast, comparison, elementwise, math
from dlc.dialects.graph.properties import integer, integers, number
from dlc.dialects.graph.reduction import (
    ReduceL1Op,
    ReduceMaxOp,
    ReduceMeanOp,
    ReduceMinOp,
    ReduceSumOp,
)
from dlc.dialects.graph.scan import CumProdOp, CumSumOp
from dlc.dialects.graph.scatter import ScatterNdOp
from dlc.dialects.graph.sort import TopKOp
from dlc.dialects.graph.structure import Array
from dlc.ir.tensor import element_type_of

SIGNED = [np.dtype(t) for t in (np.int8, np.int16, np.int32, np.int64)]
UNSIGNED = [np.dtype(t) for t in (np.uint8, np.uint16, np.uint32, np.uint64)]
FLOATS = [np.dtype(t) for t in (np.float32, np.float64, np.float16, bfloat16)]
NUMBERS = [*SIGNED, *UNSIGNED, *FLOATS]


def special(dtype: np.dtype) -> Array:
    """Return the special values of a dtype."""
    if dtype.kind in "iu":
        limits = np.iinfo(dtype)
        half = int(limits.max) // 2
        near = [0, 1, 2, 3, 7, half, half + 1, half + 2, limits.max - 1, limits.max]
        return np.array(near if limits.min == 0 else [limits.min, -7, -1, *near], dtype)
    kind = finfo(dtype)
    positive = [0.0, 0.5, 1.0, 2.5, 3.5, 40.0, float("inf")]
    limits = [float(kind.smallest_subnormal), float(kind.tiny), float(kind.max)]
    numbers = [*positive, *limits, 1.5 * float(kind.tiny)]
    return np.array([*numbers, *(-x for x in numbers), float("nan")], dtype)


def binary_samples() -> list[Sample]:
    ops = [
        *(elementwise.AddOp, elementwise.SubOp, elementwise.MulOp, elementwise.DivOp),
        *(elementwise.ModOp, elementwise.PowOp, elementwise.MaxOp, elementwise.MinOp),
    ]
    found = [
        sample(op, str(dtype), special(dtype)[:, None], special(dtype))
        for op, dtype in product(ops, NUMBERS)
    ]
    for dtype in NUMBERS:
        x = special(dtype)
        fmod = UnitAttr()
        found.append(sample(elementwise.ModOp, f"fmod-{dtype}", x[:, None], x, truncate=fmod))
        found.append(sample(activation.PreluOp, str(dtype), x[:, None], x))
        for predicate in ("eq", "ne", "lt", "le", "gt", "ge"):
            label, chosen = f"{predicate}-{dtype}", StringAttr(predicate)
            found.append(sample(comparison.CompareOp, label, x[:, None], x, predicate=chosen))
    for dtype in (*SIGNED, *UNSIGNED):
        x = special(dtype)
        for label, right in (("left", None), ("right", UnitAttr())):
            name = f"{label}-{dtype}"
            found.append(sample(comparison.ShiftOp, name, x[:, None], x, right=right))
    return found


def unary_samples() -> list[Sample]:
    found = [
        sample(op, str(dtype), special(dtype))
        for op, dtype in product(
            (elementwise.AbsOp, elementwise.SignOp, activation.ReluOp), NUMBERS
        )
    ]
    found += [sample(elementwise.NegOp, str(d), special(d)) for d in (*SIGNED, *FLOATS)]
    found += [sample(comparison.NotOp, str(d), special(d)) for d in (*SIGNED, *UNSIGNED)]
    found += [
        sample(op, str(dtype), special(dtype)) for op, dtype in product(math.OPERATIONS, FLOATS[:3])
    ]
    alpha = number(0.3)
    f32 = special(FLOATS[0])
    for op in (activation.SigmoidOp, activation.SoftplusOp, activation.SoftsignOp):
        found.append(sample(op, "special", f32))
    for op in (activation.LeakyReluOp, activation.EluOp, activation.CeluOp):
        found.append(sample(op, "special", f32, alpha=alpha))
    return found


def cast_samples() -> list[Sample]:
    """Conversions between all dtypes; of floats those whose integral part the target has."""
    found: list[Sample] = []
    for source, target in product(NUMBERS, (*NUMBERS, np.dtype(np.bool_))):
        x = special(source)
        if source.kind not in "iu" and target.kind in "iu":
            large = np.array([1e9, 9e18, 1e19, 1.8e19, -1e9])
            large = large[np.abs(large) < float(finfo(source).max)].astype(source)
            x = np.concatenate([x, large])
            x = x[_convertible(x.astype(np.float64), target)]
        found.append(sample(cast.CastOp, f"{source}-{target}", x, to=element_type_of(target)))
    return found


def _convertible(x: Array, target: np.dtype) -> Array:
    """Return where ``graph.cast`` says what becomes of a float."""
    wide = target.itemsize == 8 or target == np.uint32
    high = 2.0**64 if target == np.uint64 else 2.0**63 if wide else 2.0**31
    return (np.abs(x) < high) & (x > -(2.0**63 if wide else 2.0**31))


def reduction_samples() -> list[Sample]:
    found: list[Sample] = []
    last = integers([1])
    for dtype in NUMBERS:
        x = special(dtype)
        rows = np.stack([x, x[::-1], np.roll(x, 3)])
        for op in (ReduceMaxOp, ReduceMinOp, arg_reduction.ArgMaxOp, arg_reduction.ArgMinOp):
            found.append(sample(op, str(dtype), rows, axes=last))
        if dtype.kind in "iu":
            found += [sample(op, str(dtype), rows, axes=last) for op in (ReduceSumOp, ReduceL1Op)]
            found += [sample(op, str(dtype), rows, axis=integer(1)) for op in (CumSumOp, CumProdOp)]
        for label, largest in (("smallest", None), ("largest", UnitAttr())):
            name, axis, count = f"{label}-{dtype}", integer(1), integer(4)
            found.append(
                sample(TopKOp, name, rows, results=2, axis=axis, count=count, largest=largest)
            )
        found += scatter_samples(dtype)
    zeros = np.array([[-0.0, -0.0, 0.0, -0.0], [-0.0, 1.0, -1.0, -0.0]], np.float32)
    for label, exclusive in (("inclusive", None), ("exclusive", UnitAttr())):
        name = f"zeros-{label}"
        found.append(sample(CumSumOp, name, zeros, axis=integer(1), exclusive=exclusive))
    found.append(
        sample(ReduceMeanOp, "uint64", np.full((2, 2), 2**63 - 2, np.uint64) // 2, axes=last)
    )
    return found


def scatter_samples(dtype: np.dtype) -> Sequence[Sample]:
    x = special(dtype)
    places = (np.arange(x.size) % 3)[:, None]
    return [
        sample(ScatterNdOp, f"{name}-{dtype}", x[:5], places, x, reduction=StringAttr(name))
        for name in ("max", "min")
    ]


SAMPLES = [*binary_samples(), *unary_samples(), *cast_samples(), *reduction_samples()]
