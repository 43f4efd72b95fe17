"""Single operations that should run as fast as their bytes move: for ``streams.py``.

Each is an ONNX model of a few nodes over tensors of about ``BYTES``, and the same in PyTorch.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

BYTES = 100_000_000
"""Of the largest tensor of a case: twice what an L2 cache of 50 MB holds."""
OPSET, IR_VERSION = 21, 10
LENGTHS = (64, 197, 768, 1000, 4096, 16384, 50257)
"""Of rows: powers of two and not, one that fits a warp and one that no register file holds."""
_CODES = {"fp16": TensorProto.FLOAT16, "fp32": TensorProto.FLOAT, "int64": TensorProto.INT64}
_SIZES = {"fp16": 2, "fp32": 4, "int64": 8}

Sizes = tuple[int, ...]
Array = np.ndarray[Any, Any]
Torch = Callable[..., Any]


@dataclass(frozen=True)
class StreamCase:
    """A few nodes from ``x``, ``y``, .. to ``result``.

    inputs: type and shape by name; integers are below ``limit``. torch: the same of torch and the
    inputs and constants in order. partly: the input of which only as much is read as the result
    has, if there is one.
    """

    name: str
    inputs: dict[str, tuple[str, Sizes]]
    nodes: Sequence[NodeProto]
    result: tuple[str, Sizes]
    torch: Torch
    constants: dict[str, Array] = field(default_factory=dict[str, Array])
    limit: int = 0
    partly: str = ""

    @property
    def bytes(self) -> int:
        """Inputs and result, each once; of an input that is read partly what is read of it."""
        result = _bytes(*self.result)
        inputs = self.inputs.items()
        return result + sum(result if name == self.partly else _bytes(*x) for name, x in inputs)

    @property
    def precision(self) -> str:
        """What it computes in: the type of its first input."""
        return next(iter(self.inputs.values()))[0]

    def model(self) -> ModelProto:
        """Return the ONNX model."""
        given = [
            helper.make_tensor_value_info(name, _CODES[element], shape)
            for name, (element, shape) in self.inputs.items()
        ]
        result = helper.make_tensor_value_info("result", _CODES[self.result[0]], self.result[1])
        stored = [numpy_helper.from_array(array, name) for name, array in self.constants.items()]
        graph = helper.make_graph(list(self.nodes), "stream", given, [result], stored)
        opset = helper.make_opsetid("", OPSET)
        return helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)


def _bytes(element: str, shape: Sizes) -> int:
    return _SIZES[element] * prod(shape)


def cases() -> Iterator[StreamCase]:
    """Yield all cases."""
    for element in ("fp16", "fp32"):
        for family in (_rows, _norms, _reductions, _elementwise, _moves):
            yield from family(element)
    yield _cast("fp32", "fp16")
    yield _cast("fp16", "fp32")
    yield _image()


def _node(kind: str, inputs: str, output: str = "result", **attributes: Any) -> NodeProto:
    return helper.make_node(kind, inputs.split(), [output], **attributes)


def _rest(element: str, *sizes: int) -> int:
    """Return the size of the first axis with which a tensor has ``BYTES``."""
    return max(1, round(BYTES / _bytes(element, sizes)))


def _weight(element: str, size: int, seed: int = 0) -> Array:
    random = np.random.default_rng(seed).uniform(0.5, 1.5, size)
    return random.astype({"fp16": np.float16, "fp32": np.float32}[element])


def _of_one(
    name: str, element: str, shape: Sizes, nodes: Sequence[NodeProto], torch: Torch, **more: Any
) -> StreamCase:
    """Return a case of one input; without another ``result`` it is of the input's shape."""
    result = more.pop("result", (element, shape))
    text = f"{name} {'x'.join(map(str, shape))} {element}"
    return StreamCase(text, {"x": (element, shape)}, nodes, result, torch, **more)


def _rows(element: str) -> Iterator[StreamCase]:
    for length in LENGTHS:
        shape = _rest(element, length), length
        yield _of_one(
            "softmax",
            element,
            shape,
            [_node("Softmax", "x", axis=-1)],
            lambda torch, x: torch.softmax(x, -1),
        )
        yield _layer_norm(element, shape)
    for length in (1000, 4096, 50257):
        yield _of_one(
            "log_softmax",
            element,
            (_rest(element, length), length),
            [_node("LogSoftmax", "x", axis=-1)],
            lambda torch, x: torch.log_softmax(x, -1),
        )


def _layer_norm(element: str, shape: Sizes) -> StreamCase:
    length = shape[-1]
    return _of_one(
        "layer_norm",
        element,
        shape,
        [_node("LayerNormalization", "x w b", axis=-1, epsilon=1e-5)],
        lambda torch, x, w, b: torch.nn.functional.layer_norm(x, w.shape, w, b),
        constants={"w": _weight(element, length), "b": _weight(element, length, 1)},
    )


