"""An ONNX model run by PyTorch, node by node: what PyTorch takes for it without a compiler.

For convolutional networks; each node is the function of PyTorch that a user would write.
"""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

torch: Any = import_module("torch")  # optional, and without types here
functional: Any = import_module("torch.nn.functional")
Values = dict[str, Any]
_SOFTMAX_OF_ONE_AXIS = 13
"""Opset since which a Softmax is over one axis."""


class UnknownOpError(Exception):
    """An operator that this file has not."""


def load(path: Path, dtype: Any, device: str) -> Callable[[Sequence[Any]], list[Any]]:
    """Return a function of the inputs in order. Floats are of ``dtype``; images and filters have
    their channels last, as PyTorch advises for convolutions in half precision.

    Raises UnknownOpError.
    """
    model = onnx.load(path)
    graph, opset = model.graph, next(x.version for x in model.opset_import if not x.domain)
    constants = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    for node in graph.node:
        if node.op_type == "Constant":
            constants[node.output[0]] = numpy_helper.to_array(node.attribute[0].t)
    if unknown := sorted({n.op_type for n in graph.node} - _OPS.keys() - {"Constant"}):
        raise UnknownOpError(", ".join(unknown))
    weights = {
        name: _moved(torch.from_numpy(x.copy()), dtype, device) for name, x in constants.items()
    }
    plan = [
        (_OPS[n.op_type], n.input, n.output, {"opset": opset, **_attributes(n)})
        for n in graph.node
        if n.op_type != "Constant"
    ]
    names = [i.name for i in graph.input if i.name not in constants]
    outputs = [o.name for o in graph.output]
    last = {name: n for n, (_, read, _, _) in enumerate(plan) for name in read}
    kept = {"", *weights, *outputs}
    done = [[x for x, end in last.items() if end == n and x not in kept] for n in range(len(plan))]

    def run(inputs: Sequence[Any]) -> list[Any]:
        given = [_moved(x, dtype, device) for x in inputs]
        values = {"": None, **weights, **dict(zip(names, given, strict=True))}
        del given
        for (op, read, written, attributes), unread in zip(plan, done, strict=True):
            found = op(attributes, *(values[name] for name in read))
            several = found if isinstance(found, list) else [found]
            values.update(zip(written, several, strict=False))
            for name in unread:  # as a model written in PyTorch forgets them
                del values[name]
        return [values[name] for name in outputs]

    return run


def _moved(tensor: Any, dtype: Any, device: str) -> Any:
    if not tensor.is_floating_point() or not tensor.dim():
        return tensor  # sizes and numbers, which stay on the host
    is_image = tensor.dim() == 4 and dtype != torch.float32
    format = torch.channels_last if is_image else torch.contiguous_format
    return tensor.to(device=device, dtype=dtype).contiguous(memory_format=format)


def _attributes(node: onnx.NodeProto) -> Values:
    return {a.name: helper.get_attribute_value(a) for a in node.attribute}


def _padded(a: Values, x: Any, value: float = 0.0) -> tuple[Any, Any]:
    """Return the input and the padding that the function is to add: where it is not the same on
    both sides, the input has it.
    """
    rank = x.dim() - 2
    pads = list(a.get("pads", [0] * 2 * rank))
    if a.get("auto_pad", b"NOTSET") in (b"SAME_UPPER", b"SAME_LOWER"):
        pads = _same(a, x, rank)
    if pads[:rank] == pads[rank:]:
        return x, pads[:rank]
    both = [n for axis in reversed(range(rank)) for n in (pads[axis], pads[rank + axis])]
    return functional.pad(x, both, value=value), [0] * rank


