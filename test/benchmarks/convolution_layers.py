"""The convolutions of ONNX models, and each as a model of its own."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod, sqrt
from typing import Any

import numpy as np
import onnx
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

FEW_CHANNELS = 8
"""An image of fewer channels is the input of a network."""
Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Layer:
    """A convolution. taps, strides, pads: rows and columns. activation: ``relu``, ``relu6``,
    ``silu``, ``sigmoid``, or none.
    """

    channels: int
    size: tuple[int, int]
    made: int
    taps: tuple[int, int]
    strides: tuple[int, int]
    pads: tuple[int, int]
    groups: int
    activation: str

    def __str__(self) -> str:
        groups = f" groups {self.groups}" if self.groups > 1 else ""
        size, taps = (f"{a}x{b}" for a, b in (self.size, self.taps))
        step = f"/{self.strides[0]}" if self.strides[0] > 1 else ""
        return f"{size}x{self.channels} {taps}{step} -> {self.made}{groups} {self.activation}"

    @property
    def result(self) -> tuple[int, int]:
        """Rows and columns of the result."""
        h, w = (
            (n + 2 * pad - taps) // stride + 1
            for n, pad, taps, stride in zip(
                self.size, self.pads, self.taps, self.strides, strict=True
            )
        )
        return h, w

    def weight(self) -> tuple[Array, Array]:
        """Return the random weight and bias, such that results are of order one."""
        shape = (self.made, self.channels // self.groups, *self.taps)
        random = np.random.default_rng(0)
        weight = random.standard_normal(shape) / sqrt(prod(shape[1:]))
        return weight.astype(np.float16), random.standard_normal(self.made).astype(np.float16)

    def model(self, batch: int) -> ModelProto:
        """Return the ONNX model of the layer alone."""
        last = self.channels >= FEW_CHANNELS
        given = (batch, *self.size, self.channels) if last else (batch, self.channels, *self.size)
        ends = [
            helper.make_tensor_value_info(name, TensorProto.FLOAT16, shape)
            for name, shape in (("x", given), ("y", (batch, *self.result, self.made)))
        ]
        nodes = [helper.make_node("Transpose", ["x"], ["image"], perm=[0, 3, 1, 2])] if last else []
        nodes.append(
            helper.make_node(
                "Conv", ["image" if last else "x", "weight", "bias"], ["sum"], "conv",
                strides=self.strides, pads=self.pads * 2, group=self.groups,
            )
        )  # fmt: skip
        nodes += ACTIVATIONS[self.activation]
        nodes.append(helper.make_node("Transpose", ["out"], ["y"], perm=[0, 2, 3, 1]))
        zero, six = np.float16(0), np.float16(6)
        weight, bias = self.weight()
        arrays = {"weight": weight, "bias": bias, "zero": zero, "six": six}
        stored = [numpy_helper.from_array(np.asarray(x), name) for name, x in arrays.items()]
        graph = helper.make_graph(nodes, "layer", ends[:1], ends[1:], stored)
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=10)


ACTIVATIONS: Mapping[str, Sequence[NodeProto]] = {
    "": [helper.make_node("Identity", ["sum"], ["out"])],
    "relu": [helper.make_node("Relu", ["sum"], ["out"])],
    "relu6": [helper.make_node("Clip", ["sum", "zero", "six"], ["out"])],
    "sigmoid": [helper.make_node("Sigmoid", ["sum"], ["out"])],
    "silu": [
        helper.make_node("Sigmoid", ["sum"], ["gate"]),
        helper.make_node("Mul", ["sum", "gate"], ["out"]),
    ],
}


def layers(model: ModelProto) -> list[Layer]:
    """Return the convolutions of a model that differ, in order."""
    model = onnx.shape_inference.infer_shapes(model)
    values = (*model.graph.input, *model.graph.value_info, *model.graph.output)
    sizes = {v.name: [d.dim_value for d in v.type.tensor_type.shape.dim] for v in values}
    sizes |= {t.name: list(t.dims) for t in model.graph.initializer}
    readers: dict[str, list[NodeProto]] = {}
    for node in model.graph.node:
        for name in node.input:
            readers.setdefault(name, []).append(node)
    convolutions = (node for node in model.graph.node if node.op_type == "Conv")
    return list(dict.fromkeys(_layer(node, sizes, readers) for node in convolutions))


def _layer(
    node: NodeProto, sizes: Mapping[str, list[int]], readers: Mapping[str, list[NodeProto]]
) -> Layer:
    facts = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    _, channels, *size = sizes[node.input[0]]
    made, _, *taps = sizes[node.input[1]]
    before, after = facts["pads"][:2], facts["pads"][2:]
    assert before == after, f"{node.name}: PyTorch has no padding {facts['pads']}"
    assert list(facts.get("dilations", [1, 1])) == [1, 1], f"{node.name}: dilations"
    read = [n.op_type for n in readers.get(node.output[0], [])]
    kinds: dict[tuple[str, ...], str] = {
        ("Relu",): "relu", ("Clip",): "relu6", ("Sigmoid",): "sigmoid",
        ("Mul", "Sigmoid"): "silu",
    }  # fmt: skip
    activation = kinds.get(tuple(sorted(read)), "")
    pairs = (size, taps, facts["strides"], before)
    size, taps, strides, pads = ((int(a), int(b)) for a, b in pairs)
    return Layer(channels, size, made, taps, strides, pads, facts.get("group", 1), activation)
