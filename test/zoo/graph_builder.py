"""A model of layers with seeded weights, written node by node."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, TensorProto, ValueInfoProto, helper
from weight_filling import Filling, add_weight

_OPSET = 13
_IR_VERSION = 8
Axis = int | str


@dataclass(frozen=True)
class Value:
    """A tensor of a graph. channels: its size along axis 1."""

    name: str
    channels: int


@dataclass
class GraphBuilder:
    """Adds nodes to a graph with one input, ``data``, of shape ``(N, *sizes)``; N stays open.

    filling: the name of the model, and its weights.
    """

    filling: Filling
    sizes: Sequence[int]
    proto: ModelProto = field(default_factory=ModelProto)
    count: int = 0

    def __post_init__(self) -> None:
        self.normal, self.factors = self.filling.normal, self.filling.factors
        self.data = Value("data", self.sizes[0])
        self.proto.ir_version = _IR_VERSION
        self.proto.opset_import.append(helper.make_opsetid("", _OPSET))
        self.graph.name = self.filling.name
        self.graph.input.append(_type("data", self.sizes))

    @property
    def graph(self) -> GraphProto:
        """What the nodes and weights are added to."""
        return self.proto.graph

    def op(
        self,
        kind: str,
        *inputs: Value | str,
        channels: int | None = None,
        **attributes: int | float | Sequence[int],
    ) -> Value:
        """Add a node and return its output. channels: those of the output, if not the first
        input's.
        """
        name = f"{kind}_{self.count}"
        self.count += 1
        names = [x.name if isinstance(x, Value) else x for x in inputs]
        node = helper.make_node(kind, names, [f"{name}_out"], name)
        node.attribute.extend(helper.make_attribute(*each) for each in attributes.items())
        self.graph.node.append(node)
        if channels is None:
            channels = next(x.channels for x in inputs if isinstance(x, Value))
        return Value(f"{name}_out", channels)

    def weight(self, values: NDArray[np.generic]) -> str:
        """Add an initializer and return its name."""
        name = f"weight_{self.count}"
        self.count += 1
        add_weight(self.graph, name, values)
        return name

    def sizes_weight(self, *sizes: int) -> str:
        """Add the shape that a Reshape reads."""
        return self.weight(np.array(sizes, np.int64))

    def scalar(self, value: float) -> str:
        """Add a number."""
        return self.weight(np.array(value, np.float32))

    def conv(
        self,
        x: Value,
        channels: int,
        kernel: int,
        stride: int = 1,
        pad: int = 0,
        *,
        group: int = 1,
        dilation: int = 1,
        bias: bool = False,
    ) -> Value:
        """Add a convolution of square windows."""
        shape = (channels, x.channels // group, kernel, kernel)
        weights = [self.weight(self.factors(shape))]
        if bias:
            weights.append(self.weight(self.normal((channels,), 0.1)))
        return self.op(
            "Conv",
            x,
            *weights,
            channels=channels,
            kernel_shape=[kernel] * 2,
            strides=[stride] * 2,
            pads=[pad] * 4,
            dilations=[dilation] * 2,
            group=group,
        )

    def batch_norm(self, x: Value, gain: float = 1.0) -> Value:
        """Add a normalization by stored statistics. gain: what it multiplies activations by; below
        1 where the result is added to others.
        """
        shape = (x.channels,)
        scale = gain * (1 + self.normal(shape, 0.1))
        offset, mean = (self.normal(shape, 0.1) for _ in range(2))
        variance = 1 + np.abs(self.normal(shape, 0.2))
        return self.op("BatchNormalization", x, *map(self.weight, (scale, offset, mean, variance)))

    def relu(self, x: Value) -> Value:
        """Add max(x, 0)."""
        return self.op("Relu", x)

    def max_pool(self, x: Value, kernel: int, stride: int, pads: Sequence[int] = (0,) * 4) -> Value:
        """Add a maximum over square windows. pads: top, left, bottom, right."""
        square, steps = [kernel] * 2, [stride] * 2
        return self.op("MaxPool", x, kernel_shape=square, strides=steps, pads=list(pads))

    def gemm(self, x: Value, inputs: int, outputs: int) -> Value:
        """Add ``x @ w.T + b`` of a matrix x with ``inputs`` columns."""
        weights = self.factors((outputs, inputs)), self.normal((outputs,), 0.1)
        return self.op("Gemm", x, *map(self.weight, weights), channels=outputs, transB=1)

    def model(self, result: Value, *sizes: Axis) -> ModelProto:
        """Return the model whose output, of shape ``(N, *sizes)``, is ``result``."""
        self.graph.output.append(_type(result.name, sizes))
        return self.proto


def _type(name: str, sizes: Sequence[Axis]) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, ["N", *sizes])
