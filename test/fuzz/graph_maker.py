"""Writes small ONNX models, with what draws their inputs."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper

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
