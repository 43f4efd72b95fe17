"""Models of any number of nodes, of the shapes that make a compiler slow."""

from itertools import pairwise

import numpy as np
import onnx
from onnx import NodeProto, TensorProto, helper, numpy_helper

SIDE = 16


def concatenation(count: int) -> onnx.ModelProto:
    """Products of one input, one beside the other."""
    weights = [_matrix(f"w{n}", n, 4) for n in range(count)]
    nodes = [helper.make_node("MatMul", ["x", f"w{n}"], [f"p{n}"]) for n in range(count)]
    nodes.append(helper.make_node("Concat", [f"p{n}" for n in range(count)], ["y"], axis=1))
    return _model(nodes, weights, "y")


def chain(count: int) -> onnx.ModelProto:
    """Elementwise ops in a row, more than one kernel holds."""
    kinds, values = ("Sigmoid", "Tanh", "Sin"), ["x", *(f"t{n}" for n in range(count))]
    nodes = [
        helper.make_node(kinds[n % 3], [before], [after])
        for n, (before, after) in enumerate(pairwise(values))
    ]
    return _model(nodes, [], values[-1])


def residual(count: int) -> onnx.ModelProto:
    """Blocks of a product, a ReLU and a sum with the block's input."""
    nodes: list[NodeProto] = []
    values = ["x", *(f"a{n}" for n in range(count // 3))]
    for n, (before, after) in enumerate(pairwise(values)):
        nodes += [
            helper.make_node("MatMul", [before, "w"], [f"m{n}"]),
            helper.make_node("Relu", [f"m{n}"], [f"r{n}"]),
            helper.make_node("Add", [f"r{n}", before], [after]),
        ]
    return _model(nodes, [_matrix("w", 0)], values[-1])


def fan_out(count: int) -> onnx.ModelProto:
    """Products of one value that are summed up by pairs."""
    values, number = [f"m{n}" for n in range(count // 2)], 0
    weights = [_matrix(f"w{n}", n) for n in range(count // 2)]
    nodes = [
        helper.make_node("MatMul", ["x", w.name], [m]) for w, m in zip(weights, values, strict=True)
    ]
    while len(values) > 1:
        sums: list[str] = []
        for left, right in zip(values[::2], values[1::2], strict=False):
            nodes.append(helper.make_node("Add", [left, right], [f"s{number}"]))
            sums.append(f"s{number}")
            number += 1
        values = [*sums, *values[len(sums) * 2 :]]
    return _model(nodes, weights, values[0])


def hub(count: int) -> onnx.ModelProto:
    """A computed value that many products read."""
    model = fan_out(count)
    for node in model.graph.node:
        if node.op_type == "MatMul":
            node.input[0] = "h"
    model.graph.node.insert(0, helper.make_node("Softmax", ["x"], ["h"]))
    return model


def lstm(steps: int) -> onnx.ModelProto:
    """Two bidirectional LSTM layers of that many steps, 64 features and 64 hidden values."""
    nodes: list[NodeProto] = []
    weights: list[TensorProto] = [
        numpy_helper.from_array(np.array([steps, 1, -1], np.int64), "joined")
    ]
    value = "x"
    for layer, width in enumerate((_WIDTH, 2 * _WIDTH)):
        names = [f"{kind}{layer}" for kind in "WRB"]
        shapes = ((2, 4 * _WIDTH, width), (2, 4 * _WIDTH, _WIDTH), (2, 8 * _WIDTH))
        weights += [_values(n, layer, s) for n, s in zip(names, shapes, strict=True)]
        both, last = f"both{layer}", f"last{layer}"
        nodes += [
            helper.make_node(
                "LSTM", [value, *names], [both], direction="bidirectional", hidden_size=_WIDTH
            ),
            helper.make_node("Transpose", [both], [f"{both}t"], perm=[0, 2, 1, 3]),
            helper.make_node("Reshape", [f"{both}t", "joined"], [last]),
        ]
        value = last
    return _model(nodes, weights, value, [steps, 1, _WIDTH])


_WIDTH = 64


def _matrix(name: str, seed: int, columns: int = SIDE) -> TensorProto:
    return _values(name, seed, (SIDE, columns))


def _values(name: str, seed: int, shape: tuple[int, ...]) -> TensorProto:
    values = np.random.default_rng(seed).standard_normal(shape) / shape[-1]
    return numpy_helper.from_array(values.astype(np.float32), name)


def _model(
    nodes: list[NodeProto],
    weights: list[TensorProto],
    result: str,
    shape: list[int] | None = None,
) -> onnx.ModelProto:
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape or [8, SIDE])
    graph = helper.make_graph(nodes, "g", [x], [onnx.ValueInfoProto(name=result)], weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 14)], ir_version=8)
