"""One comparison: which outputs agree, which inputs are drawn, what a user's function gives."""

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import dlc
from dlc.benchmark.build import Built, Job
from dlc.benchmark.case import difference, run_case
from dlc.benchmark.contestant import Place
from dlc.benchmark.onnx_source import OnnxSource
from dlc.benchmark.user_function import one_line, user_function
from dlc.errors import CompileError
from dlc.runtime.random_inputs import random_feeds
from dlc.runtime.timing import HostClock

ONE = np.array([1.0, -4.0])


@pytest.mark.parametrize(
    ("found", "wanted"),
    [
        (ONE, 0.0),
        (ONE + 0.5, 0.125),
        (ONE.reshape(1, 2), np.inf),
        (np.array([1.0, np.nan]), np.inf),
    ],
)
def test_a_difference_is_a_share_of_the_largest(found: np.ndarray, wanted: float) -> None:
    assert difference([found], [ONE]) == wanted


def test_outputs_that_are_not_finite_on_both_sides_do_not_differ() -> None:
    both = np.array([np.inf, 2.0])
    assert difference([both], [both]) == 0
    assert difference([np.zeros(0)], [np.zeros(0)]) == 0
    assert difference([both, both], [both]) == np.inf


def gather() -> onnx.ModelProto:
    """``y = table[ids] * x``: a batch of two that is open, and places in a table of 50 rows."""
    table = numpy_helper.from_array(np.ones((50, 4), np.float32), "table")
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["rows"]),
        helper.make_node("Mul", ["rows", "x"], ["y"]),
    ]
    ends = [
        helper.make_tensor_value_info("ids", TensorProto.INT64, ["n"]),
        helper.make_tensor_value_info("x", TensorProto.FLOAT, ["n", 4]),
        helper.make_tensor_value_info("y", TensorProto.FLOAT, ["n", 4]),
    ]
    graph = helper.make_graph(nodes, "gather", ends[:2], ends[2:], [table])
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])


def test_random_places_are_all_over_the_table() -> None:
    model = dlc.compile(gather(), target="cpu", shapes={"n": 400}, verify=False)
    feeds = random_feeds(model)
    assert (feeds["ids"].min(), feeds["ids"].max()) == (0, 49)
    assert feeds["x"].std() > 0.5


def test_the_batch_is_the_first_axis(tmp_path: Path) -> None:
    path = tmp_path / "gather.onnx"
    onnx.save(gather(), path)
    assert OnnxSource(path).shapes(None) == {}
    assert OnnxSource(path).shapes(8) == {"n": 8}
    assert OnnxSource(path, {"ids": [3]}).shapes(8) == {"ids": [3], "n": 8}
    model = onnx.load(path)
    for value in (*model.graph.input, *model.graph.output):
        value.type.tensor_type.shape.dim[0].dim_value = 1
    onnx.save(model, path)
    assert OnnxSource(path).shapes(8) == {"ids": [8], "x": [8, 4]}
    assert OnnxSource(path).name == "gather"
    assert OnnxSource(tmp_path / "model.onnx").name == tmp_path.name


@pytest.mark.parametrize(
    ("sizes", "given", "found"),
    [
        ((2, "s"), {"s": [33]}, {"s": [33], "x": [4, 33]}),
        ((2, "s"), {"x": [4, 33]}, {"x": [4, 33]}),
        (("n", "s"), {"n": [4]}, {"n": [4]}),
        (("n", "s"), {"x": [4, 33]}, {"x": [4, 33]}),
        ((4, "s"), {}, {}),
        ((2, "s"), {}, "x: its first size is 2 in the file, not 4; its other sizes are open; give"),
        (("n", 3), {"n": [5]}, "x: n is given as 5, the batch as 4"),
    ],
)
def test_a_batch_of_four_is_one_of_four(
    sizes: tuple[int | str, ...],
    given: dict[str, list[int]],
    found: dict[str, list[int] | int] | str,
    tmp_path: Path,
) -> None:
    value = [helper.make_tensor_value_info(name, TensorProto.FLOAT, sizes) for name in "xy"]
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "g", value[:1], value[1:])
    onnx.save(helper.make_model(graph), tmp_path / "g.onnx")
    source = OnnxSource(tmp_path / "g.onnx", given)
    if isinstance(found, str):
        with pytest.raises(CompileError) as raised:
            source.shapes(4)
        assert str(raised.value).startswith(found)
    else:
        assert source.shapes(4) == found


def test_a_function_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "beside_user.py").write_text("VALUE = 3")
    path = tmp_path / "given_functions.py"
    path.write_text("from beside_user import VALUE\ndef make(n): return n + VALUE\nNONE = 3\n")
    assert user_function(f"{path}:make")(4) == 7
    (tmp_path / "again").mkdir()
    other = tmp_path / "again" / path.name
    other.write_text("def make(n): return 0\n")
    assert (user_function(f"{other}:make")(4), user_function(f"{path}:make")(4)) == (0, 7)
    with pytest.raises(CompileError, match="has no function 'NONE'"):
        user_function(f"{path}:NONE")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("nets.py", "'nets.py' is not FILE.py:FUNCTION or MODULE:FUNCTION"),
        ("there/is/none.py:make", "there/is/none.py: no such file"),
        ("json:nothing", "json: has no function 'nothing'"),
        ("no_such_module_here:f", "cannot be loaded: ModuleNotFoundError"),
    ],
)
def test_what_is_no_function(name: str, message: str) -> None:
    with pytest.raises(CompileError) as error:
        user_function(name)
    assert message in str(error.value)


def test_an_artifact_that_does_not_load_is_a_result(tmp_path: Path) -> None:
    job = Job(OnnxSource(tmp_path / "net.onnx"), None, "fp32", "cpu")
    built = Built(tmp_path / "net.onnx", tmp_path / "net.so")
    found = run_case(job, built, ["ort"], Place(HostClock()), 0.01, lambda _: None)
    (result,) = found.results
    assert (result.name, result.error) == (
        "dlc",
        f"{tmp_path / 'net.so'}: no such file or directory",
    )
    assert (found.ratio, found.best_peer, list(found.kernels)) == (None, None, [])


def test_an_error_is_one_line() -> None:
    assert one_line(ValueError("\n  first\nsecond")) == "ValueError: first"
    assert one_line(KeyError()) == "KeyError"
