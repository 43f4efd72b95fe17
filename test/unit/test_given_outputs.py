"""Outputs that are written into arrays of the caller."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from numpy.typing import NDArray
from onnx import TensorProto, helper

import dlc
from dlc.runtime.given_outputs import check_apart

Array = NDArray[Any]
X = np.linspace(-1, 1, 6, dtype=np.float32).reshape(2, 3)


@pytest.fixture(scope="module")
def model() -> dlc.Model:
    """Compile ``y = relu(x)`` and ``z = -x``."""
    tensors = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 3]) for n in "xyz"]
    nodes = [helper.make_node("Relu", ["x"], ["y"]), helper.make_node("Neg", ["x"], ["z"])]
    graph = helper.make_graph(nodes, "two", tensors[:1], tensors[1:])
    source = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    return dlc.compile(source, target="cpu", verify=False)


class HostArray:
    """An array that speaks DLPack and nothing else."""

    def __init__(self, array: Array):
        self.array = array

    def __dlpack__(self, **options: Any) -> object:
        return self.array.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def test_outputs_by_name_are_written_into_what_is_given(model: dlc.Model) -> None:
    y = np.full((2, 3), np.nan, np.float32)
    results = model.run({"x": X}, out={"y": y})
    assert results["y"] is y
    np.testing.assert_array_equal(y, np.maximum(X, 0))
    np.testing.assert_array_equal(results["z"], -X)


def test_outputs_in_order(model: dlc.Model) -> None:
    z = np.full((2, 3), np.nan, np.float32)
    y, given = model(X, out=(None, z))
    assert given is z
    np.testing.assert_array_equal(z, -X)
    np.testing.assert_array_equal(y, np.maximum(X, 0))


def test_an_array_of_another_library_is_written_into(model: dlc.Model) -> None:
    y = np.full((2, 3), np.nan, np.float32)
    foreign = HostArray(y)
    assert model.run({"x": X}, out={"y": foreign})["y"] is foreign
    np.testing.assert_array_equal(y, np.maximum(X, 0))


def read_only() -> Array:
    array = np.zeros((2, 3), np.float32)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: np.zeros((3, 2), np.float32), r"shape \[3, 2\] given, the model was compiled"),
        (lambda: np.zeros((2, 3)), "dtype float64 given, the model gives float32"),
        (lambda: np.zeros((2, 6), np.float32)[:, ::2], "the array is not dense and row-major"),
        (lambda: np.zeros((3, 2), np.float32).T, "the array is not dense and row-major"),
        (read_only, "the array cannot be written to"),
        (lambda: HostArray(read_only()), "the array cannot be written to"),
        (lambda: [[0.0] * 3] * 2, "a list is no array; give a numpy or DLPack array"),
    ],
    ids=["shape", "dtype", "strides", "transposed", "read-only", "read-only DLPack", "list"],
)
def test_an_array_that_does_not_fit(
    model: dlc.Model, make: Callable[[], Any], message: str
) -> None:
    with pytest.raises(dlc.InputError, match=f"^output 'y': {message}"):
        model.run({"x": X}, out={"y": make()})


def test_memory_that_is_used_twice_is_refused(model: dlc.Model) -> None:
    memory = np.zeros(9, np.float32)
    low, high, x = memory[:6].reshape(2, 3), memory[3:].reshape(2, 3), X.copy()
    with pytest.raises(dlc.InputError, match=r"^output 'z': its memory is that of output 'y' too"):
        model.run({"x": X}, out={"y": low, "z": high})
    with pytest.raises(dlc.InputError, match=r"^output 'y': its memory is that of input 'x' too"):
        model(x, out=(x, None))
    np.testing.assert_array_equal(x, X)


def test_neighbours_in_memory_do_not_overlap(model: dlc.Model) -> None:
    memory = np.zeros((2, 2, 3), np.float32)
    model(X, out=tuple(memory))
    np.testing.assert_array_equal(memory, [np.maximum(X, 0), -X])


def test_what_has_no_elements_overlaps_with_nothing() -> None:
    check_apart([("output 'y'", 16, 0)], [("input 'x'", 8, 16)])
    check_apart([("output 'y'", 8, 16)], [("input 'x'", 16, 0)])


@pytest.mark.parametrize(
    ("out", "message"),
    [
        ({"q": X}, "the model has no output 'q'; it has 'y', 'z'"),
        ([X], "out is a list; give a dictionary of arrays by name"),
    ],
)
def test_a_wrong_name(model: dlc.Model, out: Any, message: str) -> None:
    with pytest.raises(dlc.InputError, match=message):
        model.run({"x": X}, out=out)


def test_too_few_in_order(model: dlc.Model) -> None:
    with pytest.raises(dlc.InputError, match="1 arrays given in out, the model has 2 outputs"):
        model(X, out=X.copy())


def test_a_saved_model_of_one_output_takes_its_array(tmp_path: Path) -> None:
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [2, 3]) for n in "xy"]
    graph = helper.make_graph([helper.make_node("Neg", ["x"], ["y"])], "g", ends[:1], ends[1:])
    onnx.save(helper.make_model(graph), tmp_path / "negate.onnx")
    model = dlc.compile(tmp_path / "negate.onnx", target="cpu", verify=False)
    y = np.empty_like(X)
    assert model(X, out=y)[0] is y
    np.testing.assert_array_equal(y, -X)
