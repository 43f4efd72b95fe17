"""Attention, recurrent layers, and loops of steps."""

from collections.abc import Callable, Sequence

import numpy as np
import onnx
from graph_maker import GraphMaker, SmallModel
from onnx import TensorProto, helper


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


MODELS: Sequence[Callable[[], SmallModel]] = (
    _attention,
    _recurrent,
    _steps,
    _layers,
    _repeated,
    _embedding,
    _masked,
    _attention_fp16,
    _causal,
)
