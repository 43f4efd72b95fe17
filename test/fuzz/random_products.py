"""Random models of products: of 8-bit integers in all ways in which ONNX writes them, and of
floats of every width with what surrounds them in one kernel.

Sizes are odd on purpose; results are cut, joined and turned, so that tails fall anywhere.
"""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

BYTES = (TensorProto.INT8, TensorProto.UINT8)
FLOATS = (TensorProto.FLOAT, TensorProto.FLOAT16, TensorProto.FLOAT)
SIZES = (1, 2, 3, 5, 7, 8, 16, 17, 24, 31, 32, 33, 36, 48, 63, 64, 65, 72, 100, 130)


class _Model:
    def __init__(self, seed: int):
        self.random = np.random.default_rng(seed)
        self.nodes: list[onnx.NodeProto] = []
        self.weights: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.ends: list[str] = []

    def size(self, most: int = 130) -> int:
        return int(self.random.choice([n for n in SIZES if n <= most]))

    def coin(self, share: float = 0.5) -> bool:
        return bool(self.random.random() < share)

    def feed(self, kind: int, *sizes: int) -> str:
        name = f"x{len(self.inputs)}"
        self.inputs.append(helper.make_tensor_value_info(name, kind, sizes))
        return name

    def constant(self, array: np.ndarray, kind: int) -> str:
        name = f"w{len(self.weights)}"
        array = np.asarray(array).astype(helper.tensor_dtype_to_np_dtype(kind))
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def bytes(self, kind: int, *sizes: int) -> str:
        low, high = (-128, 128) if kind == TensorProto.INT8 else (0, 256)
        if self.coin(0.2):  # few values: near to each other
            low, high = high - 9, high
        return self.constant(self.random.integers(low, high, sizes), kind)

    def weight(self, kind: int, *sizes: int) -> str:
        scale = 1 / np.sqrt(max(1, sizes[0]))
        return self.constant(scale * self.random.standard_normal(sizes), kind)

    def op(self, operator: str, *operands: str, outputs: int = 1, **attributes: Any) -> str:
        name = f"v{len(self.nodes)}"
        names = [name, *(f"{name}_{n}" for n in range(1, outputs))]
        self.nodes.append(helper.make_node(operator, operands, names, name, **attributes))
        return name

    def model(self) -> onnx.ModelProto:
        outputs = [onnx.ValueInfoProto(name=name) for name in self.ends]
        graph = helper.make_graph(self.nodes, "products", self.inputs, outputs, self.weights)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10)
        return onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)


def _scale(g: _Model, count: int = 1) -> str:
    values = g.random.uniform(0.004, 0.03, () if count == 1 else (count,))
    return g.constant(values, TensorProto.FLOAT)


def _point(g: _Model, kind: int, count: int = 1) -> str:
    low, high = (-20, 20) if kind == TensorProto.INT8 else (100, 150)
    value = 0 if g.coin(0.3) else int(g.random.integers(low, high))
    return g.constant(np.full((count,) if count > 1 else (), value), kind)


def _dequantised_product(g: _Model) -> None:
    """``QuantFormat.QDQ``, whose result may be quantised again."""
    m, k, n = g.size(), g.size(), g.size()
    left, right = (int(g.random.choice(BYTES)) for _ in range(2))
    batch = [g.size(5)] if g.coin(0.3) else []
    x = g.op("DequantizeLinear", g.feed(left, *batch, m, k), _scale(g), _point(g, left))
    channels = n if g.coin() else 1
    w = g.bytes(right, k, n)
    axis = {"axis": 1} if channels > 1 else {}
    w = g.op("DequantizeLinear", w, _scale(g, channels), _point(g, right, channels), **axis)
    y = g.op("MatMul", x, w)
    if g.coin(0.7):
        y = g.op("Add", y, g.weight(TensorProto.FLOAT, n))
    if g.coin():
        y = g.op("Relu", y)
    if g.coin():
        y = g.op("QuantizeLinear", y, g.constant(np.array(0.05), 1), _point(g, left))
    g.ends.append(y)


