"""Integers, and floats that stand for some."""

from collections.abc import Callable, Sequence

import numpy as np
import onnx
from graph_maker import GraphMaker, SmallModel


def _quantised() -> SmallModel:
    """8-bit tensors between floats: per tensor and per channel, with and without a zero point."""
    g = GraphMaker(7)
    x = g.normal("x", 3, 20)
    s, z = g.constant(0.03, np.float32), g.constant(131, np.uint8)
    q = g.op("QuantizeLinear", x, s, z)
    d = g.op("DequantizeLinear", q, s, z)
    w = g.constant(g.generator.integers(-128, 128, (20, 9)), np.int8)
    scale = g.constant(g.generator.uniform(0.005, 0.02, 9), np.float32)
    y = g.op("MatMul", d, g.op("DequantizeLinear", w, scale, axis=1))
    out = g.op("QuantizeLinear", y, g.constant(0.05, np.float32), g.constant(-3, np.int8))
    b = g.constant(g.generator.integers(0, 256, (20, 5)), np.uint8)
    i = g.op("MatMulInteger", q, b, z, g.constant(120, np.uint8))
    return g.model("quantised", [out, i, y])


def _bytes() -> SmallModel:
    """Products of 8-bit integers with zero points, of weights that are not small.

    Signed ones have 7 bits: without VNNI, ONNX Runtime adds two of their products in 16.
    """
    g = GraphMaker(25)
    draw = lambda low, high, *sizes: g.generator.integers(low, high, sizes)
    point = lambda value, dtype: g.constant(value, dtype)
    x = g.whole("x", 0, 256, 70, 96, dtype=np.uint8)
    w = g.constant(draw(-64, 64, 96, 44), np.int8)
    scales = [g.constant(2.0**-n, np.float32) for n in (7, 6, 2)]
    rows = g.op("QLinearMatMul", x, scales[0], point(120, np.uint8), w, scales[1],
                point(-5, np.int8), scales[2], point(9, np.uint8))  # fmt: skip
    a = g.whole("a", 0, 256, 1, 64, 6, 6, dtype=np.uint8)
    v = g.constant(draw(0, 256, 24, 64, 3, 3), np.uint8)
    window = {"pads": [1, 1, 1, 1], "strides": [2, 2]}
    image = g.op("ConvInteger", a, v, point(200, np.uint8), point(99, np.uint8), **window)
    b = g.whole("b", -64, 64, 96, 40, dtype=np.int8)
    both = g.op("MatMulInteger", x, b, point(7, np.uint8))
    scale = g.constant(g.generator.uniform(0.005, 0.02, 44), np.float32)
    real = g.op("DequantizeLinear", x, scales[0], point(120, np.uint8))
    product = g.op("MatMul", real, g.op("DequantizeLinear", w, scale, axis=1))
    return g.model("bytes", [rows, image, both, product])


def _integers() -> SmallModel:
    """Arithmetic of whole numbers: signs, widths, shifts, casts."""
    g = GraphMaker(8)
    whole = lambda r: r.integers(-(2**40), 2**40, 37)
    a = g.feed("a", whole)
    b = g.feed("b", lambda r: r.integers(1, 99, 37) * r.choice([-1, 1], 37))
    x = g.feed("x", lambda r: (300 * r.standard_normal(37)).astype(np.float32))
    u = g.whole("u", 0, 2**32, 37, dtype=np.uint32)
    quotient = g.op("Div", a, b)
    floor, rest = g.op("Mod", a, b), g.op("Mod", a, b, fmod=1)
    shifted = g.op("BitShift", u, g.constant(5, np.uint32), direction="RIGHT")
    wide = g.op("Cast", g.op("Cast", x, to=onnx.TensorProto.INT32), to=onnx.TensorProto.INT64)
    narrow = g.op("Cast", a, to=onnx.TensorProto.INT8)
    largest = g.op("Max", rest, g.op("Abs", b))
    less = g.op("GreaterOrEqual", a, g.op("Mul", b, b))
    half = g.op("Div", u, g.constant(3, np.uint32))
    total = g.op("ReduceSum", a, g.ints(0), keepdims=0)
    return g.model(
        "integers", [quotient, floor, rest, shifted, wide, narrow, largest, less, half, total]
    )


def _unsigned() -> SmallModel:
    """Numbers without a sign, half of them above the largest one with a sign."""
    g = GraphMaker(17)
    full = lambda r: r.integers(0, 2**64 - 1, 37, np.uint64, endpoint=True)
    a, b = g.feed("a", full), g.feed("b", full)
    shifted = g.op("BitShift", a, g.constant(5, np.uint64), direction="RIGHT")
    less, largest = g.op("Less", a, b), g.op("Max", a, b)
    half = g.op("Div", a, g.constant(3, np.uint64))
    return g.model("unsigned", [shifted, less, largest, half])


MODELS: Sequence[Callable[[], SmallModel]] = (
    _quantised,
    _bytes,
    _integers,
    _unsigned,
)
