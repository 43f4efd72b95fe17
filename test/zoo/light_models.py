"""Networks whose graphs come with the ``onnx`` package, without weights: each weight there is one
constant. Here weights are random and the batch size is open.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import ModelProto, NodeProto, helper, numpy_helper
from weight_filling import Filling, Weights, add_weight

FOLDER = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"

_IR_VERSION = 8


def light(filling: Filling, file: str) -> ModelProto:
    """Return the model of ``light_{file}.onnx``."""
    source = onnx.load(FOLDER / f"light_{file}.onnx")
    stored = {each.name: numpy_helper.to_array(each) for each in source.graph.initializer}
    nodes = [node for node in source.graph.node if node.op_type != "ConstantOfShape"]
    shapes = _weight_shapes(stored, source.graph.node)
    known = {*shapes, *stored}
    inputs = [each for each in source.graph.input if each.name not in known]
    for value in (*inputs, *source.graph.output):
        value.type.tensor_type.shape.dim[0].dim_param = "N"
    made = helper.make_graph([], filling.name, inputs, source.graph.output)
    model = helper.make_model(made, opset_imports=source.opset_import, ir_version=_IR_VERSION)
    uses = _uses(nodes)
    for each, shape in shapes.items():
        if each in uses:  # a file names a queue of its training
            add_weight(model.graph, each, _filled(filling, uses[each], shape))
    for each, sizes in _open_sizes(nodes, stored, known).items():
        add_weight(model.graph, each, sizes)
    model.graph.node.extend(nodes)
    return model


def _weight_shapes(
    stored: Mapping[str, NDArray[np.generic]], nodes: Iterable[NodeProto]
) -> dict[str, tuple[int, ...]]:
    """Return the shapes of weights, those that nodes fill and those that are stored."""
    filled = {
        node.output[0]: tuple(map(int, stored[node.input[0]]))
        for node in nodes
        if node.op_type == "ConstantOfShape"
    }
    floats = {name: each.shape for name, each in stored.items() if each.dtype == np.float32}
    return {**filled, **floats}


def _uses(nodes: Sequence[NodeProto]) -> dict[str, tuple[str, int]]:
    """Return what reads each tensor first, looking through reshapes, and as which input; "Branch"
    is a normalization whose result is added to others.
    """
    found: dict[str, tuple[str, int]] = {}
    summed = {name for node in nodes if node.op_type == "Sum" for name in node.input}
    through: dict[str, str] = {}
    for node in nodes:
        kind = "Branch" if node.output[0] in summed else node.op_type
        for place, name in enumerate(node.input):
            found.setdefault(through.get(name, name), (kind, place))
        if node.op_type in ("Unsqueeze", "Reshape"):
            through[node.output[0]] = node.input[0]
            found.pop(node.input[0])
    return found


def _filled(filling: Filling, use: tuple[str, int], shape: tuple[int, ...]) -> Weights:
    match use:
        case ("Conv" | "Gemm", 1):
            return filling.factors(shape)
        case ("BatchNormalization" | "Branch", 4):
            return 1 + np.abs(filling.normal(shape, 0.2))
        case ("BatchNormalization" | "Mul", 1):
            return 1 + filling.normal(shape, 0.1)
        case ("Branch", 1):
            return 0.25 + filling.normal(shape, 0.1)
        case _:
            return filling.normal(shape, 0.1)


def _open_sizes(
    nodes: Iterable[NodeProto], stored: Mapping[str, NDArray[np.generic]], known: set[str]
) -> dict[str, NDArray[np.generic]]:
    """Return what Reshapes read: of activations 0, which keeps the batch size, in place of 1."""
    found: dict[str, NDArray[np.generic]] = {}
    for node in nodes:
        if node.op_type == "Reshape":
            data, name = node.input
            sizes = stored[name]
            if data not in known:
                sizes = np.array([0, *sizes[1:]], np.int64)
            found[name] = sizes
    return found
