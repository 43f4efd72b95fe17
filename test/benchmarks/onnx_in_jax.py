"""An ONNX model as a function of JAX: what XLA gets where the kernels of both are compared.

For networks without control flow whose shapes are known; norms and softmax are computed in ``f32``,
as PyTorch does it in half precision. What belongs to attention is computed in the name scope
``attention``: between products of two computed factors, and what only moves elements for these.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

jax: Any = import_module("jax")  # optional, and without types here
jnp: Any = import_module("jax.numpy")
lax: Any = jax.lax
Arrays = dict[str, Any]
ATTENTION = "attention"
_MOVES = ("Reshape", "Transpose", "Split", "Slice", "Squeeze", "Unsqueeze", "Gather")


class UnknownOpError(Exception):
    """An operator that this file has not."""


def load(path: Path, dtype: Any) -> tuple[Callable[[Arrays, Arrays], list[Any]], Arrays]:
    """Return a function of weights and inputs by name, and the weights; floats become ``dtype``.

    Raises UnknownOpError.
    """
    graph = onnx.load(path).graph
    constants: Arrays = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            constants[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    nodes = [node for node in graph.node if node.op_type != "Constant"]
    if unknown := sorted({n.op_type for n in nodes} - _OPS.keys()):
        raise UnknownOpError(", ".join(unknown))
    constants = {k: v.astype(dtype) if _is_float(v) else v for k, v in constants.items()}
    weights = {k: v for k, v in constants.items() if _is_float(v) and v.size > 1}
    known = {k: v for k, v in constants.items() if k not in weights}
    outputs, inside = [o.name for o in graph.output], _attention(_Nodes(nodes, set(constants)))

    def function(weights: Arrays, inputs: Arrays) -> list[Any]:
        values = {"": None, **known, **weights, **inputs}
        for node in nodes:
            given = [values[name] for name in node.input]
            attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
            with jax.named_scope(ATTENTION if id(node) in inside else "rest"):
                found = _OPS[node.op_type](attributes, *given)
            several = found if isinstance(found, list) else [found]
            values.update(zip(node.output, several, strict=False))
        return [values[name] for name in outputs]

    return function, jax.device_put(weights)


class _Nodes:
    """Nodes in order, with what leads to what."""

    def __init__(self, nodes: Sequence[onnx.NodeProto], constants: set[str]):
        self.all, self.fixed = nodes, set(constants)
        self._makers = {name: node for node in nodes for name in node.output}
        self._readers: dict[str, list[int]] = defaultdict(list)
        for node in nodes:
            if self.fixed.issuperset(node.input):
                self.fixed.update(node.output)
            for name in node.input:
                self._readers[name].append(id(node))

    def made_in(self, node: onnx.NodeProto, among: set[int]) -> list[bool]:
        """Return for each computed input whether a node among some makes it."""
        makers = self._makers
        return [id(makers[name]) in among for name in node.input if name in makers]

    def read_in(self, node: onnx.NodeProto, among: set[int]) -> bool:
        """Whether nothing but nodes among some reads the results."""
        found = [reader for name in node.output for reader in self._readers[name]]
        return bool(found) and among.issuperset(found)

    def moves(self, node: onnx.NodeProto) -> bool:
        """Whether a node moves or scales elements."""
        is_scale = node.op_type in ("Mul", "Div") and bool(self.fixed.intersection(node.input))
        return is_scale or node.op_type in _MOVES

    def products(self) -> set[int]:
        """Return the products of two computed factors."""
        found = (node for node in self.all if node.op_type == "MatMul")
        return {id(node) for node in found if not self.fixed.intersection(node.input)}

    def between(self, products: set[int]) -> set[int]:
        """Return what is behind a product and before the next one, and the products."""
        behind, before = set(products), set(products)
        for node in self.all:
            if node.op_type not in ("MatMul", "Gemm", "Conv") and any(self.made_in(node, behind)):
                behind.add(id(node))
        for node in reversed(self.all):
            if self.read_in(node, before):
                before.add(id(node))
        return behind & before


def _attention(nodes: _Nodes) -> set[int]:
    """Return the identities of the nodes that belong to attention."""
    inside = nodes.between(nodes.products())
    movers = [node for node in nodes.all if nodes.moves(node)]
    for node in reversed(movers):
        if nodes.read_in(node, inside):
            inside.add(id(node))
    for node in movers:
        if (made := nodes.made_in(node, inside)) and all(made):
            inside.add(id(node))
    return inside


def _is_float(x: Any) -> bool:
    return np.issubdtype(x.dtype, np.floating)


def _pairs(pads: Sequence[int]) -> list[tuple[int, int]]:
    half = len(pads) // 2
    return list(zip(pads[:half], pads[half:], strict=True))


def _conv(a: Mapping[str, Any], x: Any, w: Any, bias: Any = None) -> Any:
    rank = w.ndim - 2
    y = lax.conv_general_dilated(
        x,
        w,
        a.get("strides", [1] * rank),
        _pairs(a.get("pads", [0] * 2 * rank)),
        rhs_dilation=a.get("dilations", [1] * rank),
        feature_group_count=a.get("group", 1),
    )
    return y if bias is None else y + bias.reshape(-1, *[1] * rank)


def _window(a: Mapping[str, Any], x: Any, first: Any, combine: Any) -> Any:
    sizes, rank = a["kernel_shape"], len(a["kernel_shape"])
    pads = [(0, 0), (0, 0), *_pairs(a.get("pads", [0] * 2 * rank))]
    strides = a.get("strides", [1] * rank)
    if a.get("ceil_mode"):
        for n in range(rank):
            before, after = pads[2 + n]
            left = (x.shape[2 + n] + before + after - sizes[n]) % strides[n]
            pads[2 + n] = (before, after + (strides[n] - left if left else 0))
    return lax.reduce_window(x, first, combine, (1, 1, *sizes), (1, 1, *strides), pads)


def _max_pool(a: Mapping[str, Any], x: Any) -> Any:
    return _window(a, x, -jnp.inf, lax.max)


def _average_pool(a: Mapping[str, Any], x: Any) -> Any:
    total = _window(a, x.astype(jnp.float32), 0.0, lax.add)
    if a.get("count_include_pad", 0) or not any(a.get("pads", [0])):
        count: Any = float(np.prod(a["kernel_shape"]))
    else:
        count = _window(a, jnp.ones(x.shape, jnp.float32), 0.0, lax.add)
    return (total / count).astype(x.dtype)


def _batch_norm(a: Mapping[str, Any], x: Any, g: Any, b: Any, mean: Any, var: Any) -> Any:
    factor = g * lax.rsqrt(var.astype(jnp.float32) + a.get("epsilon", 1e-5)).astype(x.dtype)
    across = (-1, *[1] * (x.ndim - 2))
    return x * factor.reshape(across) + (b - mean * factor).reshape(across)


def _layer_norm(a: Mapping[str, Any], x: Any, g: Any, b: Any = None) -> Any:
    axes = tuple(range(a.get("axis", -1) % x.ndim, x.ndim))
    wide = x.astype(jnp.float32)
    mean = wide.mean(axes, keepdims=True)
    variance = ((wide - mean) ** 2).mean(axes, keepdims=True)
    y = ((wide - mean) * lax.rsqrt(variance + a.get("epsilon", 1e-5))).astype(x.dtype) * g
    return y if b is None else y + b


def _gemm(a: Mapping[str, Any], x: Any, w: Any, c: Any = None) -> Any:
    x, w = (x.T if a.get("transA") else x), (w.T if a.get("transB") else w)
    y = (x @ w) * jnp.asarray(a.get("alpha", 1.0), x.dtype)
    return y if c is None else y + c * jnp.asarray(a.get("beta", 1.0), x.dtype)


def _softmax(a: Mapping[str, Any], x: Any) -> Any:
    return jax.nn.softmax(x.astype(jnp.float32), a.get("axis", -1)).astype(x.dtype)


def _mean(a: Mapping[str, Any], x: Any, axes: Any = None) -> Any:
    chosen = a.get("axes") if axes is None else axes
    over = None if chosen is None else tuple(int(n) for n in chosen)
    return x.astype(jnp.float32).mean(over, keepdims=bool(a.get("keepdims", 1))).astype(x.dtype)


def _reshape(a: Mapping[str, Any], x: Any, shape: Any) -> Any:
    return x.reshape([x.shape[n] if not size else int(size) for n, size in enumerate(shape)])


def _split(a: Mapping[str, Any], x: Any, sizes: Any = None) -> list[Any]:
    where = a["num_outputs"] if sizes is None else [int(n) for n in np.cumsum(sizes)[:-1]]
    return jnp.split(x, where, a.get("axis", 0))


def _gather_nd(a: Mapping[str, Any], x: Any, indices: Any) -> Any:
    assert not a.get("batch_dims", 0)
    return x[tuple(jnp.moveaxis(jnp.asarray(indices), -1, 0))]


def _clip(a: Mapping[str, Any], x: Any, low: Any = None, high: Any = None) -> Any:
    return jnp.clip(x, low, high)


def _slice(
    a: Mapping[str, Any], x: Any, starts: Any, ends: Any, axes: Any = None, steps: Any = None
) -> Any:
    where = [slice(None)] * x.ndim
    for n, start in enumerate(starts):
        axis = n if axes is None else int(axes[n])
        where[axis] = slice(int(start), int(ends[n]), None if steps is None else int(steps[n]))
    return x[tuple(where)]


def _cast(a: Mapping[str, Any], x: Any) -> Any:
    to = np.dtype(helper.tensor_dtype_to_np_dtype(a["to"]))
    is_float = np.issubdtype(to, np.floating)
    return jnp.asarray(x).astype(jnp.float16 if is_float else to)


def _squeezed(x: Any, axes: Any) -> Any:
    return jnp.squeeze(x, tuple(int(n) for n in axes))


_OPS: dict[str, Callable[..., Any]] = {
    "Conv": _conv,
    "MaxPool": _max_pool,
    "AveragePool": _average_pool,
    "GlobalAveragePool": lambda a, x: _mean({}, x, range(2, x.ndim)),
    "BatchNormalization": _batch_norm,
    "LayerNormalization": _layer_norm,
    "Gemm": _gemm,
    "MatMul": lambda a, x, y: x @ y,
    "Softmax": _softmax,
    "ReduceMean": _mean,
    "Reshape": _reshape,
    "Flatten": lambda a, x: x.reshape(int(np.prod(x.shape[: a.get("axis", 1)])), -1),
    "Transpose": lambda a, x: jnp.transpose(x, a.get("perm")),
    "Concat": lambda a, *parts: jnp.concatenate(parts, a["axis"]),
    "Split": _split,
    "Slice": _slice,
    "Squeeze": lambda a, x, axes: _squeezed(x, axes),
    "Unsqueeze": lambda a, x, axes: jnp.expand_dims(x, tuple(int(n) for n in axes)),
    "Expand": lambda a, x, s: jnp.broadcast_to(x, np.broadcast_shapes(x.shape, tuple(map(int, s)))),
    "Gather": lambda a, x, i: jnp.take(x, i, a.get("axis", 0)),
    "GatherElements": lambda a, x, i: jnp.take_along_axis(x, jnp.asarray(i), a.get("axis", 0)),
    "GatherND": _gather_nd,
    "Where": lambda a, c, x, y: jnp.where(c, x, y),
    "IsNaN": lambda a, x: jnp.isnan(x),
    "And": lambda a, x, y: jnp.logical_and(x, y),
    "LessOrEqual": lambda a, x, y: x <= y,
    "Cast": _cast,
    "Add": lambda a, x, y: x + y,
    "Sub": lambda a, x, y: x - y,
    "Mul": lambda a, x, y: x * y,
    "Div": lambda a, x, y: x / y,
    "Pow": lambda a, x, y: x**y,
    "Sqrt": lambda a, x: jnp.sqrt(x),
    "Erf": lambda a, x: lax.erf(x),
    "Tanh": lambda a, x: jnp.tanh(x),
    "Relu": lambda a, x: jnp.maximum(x, 0),
    "Sigmoid": lambda a, x: jax.nn.sigmoid(x),
    "Gelu": lambda a, x: jax.nn.gelu(x, approximate=a.get("approximate", b"none") == b"tanh"),
    "Clip": _clip,
}
