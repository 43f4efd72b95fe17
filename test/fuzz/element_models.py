"""Elements, rows and their order, and parts of tensors."""

from collections.abc import Callable, Sequence

import numpy as np
from graph_maker import Array, GraphMaker, SmallModel


def _ranking() -> SmallModel:
    """Sorting and arg-reductions of values with ties."""
    g = GraphMaker(6)
    x = g.feed("x", lambda r: r.integers(-3, 4, (5, 33)).astype(np.float32))
    values, where = g.ops("TopK", 2, x, g.ints(4), axis=1)
    low, which = g.ops("TopK", 2, x, g.ints(2), axis=0, largest=0)
    first = g.op("ArgMax", x, axis=1, keepdims=0)
    last = g.op("ArgMin", x, axis=1, select_last_index=1)
    peak = g.op("ReduceMax", g.op("Mul", x, g.constant(-1.5, np.float32)), g.ints(0))
    soft = g.op("Softmax", x, axis=0)
    return g.model("ranking", [values, where, low, which, first, last, peak, soft])


def _pieces() -> SmallModel:
    """Splits, slices with steps, concatenations, repeats: values that are parts of others."""
    g = GraphMaker(9)
    x = g.normal("x", 6, 10, 5)
    y = g.normal("y", 10, 1)
    a, b, c = g.ops("Split", 3, x, g.ints(3, 2, 5), axis=1)
    back = g.op("Slice", x, g.ints(-1, 8), g.ints(-99, 1), g.ints(0, 1), g.ints(-2, -3))
    joined = g.op("Concat", g.op("Tanh", a), b, g.op("Mul", c, c), axis=1)
    joined = g.op("Add", joined, y)
    turned = g.op("Transpose", joined, perm=[2, 0, 1])
    tiled = g.op("Tile", g.op("Relu", back), g.ints(2, 1, 3))
    wide = g.op("Expand", y, g.ints(3, 10, 4))
    front = g.op("Abs", g.op("Expand", y, g.ints(1, 10, 1)))
    chosen = g.op("Where", g.op("Greater", x, y), x, g.op("Neg", y))
    rows = g.op("Concat", g.op("Exp", b), g.op("Abs", a), axis=1)
    product = g.op("MatMul", g.op("Reshape", rows, g.ints(30, 5)), g.weight(5, 8))
    return g.model("pieces", [turned, tiled, wide, front, chosen, product])


def _special() -> SmallModel:
    """Functions at NaN, infinities, signed zeros and halves."""
    g = GraphMaker(10)

    def draw(r: np.random.Generator) -> Array:
        values = (r.integers(-9, 10, (4, 13)) / 2).astype(np.float32)
        values.flat[r.integers(0, 52, 8)] = [np.nan, np.inf, -np.inf, -0.0, 0.5, 2.5, 60, -60]
        return values

    x, y = g.feed("x", draw), g.feed("y", draw)
    outputs = [
        g.op("Max", x, y),
        g.op("Min", x, y),
        g.op("Relu", x),
        g.op("Clip", x, g.constant(-1.0, np.float32), g.constant(2.0, np.float32)),
        g.op("Round", x),
        g.op("IsNaN", g.op("Sub", x, y)),
        g.op("Sign", x),
        g.op("Sigmoid", x),
        g.op("Tanh", x),
        g.op("Erf", x),
        g.op("Softplus", x),
        g.op("Pow", g.op("Abs", x), g.constant(1.5, np.float32)),
        g.op("Equal", x, y),
        g.op("Exp", x),
    ]
    return g.model("special", outputs)


def _reductions() -> SmallModel:
    """Sums, norms and softmaxes over short and long axes."""
    g = GraphMaker(11)
    x = g.normal("x", 3, 5, 701)
    mean = g.op("ReduceMean", x, g.ints(2), keepdims=1)
    variance = g.op("ReduceMean", g.op("Pow", g.op("Sub", x, mean), g.constant(2.0)), g.ints(2))
    scaled = g.op("Div", g.op("Sub", x, mean), g.op("Sqrt", variance))
    return g.model(
        "reductions",
        [
            scaled,
            g.op("ReduceSum", x, g.ints(0, 2), keepdims=0),
            g.op("ReduceL2", x, g.ints(1)),
            g.op("ReduceLogSumExp", x, g.ints(2)),
            g.op("LogSoftmax", x, axis=1),
            g.op("ReduceProd", x, g.ints(1), keepdims=0),
            g.op("LpNormalization", x, axis=-1, p=1),
        ],
    )