def _dequantised_window(g: _Model) -> None:
    channels, results, size = g.size(36), g.size(40), g.size(17)
    kernel = int(g.random.choice([1, 3])) if size > 2 else 1
    left, right = (int(g.random.choice(BYTES)) for _ in range(2))
    x = g.op("DequantizeLinear", g.feed(left, g.size(3), channels, size, size), _scale(g),
             _point(g, left))  # fmt: skip
    w = g.bytes(right, results, channels, kernel, kernel)
    w = g.op("DequantizeLinear", w, _scale(g, results), _point(g, right, results), axis=0)
    strides, pads = [int(g.random.integers(1, 3))] * 2, [kernel // 2] * 4
    y = g.op("Conv", x, w, g.weight(TensorProto.FLOAT, results), pads=pads, strides=strides)
    g.ends.append(g.op("Clip", y, g.constant(np.array(-2), 1), g.constant(np.array(3), 1)))


def _whole_product(g: _Model) -> None:
    m, k, n = g.size(), g.size(), g.size()
    left, right = (int(g.random.choice(BYTES)) for _ in range(2))
    x, w = g.feed(left, m, k), g.bytes(right, k, n)
    if g.coin(0.3):
        w = g.feed(right, k, n)
    if g.coin():
        g.ends.append(g.op("MatMulInteger", x, w, _point(g, left), _point(g, right)))
        return
    scales = [_scale(g), _scale(g), g.constant(np.array(0.1), 1)]
    points = [_point(g, left), _point(g, right), _point(g, left)]
    pairs = [p for pair in zip(scales, points, strict=True) for p in pair]
    g.ends.append(g.op("QLinearMatMul", x, *pairs[:2], w, *pairs[2:]))


def _whole_window(g: _Model) -> None:
    channels, results, size = g.size(33), g.size(33), g.size(9)
    kernel = 3 if size > 2 and g.coin() else 1
    kind = TensorProto.UINT8
    x = g.feed(kind, g.size(3), channels, size, size)
    pads = [int(n) for n in g.random.integers(0, kernel, 4)]
    w = g.bytes(TensorProto.INT8, results, channels, kernel, kernel)
    point = _point(g, kind)
    if g.coin():
        g.ends.append(g.op("ConvInteger", x, w, point, _point(g, TensorProto.INT8), pads=pads))
        return
    scales = [_scale(g), _scale(g, results), g.constant(np.array(0.1), 1)]
    points = [point, _point(g, TensorProto.INT8, results), _point(g, kind)]
    bias = g.constant(g.random.integers(-99, 99, results), TensorProto.INT32)
    g.ends.append(g.op("QLinearConv", x, scales[0], points[0], w, scales[1], points[1], scales[2],
                       points[2], bias, pads=pads))  # fmt: skip


def _written_out(g: _Model) -> None:
    """Integers of 32 bits that a model computes itself."""
    m, k, n = g.size(), g.size(), g.size()
    x = g.op("Cast", g.feed(TensorProto.UINT8, m, k), to=TensorProto.INT32)
    if g.coin(0.7):
        far = int(g.random.choice([3, 200, 5000]))
        x = g.op("Sub", x, g.constant(np.array(far), TensorProto.INT32))
    low = int(g.random.integers(-300, 300))
    w = g.constant(g.random.integers(low, low + g.size(), (k, n)), TensorProto.INT32)
    if g.coin():
        x = g.op("Mul", g.op("Cast", x, to=TensorProto.FLOAT), _scale(g))
        w = g.op("Mul", g.op("Cast", w, to=TensorProto.FLOAT), _scale(g))
    g.ends.append(g.op("MatMul", x, w))


def _float_product(g: _Model) -> None:
    """A product whose result is cut between neighbours, joined, turned or made one row."""
    kind = int(g.random.choice(FLOATS))
    m, k, n = g.size(), g.size(), g.size()
    x, w = g.feed(kind, m, k), g.weight(kind, k, n)
    y = g.op("MatMul", x, w)
    if g.coin():
        y = g.op("Add", y, g.weight(kind, n))
    if g.coin():
        y = g.op(str(g.random.choice(["Relu", "Sigmoid", "Tanh", "Gelu"])), y)
    cut = int(g.random.integers(0, n))
    match int(g.random.integers(5)):
        case 0 if 0 < cut < n:
            parts = g.constant(np.array([cut, n - cut]), TensorProto.INT64)
            y = g.op("Split", y, parts, outputs=2, axis=1)
            g.ends.append(f"{y}_1")
        case 1:
            y = g.op("Transpose", y, perm=[1, 0])
        case 2:
            y = g.op("Concat", y, g.weight(kind, m, g.size(9)), axis=1)
        case 3:
            y = g.op("Softmax", y, axis=-1)
        case _:
            y = g.op("Mul", y, g.feed(kind, m, 1 if g.coin() else n))
    g.ends.append(y)


def _heads(g: _Model) -> None:
    """Attention of heads that are cut out of one product."""
    kind = int(g.random.choice(FLOATS))
    rows, heads, width = g.size(48), int(g.random.integers(1, 4)), g.size(24)
    x = g.feed(kind, rows, g.size(64))
    inner = g.inputs[-1].type.tensor_type.shape.dim[1].dim_value
    y = g.op("MatMul", x, g.weight(kind, inner, 3 * heads * width))
    y = g.op("Split", y, outputs=3, axis=1, num_outputs=3)
    sizes = g.constant(np.array([rows, heads, width]), TensorProto.INT64)
    q, k, v = (g.op("Reshape", name, sizes) for name in (y, f"{y}_1", f"{y}_2"))
    q, v = (g.op("Transpose", t, perm=[1, 0, 2]) for t in (q, v))
    scores = g.op("MatMul", q, g.op("Transpose", k, perm=[1, 2, 0]))
    y = g.op("MatMul", g.op("Softmax", scores), v)
    y = g.op("Transpose", y, perm=[1, 0, 2])
    g.ends.append(
        g.op("Reshape", y, g.constant(np.array([rows, heads * width]), TensorProto.INT64))
    )


PARTS: Sequence[Callable[[_Model], None]] = (
    *(_dequantised_product, _dequantised_product, _dequantised_window, _whole_product),
    *(_whole_window, _written_out, _float_product, _float_product, _heads),
)


def random_products(seed: int, parts: int = 2) -> onnx.ModelProto:
    """Return a valid model of a few products side by side."""
    model = _Model(seed)
    for _ in range(parts):
        PARTS[int(model.random.integers(len(PARTS)))](model)
    return model.model()