def _same(a: Values, x: Any, rank: int) -> list[int]:
    strides, kernel = a.get("strides", [1] * rank), a["kernel_shape"]
    sizes = x.shape[2:]
    more = [
        max(0, (-(-n // s) - 1) * s + k - n) for n, s, k in zip(sizes, strides, kernel, strict=True)
    ]
    low = [n // 2 for n in more]
    high = [n - m for n, m in zip(more, low, strict=True)]
    return [*low, *high] if a["auto_pad"] == b"SAME_UPPER" else [*high, *low]


def _conv(a: Values, x: Any, weight: Any, bias: Any = None) -> Any:
    rank = x.dim() - 2
    x, padding = _padded({**a, "kernel_shape": weight.shape[2:]}, x)
    ones = [1] * rank
    strides, dilations = a.get("strides", ones), a.get("dilations", ones)
    return functional.conv2d(x, weight, bias, strides, padding, dilations, a.get("group", 1))


def _max_pool(a: Values, x: Any) -> Any:
    x, padding = _padded(a, x, float("-inf"))
    is_ceil = bool(a.get("ceil_mode", 0))
    return functional.max_pool2d(
        x, a["kernel_shape"], a.get("strides", [1, 1]), padding, ceil_mode=is_ceil
    )


def _average_pool(a: Values, x: Any) -> Any:
    image, padding = _padded(a, x)
    is_whole = bool(a.get("count_include_pad", 0))

    def means(of: Any) -> Any:
        numbers = a["kernel_shape"], a.get("strides", [1, 1]), padding
        return functional.avg_pool2d(of, *numbers, bool(a.get("ceil_mode", 0)), is_whole)

    if image is x or is_whole:
        return means(image)
    inside, _ = _padded(a, torch.ones_like(x[:1, :1]))
    return means(image) / means(inside)


def _batch_norm(a: Values, x: Any, scale: Any, bias: Any, mean: Any, variance: Any) -> Any:
    epsilon = a.get("epsilon", 1e-5)
    return functional.batch_norm(x, mean, variance, scale, bias, eps=epsilon)


def _gemm(a: Values, x: Any, weight: Any, bias: Any = None) -> Any:
    x = x.t() if a.get("transA") else x
    weight = weight if a.get("transB") else weight.t()
    assert a.get("alpha", 1.0) == a.get("beta", 1.0) == 1.0
    return functional.linear(x, weight, bias)


def _flatten(a: Values, x: Any) -> Any:
    axis = a.get("axis", 1) % (x.dim() + 1)
    return x.reshape(int(np.prod(x.shape[:axis])), -1)


def _reshape(a: Values, x: Any, sizes: Any = None) -> Any:
    wanted = a["shape"] if sizes is None else sizes.tolist()
    return x.reshape([x.shape[n] if size == 0 else size for n, size in enumerate(wanted)])


def _clip(a: Values, x: Any, low: Any = None, high: Any = None) -> Any:
    low = a.get("min") if low is None else float(low)
    high = a.get("max") if high is None else float(high)
    return torch.clamp(x, low, high)


def _unsqueeze(a: Values, x: Any, axes: Any = None) -> Any:
    for axis in sorted(a["axes"] if axes is None else axes.tolist()):
        x = x.unsqueeze(axis)
    return x


def _split(a: Values, x: Any, parts: Any = None) -> list[Any]:
    sizes = a.get("split") if parts is None else parts.tolist()
    return list(torch.split(x, sizes, a.get("axis", 0)))


def _softmax(a: Values, x: Any) -> Any:
    """Over one axis; before opset 13 over all axes from one on."""
    if a["opset"] >= _SOFTMAX_OF_ONE_AXIS:
        return functional.softmax(x, a.get("axis", -1))
    axis = a.get("axis", 1) % x.dim()
    return functional.softmax(x.flatten(axis), axis).reshape(x.shape)


_OPS: Mapping[str, Callable[..., Any]] = {
    "Add": lambda a, x, y: x + y,
    "AveragePool": _average_pool,
    "BatchNormalization": _batch_norm,
    "Clip": _clip,
    "Concat": lambda a, *x: torch.cat(x, a["axis"]),
    "Conv": _conv,
    "Div": lambda a, x, y: x / y,
    "Dropout": lambda a, x, *rest: x,
    "Flatten": _flatten,
    "Gemm": _gemm,
    "GlobalAveragePool": lambda a, x: x.mean((2, 3), keepdim=True),
    "GlobalMaxPool": lambda a, x: x.amax((2, 3), keepdim=True),
    "Identity": lambda a, x: x,
    "LRN": lambda a, x: functional.local_response_norm(
        x, a["size"], a.get("alpha", 1e-4), a.get("beta", 0.75), a.get("bias", 1.0)
    ),
    "LeakyRelu": lambda a, x: functional.leaky_relu(x, a.get("alpha", 0.01)),
    "MatMul": lambda a, x, y: x @ y,
    "MaxPool": _max_pool,
    "Mul": lambda a, x, y: x * y,
    "PRelu": lambda a, x, slope: torch.where(x > 0, x, x * slope),
    "Relu": lambda a, x: functional.relu(x),
    "Reshape": _reshape,
    "Sigmoid": lambda a, x: torch.sigmoid(x),
    "Softmax": _softmax,
    "Split": _split,
    "Sub": lambda a, x, y: x - y,
    "Sum": lambda a, *x: sum(x),
    "Transpose": lambda a, x: x.permute(*a["perm"]),
    "Unsqueeze": _unsqueeze,
}
