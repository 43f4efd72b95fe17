"""Elementwise ops: the code they write computes what they mean, corner cases included."""

import numpy as np
import pytest
from ml_dtypes import bfloat16
from samples import Sample, check_code, sample, values, without_sample
from xdsl.dialects.builtin import StringAttr, UnitAttr, bf16, f16, f32, f64, i1, i8, i32, i64

from dlc.dialects.graph import activation, cast, comparison, copy, elementwise, math
from dlc.dialects.graph.properties import number
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import element_type_of

INF, NAN = float("inf"), float("nan")
SPECIAL = np.array([0.0, -0.0, 1.0, -1.0, 0.5, -2.5, 3.5, INF, -INF, NAN, 40.0, -40.0], np.float32)
UNIT = np.linspace(-1, 1, 9, dtype=np.float32)
EXTREME = {
    dtype: np.array([np.iinfo(dtype).min, np.iinfo(dtype).max, 0, 1, 2, 7, 100], dtype)
    for dtype in (np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32)
}


def arithmetic_samples() -> list[Sample]:
    ops = [
        elementwise.AddOp,
        elementwise.SubOp,
        elementwise.MulOp,
        elementwise.DivOp,
        elementwise.MaxOp,
        elementwise.MinOp,
        elementwise.ModOp,
    ]
    found = []
    for op in ops:
        found.append(sample(op, "float", SPECIAL[:, None], SPECIAL))
        found.append(
            sample(op, "half", values(3, 1, dtype=np.float16), values(4, dtype=np.float16))
        )
        for dtype, array in EXTREME.items():
            other = array if np.iinfo(dtype).min == 0 else np.append(array, dtype(-1))
            found.append(sample(op, dtype.__name__, array[:, None], other))
    return found


def special_arithmetic_samples() -> list[Sample]:
    base = np.array([0, 1, -1, 2, -3, 7], np.int32)
    exponent = np.array([0, 1, 2, 3, 5, 31, 40, -1, -2], np.int32)
    fmod = UnitAttr()
    large = np.array([1e6, -1e6, 1e9, 7.25, INF, 0.1], np.float64)
    divisor = np.array([3.0, -3.0, 0.1, INF, 0.7, 0.0], np.float64)
    remainder, extreme = elementwise.ModOp, EXTREME[np.int32]
    return [
        sample(elementwise.PowOp, "float", np.abs(values(5, 1)), values(4, seed=1)),
        sample(elementwise.PowOp, "integer", base[:, None], exponent),
        sample(elementwise.PowOp, "int8", base.astype(np.int8)[:, None], exponent.astype(np.int8)),
        sample(remainder, "fmod-float", SPECIAL[:, None], SPECIAL, truncate=fmod),
        sample(remainder, "fmod-double", large[:, None], divisor, truncate=fmod),
        sample(remainder, "fmod-int32", extreme[:, None], extreme, truncate=fmod),
        *(
            sample(elementwise.NegOp, d.__name__, x)
            for d, x in EXTREME.items()
            if np.iinfo(d).min < 0
        ),
        *(sample(elementwise.AbsOp, d.__name__, x) for d, x in EXTREME.items()),
        *(sample(elementwise.SignOp, d.__name__, x) for d, x in EXTREME.items()),
        *(
            sample(op, "float", SPECIAL)
            for op in (elementwise.NegOp, elementwise.AbsOp, elementwise.SignOp)
        ),
    ]


def function_samples() -> list[Sample]:
    bounded: dict[type[GraphOp], Array] = {
        math.AsinOp: UNIT,
        math.AcosOp: UNIT,
        math.AtanhOp: UNIT[1:-1],
    }
    smooth = np.linspace(-4, 4, 17, dtype=np.float32)
    found = []
    for op in math.OPERATIONS:
        found.append(sample(op, "special", SPECIAL[np.abs(SPECIAL) != 40]))
        found.append(sample(op, "values", bounded.get(op, smooth)))
    return found


