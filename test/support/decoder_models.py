"""A step of a decoder: one token, with the keys and values before it as inputs of each layer, and
all of them as outputs.
"""

from typing import Any

import numpy as np
import onnx
from attention_models import Array
from numpy.typing import NDArray
from onnx import helper

HEADS, SIZE = 2, 32
WIDTH = HEADS * SIZE


def decoder(layers: int, past: int) -> onnx.ModelProto:
    """Return a decoder that keeps ``past`` keys of each layer, and gives one more:
    ``present = Concat(past, new)``, of keys and of values.
    """
    built = _Builder()
    hidden = "hidden"
    inputs, outputs = [_value("hidden", 1, 1, WIDTH)], [_value("result", 1, 1, WIDTH)]
    for layer in range(layers):
        for what in ("keys", "values"):
            inputs.append(_value(f"past_{what}_{layer}", 1, HEADS, past, SIZE))
            outputs.append(_value(f"{what}_{layer}", 1, HEADS, past + 1, SIZE))
        hidden = built.layer(layer, hidden)
    built.add("Identity", [hidden], "result")
    graph = helper.make_graph(built.nodes, "decoder", inputs, outputs, built.constants)
    imports = [helper.make_opsetid("", 17)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def inputs_of(model: onnx.ModelProto) -> dict[str, Array]:
    """Return random inputs."""
    draws = np.random.default_rng(5)
    sizes = {x.name: [d.dim_value for d in x.type.tensor_type.shape.dim] for x in model.graph.input}
    return {name: draws.standard_normal(each).astype(np.float32) for name, each in sizes.items()}


class _Builder:
    """The nodes of a model so far, and its weights."""

    def __init__(self) -> None:
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self._draws = np.random.default_rng(7)

    def layer(self, number: int, hidden: str) -> str:
        """Add a layer; return its result."""
        normed = self._norm(hidden)
        query, keys, values = (self._heads(self._product(normed)) for _ in range(3))
        keys = self.add("Concat", [f"past_keys_{number}", keys], f"keys_{number}", axis=2)
        values = self.add("Concat", [f"past_values_{number}", values], f"values_{number}", axis=2)
        turned = self.add("Transpose", [keys], perm=[0, 1, 3, 2])
        scores = self.add("MatMul", [query, turned])
        scaled = self.add("Mul", [scores, self._constant(np.float32(SIZE**-0.5))])
        weights = self.add("Softmax", [scaled], axis=-1)
        mixed = self.add("Transpose", [self.add("MatMul", [weights, values])], perm=[0, 2, 1, 3])
        beside = self.add("Reshape", [mixed, self._constant(np.array([1, 1, WIDTH]))])
        return self.add("Add", [hidden, self._product(beside)])

    def add(self, op: str, inputs: list[str], name: str = "", **attributes: Any) -> str:
        """Add a node of one output; return its name."""
        name = name or f"t{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [name], f"{op}_{name}", **attributes))
        return name

    def _norm(self, x: str) -> str:
        ones, zeros = (self._constant(f(WIDTH, np.float32)) for f in (np.ones, np.zeros))
        return self.add("LayerNormalization", [x, ones, zeros])

    def _product(self, x: str) -> str:
        weight = self._draws.standard_normal((WIDTH, WIDTH)) / WIDTH**0.5
        return self.add("MatMul", [x, self._constant(weight.astype(np.float32))])

    def _heads(self, x: str) -> str:
        apart = self.add("Reshape", [x, self._constant(np.array([1, 1, HEADS, SIZE]))])
        return self.add("Transpose", [apart], perm=[0, 2, 1, 3])

    def _constant(self, array: NDArray[np.generic] | np.float32) -> str:
        name = f"c{len(self.constants)}"
        self.constants.append(onnx.numpy_helper.from_array(np.asarray(array), name))
        return name


def _value(name: str, *sizes: int) -> onnx.ValueInfoProto:
    return helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, sizes)
