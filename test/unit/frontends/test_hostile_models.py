"""Models made to take for ever, or to trip what reads them: one line says what is wrong."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import AttributeProto, TensorProto, helper, numpy_helper

from dlc.errors import CompileError, printable
from dlc.frontends.onnx import limits, loading
from dlc.frontends.onnx.check import check_model
from dlc.frontends.onnx.importer import import_model
from dlc.frontends.onnx.limits import DEEPEST_SUBGRAPH, MOST_ELEMENTS, MOST_NODES
from dlc.registry import new_context
from dlc.tools import dlc_compile

MakeModel = Callable[..., onnx.ModelProto]
node = helper.make_node
ONE = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1])


def refusal(model: onnx.ModelProto | Path) -> str:
    """Return what an import says; the check says the same."""
    with pytest.raises(CompileError) as error:
        import_model(model, None, new_context())
    assert str(error.value) in [str(problem) for problem in check_model(model).problems]
    return str(error.value)


@pytest.mark.parametrize("size", [MOST_ELEMENTS + 1, 1 << 40, 1 << 62, (1 << 63) - 1])
@pytest.mark.parametrize(
    ("op_type", "inputs"),
    [
        ("Expand", ["x", "n"]),
        ("Tile", ["x", "n"]),
        ("ConstantOfShape", ["n"]),
        ("Pad", ["x", "pads"]),
        ("Range", ["zero", "count", "one"]),
        ("HannWindow", ["count"]),
        ("OneHot", ["zero", "count", "pair"]),
    ],
)
def test_too_many_elements(make_model: MakeModel, op_type: str, inputs: list[str], size: int):
    values = {
        "n": np.array([size]),
        "pads": np.array([0, size - 1]),
        "count": np.array(size),
        "zero": np.array(0),
        "one": np.array(1),
        "pair": np.array([0, 1], np.float32),
    }
    model = make_model([node(op_type, inputs, ["y"], "large")], [ONE], initializers=values)
    message = refusal(model)
    assert message.startswith("large: a tensor of shape [")
    assert " elements; at most " in message


def test_functions_that_double(make_model: MakeModel):
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("o", 1)]
    functions = [
        helper.make_function("o", "F0", ["a"], ["b"], [node("Neg", ["a"], ["b"])], imports)
    ]
    for i in range(1, 31):
        body = [
            node(f"F{i - 1}", ["a"], ["c"], domain="o"),
            node(f"F{i - 1}", ["c"], ["b"], domain="o"),
        ]
        functions.append(helper.make_function("o", f"F{i}", ["a"], ["b"], body, imports))
    model = make_model(
        [node("F30", ["x"], ["y"], domain="o")], functions=functions, domains={"o": 1}
    )
    assert f"the model has more than {MOST_NODES} nodes" in refusal(model)


def test_functions_that_call_themselves(make_model: MakeModel):
    imports = [helper.make_opsetid("", 21), helper.make_opsetid("o", 1)]
    body = [node("R", ["a"], ["c"], domain="o"), node("R", ["c"], ["b"], domain="o")]
    functions = [helper.make_function("o", "R", ["a"], ["b"], body, imports)]
    model = make_model([node("R", ["x"], ["y"], domain="o")], functions=functions, domains={"o": 1})
    assert refusal(model) == "model: functions must not call themselves: o.R"


def framed(field: int, content: bytes) -> bytes:
    """Return a protobuf field that holds a message."""
    length, number = bytearray(), len(content)
    while number > 127:
        length.append(number & 127 | 128)
        number >>= 7
    return bytes([field << 3 | 2, *length, number]) + content


def in_a_model(graph: bytes) -> bytes:
    """Return a file with a graph, and the input ``x`` and the output ``y`` beside it."""
    y = onnx.ValueInfoProto(name="y")
    ends = onnx.GraphProto(name="g", input=[ONE], output=[y]).SerializeToString()
    model = helper.make_model(onnx.GraphProto(), ir_version=10).SerializeToString()
    return model + framed(7, graph + ends)


def nested(depth: int) -> bytes:
    """Return a graph with a node in so many graphs."""
    graph = framed(1, node("Neg", ["x"], ["y"]).SerializeToString())
    for _ in range(depth):
        kind = AttributeProto(name="then_branch", type=AttributeProto.GRAPH).SerializeToString()
        attribute = kind + framed(6, graph)
        graph = framed(1, node("If", ["x"], ["y"], "if").SerializeToString() + framed(5, attribute))
    return graph


@pytest.fixture
def walks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The passes over a model that has been counted."""
    started: list[str] = []

    def counted(name: str, walk: Callable[[onnx.ModelProto], object]):
        def counting(model: onnx.ModelProto) -> object:
            started.append(name)
            return walk(model)

        return counting

    for name in ("check_text", "check_functions", "used_early"):
        monkeypatch.setattr(loading, name, counted(name, getattr(loading, name)))
    return started