def activation_samples() -> list[Sample]:
    plain = [
        activation.ReluOp,
        activation.SigmoidOp,
        activation.HardSwishOp,
        activation.SoftplusOp,
        activation.SoftsignOp,
        activation.MishOp,
        activation.GeluOp,
    ]
    alpha = number(0.3)
    return [
        *(sample(op, "special", SPECIAL) for op in plain),
        *(sample(op, "half", values(9, dtype=np.float16)) for op in plain),
        sample(activation.ReluOp, "int8", EXTREME[np.int8]),
        sample(activation.GeluOp, "tanh", SPECIAL, tanh=UnitAttr()),
        sample(activation.LeakyReluOp, "special", SPECIAL, alpha=alpha),
        sample(activation.PreluOp, "slopes", values(2, 3, 4), values(3, 1, seed=1)),
        sample(activation.PreluOp, "int32", values(2, 3, dtype=np.int32), np.array(-2, np.int32)),
        sample(activation.EluOp, "special", SPECIAL, alpha=alpha),
        sample(activation.SeluOp, "special", SPECIAL, alpha=number(1.6), gamma=number(1.05)),
        sample(activation.CeluOp, "special", SPECIAL, alpha=number(2)),
        sample(activation.SiluOp, "special", SPECIAL, alpha=number(1)),
        sample(activation.SiluOp, "swish", values(9), alpha=number(1.7)),
        sample(activation.HardSigmoidOp, "special", SPECIAL, beta=number(0.5), alpha=alpha),
        sample(activation.ThresholdedReluOp, "special", SPECIAL, alpha=alpha),
        sample(activation.ShrinkOp, "special", SPECIAL, bias=number(0.3), threshold=number(0.5)),
    ]


def logic_samples() -> list[Sample]:
    flags = np.array([True, False])
    found = []
    for predicate in ("eq", "ne", "lt", "le", "gt", "ge"):
        for array in (SPECIAL, EXTREME[np.int8], EXTREME[np.uint32], EXTREME[np.int64], flags):
            label = f"{predicate}-{array.dtype}"
            chosen = StringAttr(predicate)
            found.append(
                sample(comparison.CompareOp, label, array[:, None], array, predicate=chosen)
            )
    for op in (comparison.AndOp, comparison.OrOp, comparison.XorOp):
        for array in (flags, EXTREME[np.uint8], EXTREME[np.int64]):
            found.append(sample(op, str(array.dtype), array[:, None], array))
    for array in (flags, EXTREME[np.uint8], EXTREME[np.int16], EXTREME[np.uint32]):
        found.append(sample(comparison.NotOp, str(array.dtype), array))
    for array in EXTREME.values():
        counts = np.array([0, 1, 5, 31, 63, 100], array.dtype)
        for label, right in (("left", None), ("right", UnitAttr())):
            name = f"{label}-{array.dtype}"
            found.append(sample(comparison.ShiftOp, name, array[:, None], counts, right=right))
    return [
        *found,
        sample(comparison.ShiftOp, "negative", EXTREME[np.int8], np.array(-1, np.int8)),
        sample(comparison.IsNanOp, "special", SPECIAL),
        sample(comparison.IsInfOp, "both", SPECIAL),
        sample(comparison.IsInfOp, "positive", SPECIAL, positive=UnitAttr()),
        sample(comparison.IsInfOp, "negative", SPECIAL, negative=UnitAttr()),
        sample(comparison.WhereOp, "broadcast", flags[:, None], SPECIAL, values(2, 1)),
        sample(comparison.WhereOp, "uint8", flags, EXTREME[np.uint8][:2], np.array(3, np.uint8)),
    ]


def cast_samples() -> list[Sample]:
    floats = np.array([0.0, -0.0, 0.4, 1.5, -1.5, 127.9, -128.9, 300.0, -300.0], np.float32)
    sources = [floats, floats.astype(np.float64), floats.astype(bfloat16), *EXTREME.values()]
    targets = [f16, f32, f64, bf16, i1, i8, i32, i64]
    targets += [element_type_of(np.dtype(t)) for t in (np.uint8, np.uint16, np.uint32)]
    return [
        *(
            sample(cast.CastOp, f"{source.dtype}-{target}", source, to=target)
            for source in sources
            for target in targets
        ),
        sample(cast.CastOp, "nan-i1", SPECIAL, to=i1),
        sample(cast.CastOp, "i1-f32", np.array([True, False]), to=f32),
        sample(cast.CastOp, "i1-i64", np.array([True, False]), to=i64),
        *(sample(copy.CopyOp, str(source.dtype), source) for source in sources),
    ]


SAMPLES = [
    *arithmetic_samples(),
    *special_arithmetic_samples(),
    *function_samples(),
    *activation_samples(),
    *logic_samples(),
    *cast_samples(),
]


@pytest.mark.parametrize("this", SAMPLES, ids=str)
def test_code_computes_the_reference(this: Sample) -> None:
    check_code(this)


def test_every_op_has_a_sample() -> None:
    families = (elementwise, math, activation, comparison, cast, copy)
    assert not without_sample(families, SAMPLES)
