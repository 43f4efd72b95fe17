"""Operators that read between elements, on sizes and groups that ONNX's own tests do not have."""

from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.registry import new_context


def _model(op_type: str, opset: int, feeds: dict[str, Array], **attributes: Any) -> onnx.ModelProto:
    """Return a model of one node; 64-bit integers are initializers."""
    node = helper.make_node(op_type, list(feeds), ["y"], **attributes)
    types = {n: helper.np_dtype_to_tensor_dtype(x.dtype) for n, x in feeds.items()}
    inputs = [helper.make_tensor_value_info(n, types[n], x.shape) for n, x in _fed(feeds).items()]
    tensors = [numpy_helper.from_array(x, n) for n, x in feeds.items() if n not in _fed(feeds)]
    graph = helper.make_graph([node], "g", inputs, [onnx.ValueInfoProto(name="y")], tensors)
    imports = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=imports, ir_version=10)


def _fed(feeds: dict[str, Array]) -> dict[str, Array]:
    return {name: x for name, x in feeds.items() if x.dtype != np.int64}


def _imported(model: onnx.ModelProto, feeds: dict[str, Array]) -> Array:
    context = new_context()
    module = import_model(model, {}, context)
    module.verify()
    return run_reference(module, feeds, context.weights)["y"]


def _check(found: Array, right: Array, terms: int) -> None:
    """Hold sums of ``terms`` products of floats whose places are off by a few roundings."""
    assert found.shape == right.shape
    bound = 1e2 * terms**0.5 * 2.0**-24 * np.abs(right).max()
    np.testing.assert_allclose(found, right, rtol=0, atol=bound)


@pytest.mark.parametrize(("groups", "offset_groups"), [(1, 1), (2, 1), (1, 2), (2, 2)])
@pytest.mark.parametrize("masked", [False, True])
def test_deformable_convolution(groups: int, offset_groups: int, masked: bool) -> None:
    draw = np.random.default_rng(groups).standard_normal
    window = {"strides": [2, 1], "dilations": [1, 2], "pads": [1, 0, 2, 1]}
    feeds = {
        "x": draw((2, 4, 7, 9)).astype(np.float32),
        "w": draw((6, 4 // groups, 3, 2)).astype(np.float32),
        "offset": 2 * draw((2, offset_groups * 12, 4, 8)).astype(np.float32),
        "b": draw(6).astype(np.float32),
    }
    if masked:
        feeds["mask"] = draw((2, offset_groups * 6, 4, 8)).astype(np.float32)
    model = _model("DeformConv", 19, feeds, group=groups, offset_group=offset_groups, **window)
    (right,) = ReferenceEvaluator(model).run(None, feeds)
    _check(_imported(model, feeds), np.asarray(right), 24 // groups)


@pytest.mark.parametrize("opset", [10, 16])
@pytest.mark.parametrize(("scale", "samples"), [(1.0, 1), (0.5, 3)])
def test_regions_of_an_image(opset: int, scale: float, samples: int) -> None:
    draw = np.random.default_rng(samples)
    corners = np.sort(draw.uniform(-2, 16, (5, 2, 2)), axis=1).reshape(5, 4)
    feeds = {
        "x": draw.standard_normal((3, 2, 7, 11)).astype(np.float32),
        "rois": corners.astype(np.float32),
        "images": np.array([0, 2, 2, 1, 0]),
    }
    sizes = {"output_height": 3, "output_width": 2, "sampling_ratio": samples}
    model = _model("RoiAlign", opset, feeds, spatial_scale=scale, **sizes)
    session = onnxruntime.InferenceSession(model.SerializeToString())
    right: Any = session.run(None, _fed(feeds))[0]
    _check(_imported(model, _fed(feeds)), right, samples**2)


def test_regions_need_samples() -> None:
    feeds = {"x": np.zeros((1, 1, 4, 4), np.float32), "rois": np.zeros((1, 4), np.float32)}
    model = _model("RoiAlign", 16, {**feeds, "images": np.zeros(1, np.int64)})
    with pytest.raises(CompileError, match="RoiAlign needs mode = avg and a sampling_ratio"):
        import_model(model, {}, new_context())


@pytest.mark.parametrize(
    ("length", "window"),
    [
        ((4, 3), {}),
        ((2, 1), {"strides": [2, 3]}),
        ((3, 2), {"strides": [2, 1], "pads": [1, 0, 1, 0], "dilations": [1, 2]}),
    ],
)
def test_columns_to_image(length: tuple[int, int], window: dict[str, list[int]]) -> None:
    rows, columns = length
    feeds = {
        "x": np.random.default_rng(rows)
        .standard_normal((2, 12, rows * columns))
        .astype(np.float32),
        "image": np.array([5, 4]),
        "block": np.array([2, 2]),
    }
    model = _model("Col2Im", 18, feeds, **window)
    right: Any = onnxruntime.InferenceSession(model.SerializeToString()).run(None, _fed(feeds))[0]
    _check(_imported(model, _fed(feeds)), right, 4)
