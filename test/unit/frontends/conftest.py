from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import NodeProto, TensorProto, ValueInfoProto, helper, numpy_helper
from xdsl.dialects.builtin import ModuleOp

from dlc.core.context import DlcContext
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.loading import ModelSource
from dlc.frontends.onnx.shapes import Shapes
from dlc.registry import new_context

MakeModel = Callable[..., onnx.ModelProto]


def _value(name: str, sizes: Sequence[int | str | None] | None = (2, 3)) -> ValueInfoProto:
    return helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes)


@pytest.fixture
def value() -> Callable[..., ValueInfoProto]:
    """Make the declaration of a float input or output."""
    return _value


@pytest.fixture
def make_model() -> MakeModel:
    """Make a model of nodes; ``x`` and ``y`` of 2x3 floats are its input and output."""

    def make(
        nodes: Sequence[NodeProto],
        inputs: Sequence[ValueInfoProto] = (_value("x"),),
        outputs: Sequence[ValueInfoProto] = (ValueInfoProto(name="y"),),
        initializers: dict[str, np.ndarray] | None = None,
        opset: int = 21,
        functions: Sequence[onnx.FunctionProto] = (),
        domains: dict[str, int] | None = None,
    ) -> onnx.ModelProto:
        tensors = [numpy_helper.from_array(v, k) for k, v in (initializers or {}).items()]
        graph = helper.make_graph(nodes, "g", inputs, outputs, tensors)
        imports = {"": opset, **(domains or {})}
        return helper.make_model(
            graph,
            opset_imports=[helper.make_opsetid(d, v) for d, v in imports.items()],
            functions=functions,
            ir_version=10,
        )

    return make


@pytest.fixture
def context() -> DlcContext:
    """Make a context that knows every dialect and has an empty weight store."""
    return new_context()


@pytest.fixture
def run_import(context: DlcContext) -> Callable[..., ModuleOp]:
    """Import a model and verify the result."""

    def run(source: ModelSource, shapes: Shapes | None = None, **options: Any) -> ModuleOp:
        options.setdefault("open_sizes", True)
        module = import_model(source, shapes, context, **options)
        module.verify()
        return module

    return run


@pytest.fixture
def saved(tmp_path: Path, make_model: MakeModel) -> Path:
    """Save ``y = x + w`` with 4 KiB of weights, and return the path of the file."""
    weight = np.arange(1024, dtype=np.float32)
    model = make_model(
        [helper.make_node("Add", ["x", "w"], ["y"], "sum")],
        [_value("x", [1024])],
        initializers={"w": weight},
    )
    path = tmp_path / "model.onnx"
    onnx.save(model, path)
    return path
