"""The classic networks of the ``onnx`` package through the importer and the oracle.

Their weights are made by ConstantOfShape, so that this shows that they import and that all nodes
are connected rightly, little more.
"""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from dlc.core.parser import DlcParser
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.registry import new_context

FOLDER = Path(onnx.__file__).parent / "backend" / "test" / "data" / "light"
MODELS = sorted(path.stem for path in FOLDER.glob("*.onnx"))


def test_models_are_there():
    assert len(MODELS) == 9


@pytest.mark.parametrize("name", MODELS)
def test_import(name: str):
    context = new_context()
    module = import_model(FOLDER / f"{name}.onnx", None, context)
    module.verify()
    text = str(module)
    again = DlcParser(context, text).parse_module()
    again.verify()
    assert str(again) == text


@pytest.mark.parametrize("name", ["light_squeezenet", "light_shufflenet", "light_resnet50"])
def test_result(name: str):
    """Agrees with the stored result up to the f32 error of whoever stored it.

    Every sum has terms of one sign and at most K = 9 * 2048 of them; 60 layers of relative error
    eps * sqrt(K) each give 60 * 1.2e-7 * 136 = 1e-3.
    """
    context = new_context()
    module = import_model(FOLDER / f"{name}.onnx", None, context)
    proto = onnx.load(FOLDER / f"{name}.onnx")
    stored = onnx.TensorProto.FromString((FOLDER / f"{name}_output_0.pb").read_bytes())
    initialized = {t.name for t in proto.graph.initializer}
    (value,) = [i for i in proto.graph.input if i.name not in initialized]
    sizes = [d.dim_value for d in value.type.tensor_type.shape.dim]
    x = (np.arange(np.prod(sizes)).reshape(sizes) / np.prod(sizes)).astype(np.float32)
    (result,) = run_reference(module, {value.name: x}, context.weights).values()
    expected = numpy_helper.to_array(stored)
    np.testing.assert_allclose(result, expected, rtol=1e-3, atol=1e-7)
