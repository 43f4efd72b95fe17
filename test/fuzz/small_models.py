"""Small ONNX models that together use every part of the compiler, and arrays to run them on.

Sizes are odd on purpose, so that every tile, vector and row has a tail; inputs reach the places at
which code fails: ties, negative indices, infinities, both signs of a division.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

Array = NDArray[Any]
Feeds = dict[str, Array]
OPSET = 20


@dataclass(frozen=True)
class SmallModel:
    """A model, how its inputs are drawn, and the precision in which it is compiled.

    error: by how much of the largest value a right result may be off; 0: as usual in the precision.
    """

    name: str
    proto: onnx.ModelProto
    draw: Mapping[str, Callable[[np.random.Generator], Array]]
    precision: str = "fp32"
    error: float = 0.0

    def feeds(self, seed: int) -> Feeds:
        """Return inputs; the same ones for a seed."""
        generator = np.random.default_rng(seed)
        return {name: draw(generator) for name, draw in self.draw.items()}


class GraphMaker:
    """Writes a graph node by node; names of values are numbered."""

    def __init__(self, seed: int = 0):
        self.generator = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.draw: dict[str, Callable[[np.random.Generator], Array]] = {}
        self._count = 0

    def feed(self, name: str, draw: Callable[[np.random.Generator], Array]) -> str:
        """Add an input of the type and shape of what ``draw`` gives."""
        first = draw(np.random.default_rng(0))
        kind = helper.np_dtype_to_tensor_dtype(first.dtype)
        self.inputs.append(helper.make_tensor_value_info(name, kind, first.shape))
        self.draw[name] = draw
        return name

    def normal(self, name: str, *sizes: int) -> str:
        """Add an input of normally distributed floats."""
        return self.feed(name, lambda g: g.standard_normal(sizes).astype(np.float32))

    def whole(self, name: str, low: int, high: int, *sizes: int, dtype: type = np.int64) -> str:
        """Add an input of integers from ``low`` up to ``high``, without it."""
        return self.feed(name, lambda g: g.integers(low, high, sizes).astype(dtype))

    def constant(self, value: object, dtype: type | None = None) -> str:
        """Add an initializer."""
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(np.asarray(value, dtype), name))
        return name

    def ints(self, *values: int) -> str:
        """Add an initializer of sizes, axes, places."""
        return self.constant(values, np.int64)

    def weight(self, *sizes: int, scale: float | None = None) -> str:
        """Add an initializer of random numbers, by default scaled so that products stay small."""
        fan = float(np.prod(sizes[1:])) if len(sizes) > 1 else 4.0
        drawn = self.generator.standard_normal(sizes) * (scale or fan**-0.5)
        return self.constant(drawn.astype(np.float32))

    def op(self, kind: str, *inputs: str, **attributes: Any) -> str:
        """Add a node of one result."""
        return self.ops(kind, 1, *inputs, **attributes)[0]

    def ops(self, kind: str, results: int, *inputs: str, **attributes: Any) -> list[str]:
        """Add a node of several results."""
        names = [f"v{self._count + i}" for i in range(results)]
        self._count += results
        self.nodes.append(helper.make_node(kind, list(inputs), names, names[0], **attributes))
        return names

    def model(
        self, name: str, outputs: Sequence[str], precision: str = "fp32", error: float = 0.0
    ) -> SmallModel:
        """Return what was written."""
        ends = [onnx.ValueInfoProto(name=output) for output in outputs]
        graph = helper.make_graph(self.nodes, name, self.inputs, ends, self.weights)
        imports = [helper.make_opsetid("", OPSET)]
        proto = helper.make_model(graph, opset_imports=imports, ir_version=9)
        proto = onnx.shape_inference.infer_shapes(proto, strict_mode=True, data_prop=True)
        del proto.graph.value_info[:]
        return SmallModel(name, proto, self.draw, precision, error)


def _convolutional() -> SmallModel:
    """Convolutions, folded scales, pools that reach over the edge, a residual sum, a classifier."""
    g = GraphMaker()
    x = g.normal("x", 1, 3, 19, 14)
    y = g.op("Conv", x, g.weight(10, 3, 3, 3), g.weight(10), strides=[2, 1], pads=[1, 0, 2, 1])
    statistics = [g.weight(10) for _ in range(3)]
    variance = g.constant(g.generator.uniform(0.5, 2, 10), np.float32)
    y = g.op("BatchNormalization", y, *statistics, variance, epsilon=0.1)
    y = g.op("Relu", y)
    y = pooled = g.op("MaxPool", y, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 1, 0, 0])
    y = g.op("Conv", y, g.weight(10, 5, 3, 3), group=2, dilations=[2, 1], pads=[2, 1, 2, 1])
    y = g.op("Add", y, pooled)
    y = g.op("AveragePool", y, kernel_shape=[2, 3], pads=[0, 1, 1, 1], count_include_pad=0)
    y = g.op("Clip", y, g.constant(-0.5, np.float32), g.constant(6.0, np.float32))
    y = g.op("GlobalAveragePool", y)
    y = g.op("Flatten", y)
    y = g.op("Gemm", y, g.weight(7, 10), g.weight(7), transB=1, alpha=0.5, beta=2.0)
    return g.model("convolutional", [y])


def _separable() -> SmallModel:
    """Depthwise and transposed convolutions, and the normalisations that are not folded."""
    g = GraphMaker(1)
    x = g.normal("x", 2, 6, 9, 11)
    y = g.op("Conv", x, g.weight(6, 1, 3, 3), group=6, pads=[1, 1, 1, 1])
    y = g.op("HardSwish", y)
    y = g.op("Conv", y, g.weight(6, 6, 2, 2), auto_pad="SAME_LOWER")
    y = g.op("ConvTranspose", y, g.weight(6, 4, 3, 3), strides=[2, 2], output_padding=[1, 0])
    y = g.op("InstanceNormalization", y, g.weight(4), g.weight(4), epsilon=0.01)
    y = g.op("PRelu", y, g.weight(4, 1, 1))
    y = g.op("LRN", y, size=3, alpha=0.5, beta=0.75, bias=2.0)
    y = g.op("LeakyRelu", y, alpha=0.2)
    y = g.op("LpPool", y, kernel_shape=[2, 2], strides=[2, 2], p=2)
    return g.model("separable", [y])


def _attention() -> SmallModel:
    """A transformer block with a mask of its own input."""
    g = GraphMaker(2)
    x = g.normal("x", 2, 9, 24)
    mask = g.feed("mask", lambda r: (r.random((2, 1, 1, 9)) > 0.3).astype(np.int64))
    y = g.op("LayerNormalization", x, g.weight(24, scale=1.0), g.weight(24), epsilon=1e-2)
    heads = g.ints(0, 0, 3, 8)
    q, k, v = (
        g.op("Reshape", g.op("Add", g.op("MatMul", y, g.weight(24, 24)), g.weight(24)), heads)
        for _ in range(3)
    )
    q, v = (g.op("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
    k = g.op("Transpose", k, perm=[0, 2, 3, 1])
    scores = g.op("Mul", g.op("MatMul", q, k), g.constant(8**-0.5, np.float32))
    kept = g.op("Cast", mask, to=onnx.TensorProto.BOOL)
    scores = g.op("Where", kept, scores, g.constant(-1e9, np.float32))
    y = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.ints(2, 9, 24))
    y = g.op("Add", g.op("MatMul", y, g.weight(24, 24)), x)
    z = g.op("Gelu", g.op("Gemm", g.op("Reshape", y, g.ints(18, 24)), g.weight(24, 50)))
    z = g.op("MatMul", z, g.weight(50, 24))
    y = g.op("Add", g.op("Reshape", z, g.ints(2, 9, 24)), y)
    return g.model("attention", [y])


def _recurrent() -> SmallModel:
    """All three recurrent layers, one of them in both directions."""
    g = GraphMaker(3)
    x = g.normal("x", 4, 2, 5)
    w, r, b = g.weight(2, 24, 5), g.weight(2, 24, 6), g.weight(2, 48)
    y, h, c = g.ops("LSTM", 3, x, w, r, b, hidden_size=6, direction="bidirectional")
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.ints(4, 2, 12))
    w, r, b = g.weight(1, 21, 12), g.weight(1, 21, 7), g.weight(1, 42)
    y, _ = g.ops("GRU", 2, y, w, r, b, hidden_size=7, linear_before_reset=1, direction="reverse")
    y = g.op("Squeeze", y, g.ints(1))
    w, r = g.weight(1, 5, 7), g.weight(1, 5, 5)
    _, last = g.ops("RNN", 2, y, w, r, hidden_size=5, clip=0.01)
    return g.model("recurrent", [last, h, c])


def _steps() -> SmallModel:
    """Layers of so many steps that they are loops, one in both directions, one of sequences of
    their own lengths.
    """
    g = GraphMaker(3)
    x = g.normal("x", 17, 2, 5)
    w, r, b = g.weight(2, 16, 5), g.weight(2, 16, 4), g.weight(2, 32)
    y, h, c = g.ops("LSTM", 3, x, w, r, b, hidden_size=4, direction="bidirectional")
    y = g.op("Reshape", g.op("Transpose", y, perm=[0, 2, 1, 3]), g.ints(17, 2, 8))
    w, r, b = g.weight(1, 12, 8), g.weight(1, 12, 4), g.weight(1, 24)
    n = g.constant([17, 9], np.int32)
    y, last = g.ops("GRU", 2, y, w, r, b, n, hidden_size=4, direction="reverse")
    return g.model("steps", [y, last, h, c])


def _layers() -> SmallModel:
    """Three layers of so many steps that they are loops, which continue each other; a step's part
    is no multiple of 16 bytes.
    """
    g = GraphMaker(3)
    y, last = g.normal("x", 17, 1, 5), list[str]()
    for _ in range(3):
        w, r = g.weight(1, 20, 5), g.weight(1, 20, 5)
        y, h, c = g.ops("LSTM", 3, y, w, r, g.weight(1, 40), hidden_size=5)
        y, last = g.op("Squeeze", y, g.ints(1)), [*last, h, c]
    return g.model("layers", [y, *last])


def _repeated() -> SmallModel:
    """A Scan over tensors in both directions, whose parts are not aligned and which gives its
    states before each step, and a layer of an activation with two parameters.
    """
    g = GraphMaker(3)
    nodes = [
        helper.make_node("Mul", ["h", "p"], ["m"]),
        helper.make_node("Sub", ["m", "q"], ["s"]),
        helper.make_node("Tanh", ["s"], ["after"]),
        helper.make_node("Identity", ["h"], ["before"]),
    ]
    value = helper.make_tensor_value_info
    given = [value(name, TensorProto.FLOAT, [2, 5]) for name in "hpq"]
    results = [value(name, TensorProto.FLOAT, [2, 5]) for name in ("after", "before")]
    body = helper.make_graph(nodes, "body", given, results)
    x = [g.normal("h0", 2, 5), g.normal("x", 18, 2, 5), g.normal("z", 18, 2, 5)]
    last, y = g.ops("Scan", 2, *x, body=body, num_scan_inputs=2, scan_input_directions=[0, 1])
    w, r = g.weight(1, 5, 5), g.weight(1, 5, 5)
    parameters = {"activation_alpha": [0.7], "activation_beta": [0.3]}
    y, h = g.ops("RNN", 2, y, w, r, hidden_size=5, activations=["Affine"], **parameters)
    return g.model("repeated", [last, y, h])


def _embedding() -> SmallModel:
    """Tables, indices of both signs, scatters, one-hot vectors, running sums."""
    g = GraphMaker(4)
    tokens = g.whole("tokens", -11, 11, 2, 7)
    places = g.whole("places", -5, 5, 3, 2)
    x = g.normal("x", 5, 6)
    e = g.op("Gather", g.weight(11, 6, scale=1.0), tokens)
    y = g.op("MatMul", e, g.weight(6, 9))
    y = g.op("CumSum", y, g.constant(1, np.int64), exclusive=1, reverse=1)
    z = g.op("GatherElements", x, places, axis=0)
    rows = g.ints(4, 0, 2)
    s = g.op("ScatterND", x, g.op("Reshape", rows, g.ints(3, 1)), g.weight(3, 6, scale=1.0))
    n = g.op("GatherND", s, g.constant([[1, 5], [-1, 0], [4, -2]], np.int64))
    hot = g.op("OneHot", tokens, g.constant(11, np.int64), g.constant([0.5, 2.0], np.float32))
    t = g.op("Trilu", s, g.constant(1, np.int64), upper=0)
    return g.model("embedding", [y, z, n, hot, t])


def _resampling() -> SmallModel:
    """Resize in its modes, padding in its modes, pixels to depth and back."""
    g = GraphMaker(5)
    x = g.normal("x", 1, 4, 7, 9)
    scales = g.constant([1, 1, 1.7, 0.6], np.float32)
    linear = g.op("Resize", x, "", scales, mode="linear")
    cubic = g.op(
        "Resize", x, "", "", g.ints(1, 4, 10, 13), mode="cubic", cubic_coeff_a=-0.5,
        coordinate_transformation_mode="align_corners",
    )  # fmt: skip
    nearest = g.op(
        "Resize", x, "", g.constant([1, 1, 2, 1.5], np.float32), mode="nearest",
        coordinate_transformation_mode="asymmetric", nearest_mode="floor",
    )  # fmt: skip
    reflected = g.op("Pad", x, g.ints(0, 0, 2, 1, 0, 0, 3, 2), mode="reflect")
    filled = g.op("Pad", x, g.ints(0, 1, 0, 2, 1, 0, 2, 0), g.constant(-3.5, np.float32))
    deep = g.op("DepthToSpace", x, blocksize=2, mode="CRD")
    return g.model("resampling", [linear, cubic, nearest, reflected, filled, deep])


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


def _products(precision: str) -> SmallModel:
    """Matrix products with tails in all three sizes, one with a depth that is worth splitting, one
    whose result is cut between neighbours.
    """
    g = GraphMaker(12)
    x = g.normal("x", 70, 96)
    y = g.op("MatMul", x, g.weight(96, 44))
    y = g.op("Relu", g.op("Add", y, g.weight(44)))
    y = g.op("MatMul", y, g.weight(44, 130))
    z = g.normal("z", 1, 2055)
    long = g.op("MatMul", z, g.weight(2055, 37))
    pairs = g.op("MatMul", g.op("Reshape", x, g.ints(2, 35, 96)), g.normal("w", 2, 96, 19))
    turned = g.op("Gemm", x, g.weight(30, 70), transA=1, transB=1)
    parts = g.ops("Split", 3, g.op("MatMul", x, g.weight(96, 48)), g.ints(19, 10, 19), axis=1)
    return g.model(f"products {precision}", [y, long, pairs, turned, *parts], precision)


def _large_products_fp16() -> SmallModel:
    """Products of so many rows and columns that warpgroups make them, with tails, factors either
    way round.
    """
    g = GraphMaker(18)
    x = g.normal("x", 1000, 264)
    y = g.op("Relu", g.op("Add", g.op("MatMul", x, g.weight(264, 504)), g.weight(504)))
    z = g.op("Gemm", y, g.weight(520, 504), transB=1)
    turned = g.op("Gemm", y, x, transA=1)
    beside = g.op("MatMul", x, g.normal("v", 264, 1544))
    return g.model("large products fp16", [z, turned, beside], "fp16")


def _walking_products_fp16() -> SmallModel:
    """A product of so many tiles that blocks walk over them; their rows are 19."""
    g = GraphMaker(19)
    x = g.op("Gemm", g.normal("x", 2400, 24), g.weight(264, 24), transB=1)
    y = g.op("Relu", g.op("Gemm", x, g.weight(2304, 264), g.weight(2304), transB=1))
    return g.model("walking products fp16", [g.op("MatMul", y, g.weight(2304, 8))], "fp16")


def _image_fp16() -> SmallModel:
    """A convolution that is a matrix product in 16 bits, and a row that is normalised."""
    g = GraphMaker(13)
    x = g.normal("x", 2, 16, 13, 13)
    y = g.op("Conv", x, g.weight(40, 16, 3, 3), g.weight(40), pads=[1, 1, 1, 1])
    y = g.op("Mul", y, g.op("Sigmoid", y))
    y = g.op("MaxPool", y, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    y = g.op("Conv", y, g.weight(24, 40, 1, 1), strides=[2, 2])
    y = g.op("Reshape", y, g.ints(2, 24, -1))
    return g.model("image fp16", [g.op("Softmax", y, axis=1)], "fp16")


def _windows_fp16() -> SmallModel:
    """Convolutions of so few channels a group that threads do them, a concatenation between."""
    g = GraphMaker(19)
    x = g.normal("x", 1, 32, 56, 56)
    y = g.op("Conv", x, g.weight(32, 1, 5, 5), g.weight(32), group=32, pads=[2, 2, 2, 2])
    y = g.op("Conv", y, g.weight(32, 1, 3, 3), group=32, pads=[1, 1, 1, 1], strides=[2, 2])
    y = g.op("Mul", y, g.op("Sigmoid", y))
    z = g.op("AveragePool", y, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    y = g.op("Relu", g.op("Mul", g.op("Concat", y, z, axis=1), g.weight(64, 1, 1, scale=1.0)))
    y = g.op("Conv", y, g.weight(64, 4, 3, 3), g.weight(64), group=16, pads=[1, 1, 1, 1])
    y = g.op("Conv", g.op("Relu", y), g.weight(8, 64, 1, 1))
    return g.model("windows fp16", [y], "fp16")


def _groups_fp16() -> SmallModel:
    """A convolution in groups of 16 channels, some of which share a tile."""
    g = GraphMaker(20)
    x = g.normal("x", 4, 128, 28, 28)
    y = g.op("Conv", x, g.weight(128, 16, 3, 3), g.weight(128), group=8, pads=[1, 1, 1, 1])
    y = g.op("Conv", g.op("Relu", y), g.weight(8, 128, 1, 1))
    return g.model("groups fp16", [y], "fp16")


def _odd_lines_fp16() -> SmallModel:
    """A transposition through tiles of halves, whose lines begin anywhere between 16 bytes."""
    g = GraphMaker(24)
    x = g.whole("x", -100, 100, 517, 139, dtype=np.float16)
    return g.model("odd lines fp16", [g.op("Transpose", x, perm=[1, 0])], "fp16")


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


def _masked() -> SmallModel:
    """A mask of large numbers over all of some rows, in 16 bits."""
    g = GraphMaker(17)
    mask = g.feed("mask", lambda r: (r.random((6, 1)) > 0.5).astype(np.float32))
    hidden = g.op(
        "Mul", g.op("Sub", g.constant(1.0, np.float32), mask), g.constant(-1e9, np.float32)
    )
    scores = g.op("Add", g.normal("x", 6, 11), hidden)
    return g.model("masked fp16", [g.op("Softmax", scores)], "fp16", error=1.0)


def _attention_fp16() -> SmallModel:
    """More keys than one step takes, in no whole number of steps, most of them hidden."""
    g = GraphMaker(23)
    q, k, v = g.normal("q", 2, 19, 8), g.normal("k", 2, 8, 135), g.normal("v", 2, 135, 8)
    hidden = np.where(np.arange(135) < 100, -1e4, 0.0)
    scores = g.op("Add", g.op("MatMul", q, k), g.constant(hidden, np.float32))
    return g.model("attention fp16", [g.op("MatMul", g.op("Softmax", scores), v)], "fp16")


def _causal() -> SmallModel:
    """Rows that see what was before them, of more keys than there are queries."""
    g = GraphMaker(29)
    q, k, v = g.normal("q", 2, 29, 8), g.normal("k", 2, 8, 75), g.normal("v", 2, 75, 9)
    seen = g.constant(np.tri(29, 75, 75 - 29, dtype=bool), np.bool_)
    scores = g.op("Where", seen, g.op("MatMul", q, k), g.constant(-np.inf, np.float32))
    return g.model("causal", [g.op("MatMul", g.op("Softmax", scores), v)])


def _dense() -> SmallModel:
    """Layers of which each reads all before it, joined along channels, and branches that meet."""
    g = GraphMaker(30)
    x = g.normal("x", 2, 8, 9, 7)
    parts = [g.op("Relu", g.op("Conv", x, g.weight(16, 8, 3, 3), pads=[1, 1, 1, 1]))]
    for channels in (16, 24, 32):
        y = parts[0] if len(parts) == 1 else g.op("Concat", *parts, axis=1)
        y = g.op("Relu", g.op("Mul", y, g.weight(channels, 1, 1, scale=1.0)))
        parts.append(g.op("Conv", y, g.weight(8, channels, 3, 3), pads=[1, 1, 1, 1]))
    y = g.op("Concat", *parts, axis=1)
    left = g.op("Relu", g.op("Conv", y, g.weight(24, 40, 1, 1)))
    right = g.op("MaxPool", y, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    both = g.op("Concat", left, right, axis=1)
    again = g.op("Concat", g.op("Conv", both, g.weight(8, 64, 1, 1)), left, axis=1)
    return g.model("dense", [both, g.op("Conv", again, g.weight(4, 32, 1, 1))])


def small_models() -> Iterator[SmallModel]:
    """Yield all of them."""
    for make in (
        _convolutional, _separable, _attention, _recurrent, _steps, _layers, _repeated,
        _embedding,
        _resampling,
        _ranking, _quantised, _bytes, _integers, _unsigned, _pieces, _special, _reductions,
        _image_fp16, _windows_fp16, _groups_fp16,
        _large_products_fp16, _walking_products_fp16, _attention_fp16, _causal,
        _odd_lines_fp16, _turned, _written_out, _views, _masked, _dense,
    ):  # fmt: skip
        yield make()
    for precision in ("fp32", "tf32", "fp16", "bf16"):
        yield _products(precision)
