"""Weights: random ones that keep the variance of activations about where it is, or constants."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod, sqrt
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, helper, numpy_helper

Weights = NDArray[np.float32]


@dataclass(frozen=True)
class Filling:
    """name: of a model; its weights depend on it. random: whether they are random; else each tensor
    is one constant, and is stored as that.
    """

    name: str
    random: bool = True

    @cached_property
    def _generator(self) -> np.random.Generator:
        return np.random.default_rng(crc32(self.name.encode()))

    def normal(self, shape: Sequence[int], deviation: float) -> Weights:
        """Return normal numbers of mean 0."""
        if not self.random:
            return np.broadcast_to(np.float32(deviation), tuple(shape))
        values = self._generator.standard_normal(tuple(shape), np.float32)
        values *= deviation
        return values

    def factors(self, shape: Sequence[int]) -> Weights:
        """Return weights of a convolution or a product, outputs along axis 0, for inputs half of
        which a Relu made 0 (He and others, 2015). Activations then stay finite in fp16.
        """
        return self.normal(shape, sqrt(2 / prod(shape[1:])))


def add_weight(graph: GraphProto, name: str, values: NDArray[np.generic]) -> None:
    """Add a tensor to a graph: an initializer, or a node that makes it of one constant."""
    if values.size > 1 and not any(values.strides):
        _add_constant(graph, name, values)
        return
    tensor = graph.initializer.add()  # in place: a copy of large weights takes long
    tensor.name = name
    tensor.data_type = helper.np_dtype_to_tensor_dtype(values.dtype)
    tensor.dims.extend(values.shape)
    tensor.raw_data = values.tobytes()


def _add_constant(graph: GraphProto, name: str, values: NDArray[np.generic]) -> None:
    shape = numpy_helper.from_array(np.array(values.shape, np.int64), f"{name}_shape")
    graph.initializer.append(shape)
    value = numpy_helper.from_array(values.reshape(-1)[:1].copy())
    graph.node.append(helper.make_node("ConstantOfShape", [shape.name], [name], value=value))
