"""Single operations to be timed, as ``matmul:8192x3072x768:fp16``.

After the kind (a file in ``ops``) come its sizes, its options as ``stride=2``, and a precision, all
with colons between them.
"""

import importlib
import pkgutil
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from math import sqrt
from typing import Any, ClassVar

import ml_dtypes
import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

from dlc.compiler.options import PRECISIONS
from dlc.errors import CompileError

OPSET, IR_VERSION = 22, 10
"""The first with convolutions in bf16; new enough for no runtime of the last years."""
WEIGHT = "w"
_SIZES = re.compile(r"[1-9][0-9]*(x[1-9][0-9]*)*")
_OPTION = re.compile(r"([a-z]+)=([0-9]+)")
_ELEMENTS: Mapping[str, tuple[int, Any]] = {
    "fp32": (TensorProto.FLOAT, np.float32),
    "tf32": (TensorProto.FLOAT, np.float32),
    "fp16": (TensorProto.FLOAT16, np.float16),
    "bf16": (TensorProto.BFLOAT16, ml_dtypes.bfloat16),
}
Array = NDArray[Any]
Sizes = tuple[int, ...]
Shapes = dict[str, Sizes]


@dataclass(frozen=True)
class SingleOp:
    """One operation. text: as it was given. sizes: one list for each part between colons."""

    text: str
    kind: str
    sizes: Sequence[Sizes]
    precision: str
    options: Mapping[str, int] = field(default_factory=dict[str, int])

    @property
    def dtype(self) -> Any:
        """The type of its elements, as numpy has it."""
        return _ELEMENTS[self.precision][1]

    def shapes(self) -> Shapes:
        """Return the shapes of the inputs and of the weight, in order."""
        return kind_by_name(self.kind).shapes(self)

    def flops(self) -> int:
        """Return the floating-point operations: a product and an addition count two."""
        return kind_by_name(self.kind).flops(self)

    def weight(self) -> Array | None:
        """Return the weight, if there is one: random, the same at every call, scaled so that
        results are of order one.
        """
        shape = self.shapes().get(WEIGHT)
        if shape is None:
            return None
        depth = kind_by_name(self.kind).depth(self)
        return (np.random.default_rng(0).standard_normal(shape) / sqrt(depth)).astype(self.dtype)

    def model(self) -> ModelProto:
        """Return the ONNX model."""
        kind, element = kind_by_name(self.kind), _ELEMENTS[self.precision][0]
        shapes = {name: shape for name, shape in self.shapes().items() if name != WEIGHT}
        given = [helper.make_tensor_value_info(n, element, s) for n, s in shapes.items()]
        result = helper.make_tensor_value_info("y", element, kind.result(self))
        weight = self.weight()
        stored = [] if weight is None else [numpy_helper.from_array(weight, WEIGHT)]
        graph = helper.make_graph(kind.nodes(self), self.kind, given, [result], stored)
        opset = helper.make_opsetid("", OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)


class OpKind(ABC):
    """A kind of operation. grammar: how it is given. counts: how many sizes each of its parts may
    have. options: what may follow them.
    """

    grammar: ClassVar[str]
    counts: ClassVar[Sequence[Sequence[int]]]
    options: ClassVar[Sequence[str]] = ()

    # Not abstract: most kinds have nothing to check.
    def check(self, op: SingleOp) -> None:  # noqa: B027
        """Raise CompileError for sizes and options that do not go together."""

    @abstractmethod
    def shapes(self, op: SingleOp) -> Shapes:
        """Return the shapes of the inputs, and of the weight ``w`` where there is one."""

    @abstractmethod
    def result(self, op: SingleOp) -> Sizes:
        """Return the shape of the result."""

    @abstractmethod
    def depth(self, op: SingleOp) -> int:
        """Return how many products are added up for an element of the result."""

    @abstractmethod
    def flops(self, op: SingleOp) -> int:
        """Return the floating-point operations."""

    @abstractmethod
    def nodes(self, op: SingleOp) -> list[NodeProto]:
        """Return the ONNX nodes that make ``y``."""

    @abstractmethod
    def torch(self, op: SingleOp, torch: Any) -> Callable[..., Any]:
        """Return PyTorch's function of the tensors in the order of ``shapes``."""

    @abstractmethod
    def jax(self, op: SingleOp, jax: Any) -> Callable[..., Any]:
        """Return JAX's function of the arrays in the order of ``shapes``."""


@cache
def kind_names() -> tuple[str, ...]:
    """Return the names of all kinds: the files in ``ops``."""
    folders = importlib.import_module("dlc.benchmark.ops").__path__
    return tuple(sorted(module.name for module in pkgutil.iter_modules(folders)))


def kind_by_name(name: str) -> OpKind:
    """Return a kind of operation; raises CompileError when there is none of that name."""
    if name not in kind_names():
        raise CompileError(f"there is no operation {name!r}; give {', '.join(kind_names())}")
    return importlib.import_module(f"dlc.benchmark.ops.{name}").KIND


def parse_op(text: str, precision: str) -> SingleOp:
    """Read an operation. precision: where the text has none.

    Raises CompileError, which says what is wrong and what there is.
    """
    name, *parts = text.split(":")
    kind = kind_by_name(name)
    if own := [part for part in parts if part in PRECISIONS]:
        precision = own[0]
        parts.remove(precision)
    sizes = [_sizes(part) for part in parts[: len(kind.counts)]]
    if len(sizes) != len(kind.counts) or any(
        len(found) not in allowed for found, allowed in zip(sizes, kind.counts, strict=True)
    ):
        raise CompileError(f"give {kind.grammar} with sizes of 1 or more", at=text)
    options = dict(_option(kind, part, text) for part in parts[len(sizes) :])
    op = SingleOp(text, name, sizes, precision, options)
    kind.check(op)
    return op


def _sizes(text: str) -> Sizes:
    """Return the sizes of ``3x4``; none of what is no such text."""
    return tuple(map(int, text.split("x"))) if _SIZES.fullmatch(text) else ()


def _option(kind: OpKind, text: str, whole: str) -> tuple[str, int]:
    match = _OPTION.fullmatch(text)
    if match is None or match[1] not in kind.options:
        allowed = ", ".join([*(f"{name}=NUMBER" for name in kind.options), "/".join(PRECISIONS)])
        raise CompileError(f"{text!r} is none of what may follow the sizes: {allowed}", at=whole)
    return match[1], int(match[2])