def test_a_million_nodes_are_only_counted(tmp_path: Path, walks: list[str]):
    one = framed(1, node("Neg", ["x"], ["y"]).SerializeToString())
    path = tmp_path / "model.onnx"
    path.write_bytes(in_a_model(one * 1_000_000))
    assert refusal(path).startswith(f"{path}: the model has more than {MOST_NODES} nodes")
    assert walks == []


@pytest.mark.parametrize("depth", [DEEPEST_SUBGRAPH + 1, 40, 200])
def test_subgraphs_that_are_deep(tmp_path: Path, walks: list[str], depth: int):
    path = tmp_path / "model.onnx"
    path.write_bytes(in_a_model(nested(depth)))
    message = f"subgraphs are nested deeper than {DEEPEST_SUBGRAPH}; such models are not supported"
    assert refusal(path) == f"{path}: {message}"
    assert walks == []


def test_a_deep_model_in_memory(make_model: MakeModel, walks: list[str]):
    model = make_model([])
    graph = model.graph
    for number in range(2000):
        new = graph.node.add(op_type="If", name=f"if{number}")
        graph = new.attribute.add(name="then_branch", type=AttributeProto.GRAPH).g
    assert refusal(model).startswith("model: subgraphs are nested deeper than ")
    assert walks == []


def test_subgraphs_that_are_not_too_deep_are_walked(tmp_path: Path, walks: list[str]):
    path = tmp_path / "model.onnx"
    path.write_bytes(in_a_model(nested(DEEPEST_SUBGRAPH)))
    assert "nested" not in refusal(path)
    assert "check_text" in walks