def _norms(element: str) -> Iterator[StreamCase]:
    for length in (768, 4096, 16384):
        yield _rms_norm(element, (_rest(element, length), length))
    weights = {"w": _weight(element, 256), "b": _weight(element, 256, 1)}
    shape = _rest(element, 256, 56, 56), 256, 56, 56
    yield _of_one(
        "group_norm",
        element,
        shape,
        [_node("GroupNormalization", "x w b", num_groups=32)],
        lambda torch, x, w, b: torch.nn.functional.group_norm(x, 32, w, b),
        constants=weights,
    )
    statistics = {"m": _weight(element, 256, 2), "v": _weight(element, 256, 3)}
    yield _of_one(
        "batch_norm",
        element,
        shape,
        [_node("BatchNormalization", "x w b m v")],
        lambda torch, x, w, b, m, v: torch.nn.functional.batch_norm(x, m, v, w, b),
        constants={**weights, **statistics},
    )


def _rms_norm(element: str, shape: Sizes) -> StreamCase:
    nodes = [
        _node("Cast", "x", "wide", to=TensorProto.FLOAT),
        _node("Mul", "wide wide", "square"),
        _node("ReduceMean", "square last", "mean", keepdims=1),
        _node("Add", "mean epsilon", "sum"),
        _node("Sqrt", "sum", "root"),
        _node("Div", "wide root", "scaled"),
        _node("Cast", "scaled", "narrow", to=_CODES[element]),
        _node("Mul", "narrow w"),
    ]
    constants = {
        "w": _weight(element, shape[-1]),
        "last": np.array([-1]),
        "epsilon": np.array(1e-5, np.float32),
    }
    return _of_one(
        "rms_norm",
        element,
        shape,
        nodes,
        lambda torch, x, w, *_: torch.nn.functional.rms_norm(x, w.shape, w, 1e-5),
        constants=constants,
    )


def _reductions(element: str) -> Iterator[StreamCase]:
    for length in (64, 1000, 50257):
        shape = _rest(element, length), length
        yield _of_one(
            "argmax",
            element,
            shape,
            [_node("ArgMax", "x", axis=-1, keepdims=0)],
            lambda torch, x: torch.argmax(x, -1),
            result=("int64", shape[:1]),
        )
    shape = _rest(element, 21, 384, 384), 21, 384, 384
    yield _of_one(
        "argmax_channels",
        element,
        shape,
        [_node("ArgMax", "x", axis=1, keepdims=0)],
        lambda torch, x: torch.argmax(x, 1),
        result=("int64", (shape[0], 384, 384)),
    )
    for channels, size in ((32, 112), (240, 28), (1152, 7)):
        shape = _rest(element, channels, size, size), channels, size, size
        yield _mean("mean_channels_first", element, shape, (2, 3))
        shape = shape[0], size, size, channels
        yield _mean("mean_channels_last", element, shape, (1, 2))
    for columns in (64, 768, 6000):
        yield _column_sum(element, (_rest(element, columns), columns))


def _mean(name: str, element: str, shape: Sizes, axes: Sizes) -> StreamCase:
    kept = tuple(size for axis, size in enumerate(shape) if axis not in axes)
    return _of_one(
        name,
        element,
        shape,
        [_node("ReduceMean", "x axes", keepdims=0)],
        lambda torch, x, *_: torch.mean(x, axes),
        result=(element, kept),
        constants={"axes": np.array(axes)},
    )


def _column_sum(element: str, shape: Sizes) -> StreamCase:
    return _of_one(
        "column_mean",
        element,
        shape,
        [_node("ReduceMean", "x axes", keepdims=0)],
        lambda torch, x, *_: torch.mean(x, 0),
        result=(element, shape[1:]),
        constants={"axes": np.array([0])},
    )


def _elementwise(element: str) -> Iterator[StreamCase]:
    shape = _rest(element, 768), 768
    yield StreamCase(
        f"silu_add {shape[0]}x{shape[1]} {element}",
        {"x": (element, shape), "y": (element, shape)},
        [_node("Sigmoid", "x", "s"), _node("Mul", "x s", "p"), _node("Add", "p y")],
        (element, shape),
        lambda torch, x, y: torch.nn.functional.silu(x) + y,
    )
    yield _of_one(
        "gelu",
        element,
        shape,
        [_node("Gelu", "x")],
        lambda torch, x: torch.nn.functional.gelu(x),
    )
    odd = _rest(element, 197), 197
    yield _of_one(
        "relu_bias",
        element,
        odd,
        [_node("Add", "x b", "s"), _node("Relu", "s")],
        lambda torch, x, b: torch.relu(x + b),
        constants={"b": _weight(element, 197)},
    )


def _image() -> StreamCase:
    """An image as it comes, channels last and in halves for the first convolution."""
    shape = _rest("fp32", 3, 224, 224), 3, 224, 224
    last = shape[0], 224, 224, 3
    return StreamCase(
        f"image {'x'.join(map(str, shape))} fp32 fp16",
        {"x": ("fp32", shape)},
        [_node("Cast", "x", "y", to=_CODES["fp16"]), _node("Transpose", "y", perm=[0, 2, 3, 1])],
        ("fp16", last),
        lambda torch, x: x.permute(0, 2, 3, 1).to(torch.float16).contiguous(),
    )