def _turned() -> SmallModel:
    """Transposes that meet, move through other operators and reach products."""
    g = GraphMaker(14)
    x = g.normal("x", 2, 5, 6, 7)
    cube = g.op("Transpose", g.normal("c", 3, 3, 3), perm=[1, 2, 0])
    twice = g.op("Transpose", cube, perm=[1, 0, 2])
    here = g.op("Transpose", g.normal("d", 5, 5, 5), perm=[1, 2, 0])
    there = g.op("Transpose", g.normal("e", 5, 5, 5), perm=[1, 0, 2])
    y = g.op("Relu", g.op("Transpose", x, perm=[0, 2, 3, 1]))
    y = g.op("Pad", y, g.ints(0, 1, 0, 0, 0, 0, 1, 1), g.constant(0.5, np.float32))
    y = g.op("Slice", y, g.ints(0, 1, 2), g.ints(5, 6, 7), g.ints(3, 1, 2))
    y = g.op("Add", y, g.normal("y", 2, 5, 5, 5))
    y = g.op("Transpose", y, perm=[0, 3, 1, 2])
    square = g.op("Transpose", g.normal("q", 9, 9), perm=[1, 0])
    z = g.op("Gemm", g.normal("p", 4, 9), square, transB=1)
    return g.model("turned", [g.op("Tanh", twice), y, z, g.op("Add", here, there)])


def _written_out() -> SmallModel:
    """Attention, GELU and layer normalisation as exporters write them, operator by operator."""
    g = GraphMaker(15)
    x = g.normal("x", 2, 9, 24)
    two, half, one = (g.constant(n, np.float32) for n in (2.0, 0.5, 1.0))
    centred = g.op("Sub", x, g.op("ReduceMean", x, g.ints(-1)))
    variance = g.op("ReduceMean", g.op("Pow", centred, two), g.ints(-1))
    deviation = g.op("Sqrt", g.op("Add", variance, g.constant(0.3, np.float32)))
    y = g.op("Mul", g.op("Div", centred, deviation), g.weight(24, scale=1.0))
    y = g.op("Add", y, g.weight(24))
    alike = [g.generator.standard_normal((24, 24)).astype(np.float32) / 5 for _ in range(3)]
    alike[1].flat[:200] = alike[0].flat[:200]
    heads = g.ints(0, 0, 3, 8)
    q, k, v = (g.op("Reshape", g.op("MatMul", y, g.constant(w)), heads) for w in alike)
    q, v = (g.op("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=[0, 2, 3, 1]))
    scores = g.op("Div", scores, g.constant(8**0.5, np.float32))
    scores = g.op("Add", scores, g.normal("mask", 2, 1, 9, 9))
    y = g.op("MatMul", g.op("Softmax", scores), v)
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.ints(2, 9, 24))
    inner = g.op("Erf", g.op("Div", y, g.constant(2**0.5, np.float32)))
    y = g.op("Mul", g.op("Mul", y, g.op("Add", inner, one)), half)
    return g.model("written out", [g.op("LayerNormalization", y, g.weight(9, 24), axis=1)])


def _views() -> SmallModel:
    """Values that are parts of others in memory, or are returned several times."""
    g = GraphMaker(16)
    x = g.normal("x", 12, 16)
    y = g.op("MatMul", x, g.weight(16, 16))
    a, b, c = g.ops("Split", 3, y, g.ints(4, 4, 4), axis=0)
    a, b = g.op("MatMul", a, g.weight(16, 16)), g.op("Softmax", b)
    c = g.op("MatMul", c, g.weight(16, 7))
    joined = g.op("MatMul", g.op("Concat", a, b, axis=0), g.weight(16, 5))
    outputs = [joined, c, g.op("Identity", c), g.op("Identity", x)]
    return g.model("views", outputs)


MODELS: Sequence[Callable[[], SmallModel]] = (
    _ranking,
    _pieces,
    _special,
    _reductions,
    _turned,
    _written_out,
    _views,
)