def test_constants_that_are_large_together(make_model: MakeModel, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(limits, "MOST_COMPUTED_IN_ALL", 10_000)
    values = {"zero": np.array(0), "count": np.array(4800), "one": np.array(1)}
    nodes = [node("Range", ["zero", "count", "one"], [f"r{i}"], f"range {i}") for i in range(3)]
    model = make_model([*nodes, node("Sum", ["r0", "r1", "r2"], ["y"])], [ONE], initializers=values)
    message = refusal(model)
    assert message.startswith("range 2: the constants that are computed so far have 144")
    assert message.endswith("elements; at most 10000 in all are supported")


def test_constants_of_the_file_are_no_computed_ones(
    make_model: MakeModel, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(limits, "MOST_COMPUTED_IN_ALL", 100)
    values = {"w": np.arange(2000, dtype=np.float32), "n": np.array([2000])}
    filled = node("ConstantOfShape", ["n"], ["c"])
    model = make_model(
        [filled, node("Add", ["w", "x"], ["s"]), node("Add", ["s", "c"], ["y"])],
        [ONE],
        initializers=values,
    )
    import_model(model, None, new_context())


def stored(dims: Sequence[int]) -> TensorProto:
    return TensorProto(name="w", data_type=TensorProto.FLOAT, dims=dims, float_data=[1.0])


@pytest.mark.parametrize(
    "dims", [[1] * 102, [-1], [1 << 32, 1 << 32], [1 << 62, 4], [1 << 40], [0, 1 << 62]]
)
def test_shapes_of_initializers(make_model: MakeModel, dims: list[int]):
    model = make_model([node("Identity", ["w"], ["y"])])
    model.graph.initializer.append(stored(dims))
    assert "tensor w: " in refusal(model)


@pytest.mark.parametrize("dims", [[1] * 102, [-4], [1 << 40], [1 << 62, 4]])
def test_shapes_of_sparse_initializers(make_model: MakeModel, dims: list[int]):
    model = make_model([node("Identity", ["w"], ["y"])])
    sparse = model.graph.sparse_initializer.add(dims=dims)
    sparse.values.CopyFrom(numpy_helper.from_array(np.ones(1, np.float32), "w"))
    sparse.indices.CopyFrom(numpy_helper.from_array(np.zeros(1, np.int64)))
    assert "tensor w: " in refusal(model)


def test_too_many_axes_are_made(make_model: MakeModel):
    values = {"n": np.ones(102, np.int64)}
    model = make_model([node("Reshape", ["x", "n"], ["y"])], [ONE], initializers=values)
    assert "a tensor of 102 axes; at most 64 are supported" in refusal(model)


@pytest.mark.parametrize(
    ("entry", "text", "message"),
    [
        ("offset", "9" * 5000, "the external data's offset is '99999999999999999999', not a numb"),
        ("offset", str(1 << 62), "goes beyond the end of"),
        ("offset", "-4", "the external data's offset is '-4', not a number of bytes"),
        ("offset", "\u0663", "not a number of bytes"),
        ("location", "loop", "the external file 'loop' is missing"),
        ("location", "pipe", "the external file 'pipe' is missing"),
        ("location", "../w.bin", "lies outside the model's folder"),
    ],
)
def test_places_of_external_data(
    make_model: MakeModel, tmp_path: Path, entry: str, text: str, message: str
):
    (tmp_path / "w.bin").write_bytes(bytes(64))
    (tmp_path / "loop").symlink_to("loop")
    os.mkfifo(tmp_path / "pipe")
    model = make_model([node("Identity", ["w"], ["y"])])
    tensor = model.graph.initializer.add(name="w", data_type=TensorProto.FLOAT, dims=[1])
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in {"location": "w.bin", "length": "4", entry: text}.items():
        tensor.external_data.add(key=key, value=value)
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    assert message in refusal(path)


def test_a_pipe_as_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    os.mkfifo(tmp_path / "model.onnx")
    assert "no ordinary file" in refusal(tmp_path / "model.onnx")
    assert dlc_compile.main([str(tmp_path / "model.onnx")]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_a_link_to_itself_as_a_model(tmp_path: Path):
    (tmp_path / "model.onnx").symlink_to("model.onnx")
    assert "cannot read the file: too many levels of symbolic links" in refusal(
        tmp_path / "model.onnx"
    )


def test_control_characters_are_shown_as_escapes(
    make_model: MakeModel, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    name = "na\x1b[31m\nme\x9b\u202e"
    model = make_model([node(f"Nope{name}", ["x"], ["y"], name, doc_string=name)])
    path = tmp_path / "model.onnx"
    path.write_bytes(model.SerializeToString())
    for arguments in (["--check"], ["--target", "cpu"]):
        assert dlc_compile.main([str(path), *arguments]) == 1
    shown = "".join(capfd.readouterr())
    assert "na\\x1b[31m\\nme\\x9b\\u202e" in shown
    assert all(line.isprintable() for line in shown.split("\n"))


def test_what_is_printable_stays():
    assert printable("gr\u00f6\u00dfe \\ ok") == "gr\u00f6\u00dfe \\ ok"


def test_an_attribute_of_bad_data(make_model: MakeModel):
    made = node("Constant", [], ["y"], "one")
    made.attribute.append(
        AttributeProto(name="value", type=AttributeProto.TENSOR, t=stored([2, 2]))
    )
    assert refusal(make_model([made])).startswith("one: ")


@pytest.mark.parametrize("inputs", [[], [""]])
def test_a_node_without_the_inputs_that_it_needs(
    inputs: list[str], make_model: MakeModel, tmp_path: Path, capfd: pytest.CaptureFixture[str]
):
    """The shape inference of onnx crashes on this one."""
    path = tmp_path / "model.onnx"
    path.write_bytes(make_model([node("EyeLike", inputs, ["y"], "eye")]).SerializeToString())
    assert dlc_compile.main([str(path), "--check"]) == 1
    assert "eye" in capfd.readouterr().out