def _cast(source: str, target: str) -> StreamCase:
    shape = _rest("fp32", 768), 768
    return StreamCase(
        f"cast {shape[0]}x{shape[1]} {source} {target}",
        {"x": (source, shape)},
        [_node("Cast", "x", to=_CODES[target])],
        (target, shape),
        lambda torch, x: x.to({"fp16": torch.float16, "fp32": torch.float32}[target]),
    )


def _moves(element: str) -> Iterator[StreamCase]:
    half = 2 if element == "fp32" else 1
    for shape, order in (
        ((8192, 6144 // half), (1, 0)),
        ((7919, 6361 // half), (1, 0)),
        ((_rest(element, 3, 224, 224), 3, 224, 224), (0, 2, 3, 1)),
        ((_rest(element, 3, 224, 224), 224, 224, 3), (0, 3, 1, 2)),
        ((_rest(element, 64, 56, 56), 64, 56, 56), (0, 2, 3, 1)),
        ((_rest(element, 64, 56, 56), 56, 56, 64), (0, 3, 1, 2)),
        ((_rest(element, 197, 28, 28), 197, 28, 28), (0, 2, 3, 1)),
        ((_rest(element, 128, 12, 64), 128, 12, 64), (0, 2, 1, 3)),
        ((_rest(element, 128, 12, 64), 128, 12, 64), (0, 2, 3, 1)),
        ((_rest(element, 3, 224, 224), 3, 14, 16, 14, 16), (0, 2, 4, 1, 3, 5)),
        ((_rest(element, 3, 224, 224), 14, 14, 16, 16, 3), (0, 5, 1, 3, 2, 4)),
    ):
        yield _transpose(element, shape, order)
    yield from _lookups(element)
    yield from _joins(element)
    yield from _resizes(element)
    shape = _rest(element, 1024), 1024
    yield _of_one(
        "cumsum",
        element,
        shape,
        [_node("CumSum", "x axis")],
        lambda torch, x, *_: torch.cumsum(x, 1),
        constants={"axis": np.array(1)},
    )


def _transpose(element: str, shape: Sizes, order: Sizes) -> StreamCase:
    return _of_one(
        f"transpose_{''.join(map(str, order))}",
        element,
        shape,
        [_node("Transpose", "x", perm=order)],
        lambda torch, x: x.permute(order).contiguous(),
        result=(element, tuple(shape[axis] for axis in order)),
    )


def _lookups(element: str) -> Iterator[StreamCase]:
    for width in (768, 100):
        rows = _rest(element, width)
        yield StreamCase(
            f"gather {rows}x{width} {element}",
            {"x": (element, (50257, width)), "places": ("int64", (rows,))},
            [_node("Gather", "x places", axis=0)],
            (element, (rows, width)),
            lambda torch, x, places: x[places],
            limit=50257,
            partly="x",
        )


def _joins(element: str) -> Iterator[StreamCase]:
    for first, second in ((96, 160), (100, 97)):
        rows = _rest(element, 256)
        yield StreamCase(
            f"concat {rows}x{first}+{second} {element}",
            {"x": (element, (rows, first)), "y": (element, (rows, second))},
            [_node("Concat", "x y", axis=1)],
            (element, (rows, first + second)),
            lambda torch, x, y: torch.cat((x, y), 1),
        )
    rows = _rest(element, 128)
    ends = {"start": np.array([33]), "end": np.array([161]), "axis": np.array([1])}
    yield _of_one(
        "slice",
        element,
        (rows, 192),
        [_node("Slice", "x start end axis")],
        lambda torch, x, *_: x[:, 33:161].contiguous(),
        result=(element, (rows, 128)),
        constants=ends,
        partly="x",
    )
    shape = _rest(element, 64, 112, 112), 64, 112, 112
    yield _of_one(
        "pad",
        element,
        shape,
        [_node("Pad", "x pads")],
        lambda torch, x, *_: torch.nn.functional.pad(x, (1, 1, 1, 1)),
        result=(element, (*shape[:2], 114, 114)),
        constants={"pads": np.array([0, 0, 1, 1, 0, 0, 1, 1])},
    )


def _resizes(element: str) -> Iterator[StreamCase]:
    shape = _rest(element, 64, 112, 112), 64, 56, 56
    for mode, coordinates, name in (
        ("nearest", "asymmetric", "nearest"),
        ("linear", "half_pixel", "bilinear"),
    ):
        options = {"nearest_mode": "floor"} if mode == "nearest" else {}
        yield _of_one(
            f"resize_{name}",
            element,
            shape,
            [
                helper.make_node(
                    "Resize",
                    ["x", "", "scales"],
                    ["result"],
                    mode=mode,
                    coordinate_transformation_mode=coordinates,
                    **options,
                )
            ],
            lambda torch, x, *_, name=name: torch.nn.functional.interpolate(
                x, scale_factor=2, mode=name
            ),
            result=(element, (*shape[:2], 112, 112)),
            constants={"scales": np.array([1, 1, 2, 2], np.float32)},
        )
