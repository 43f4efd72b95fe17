"""A list that a loop fills is imported as what the loop gives of each iteration."""

import numpy as np
import onnx
import onnx.parser
import pytest
from onnx.reference import ReferenceEvaluator

from dlc.core.weights import WeightStore
from dlc.errors import CompileError
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.frontends.onnx.importer import import_model
from dlc.oracle import run_reference
from dlc.registry import new_context
from dlc.verification.import_check import check_nodes

TEXT = """<ir_version: 8, opset_import: ["" : {opset}]>
m (float[2,3] x) => ({outputs}) <int64 count = {{{count}}}, bool on = {{1}}, int64 last = {{-1}},
 int64 first = {{0}}, int64[1] one = {{1}}> {{
  {empty}
  end, list = Loop <body = step (int64 i, bool c, float[2,3] h, seq(float[2,3]) s)
      => (bool c2, float[2,3] new, seq(float[2,3]) s2) {{
    c2 = Identity(c)
    {body}
  }}> (count, on, x, none)
  {behind}
}}"""
EMPTY = "none = SequenceEmpty()"
APPEND = "new = Add(h, x)  s2 = SequenceInsert(s, new)"


def model(
    behind: str,
    outputs: str,
    body: str = APPEND,
    empty: str = EMPTY,
    count: int = 3,
    opset: int = 17,
) -> onnx.ModelProto:
    text = TEXT.format(
        behind=behind, outputs=outputs, body=body, empty=empty, count=count, opset=opset
    )
    return onnx.parser.parse_model(text)


def run(source: onnx.ModelProto, x: np.ndarray) -> list[np.ndarray]:
    context = new_context(WeightStore())
    module = import_model(source, {}, context, {})
    return list(run_reference(module, {"x": x}, context.weights).values())


@pytest.mark.parametrize(
    ("behind", "outputs"),
    [
        ("y = ConcatFromSequence<axis=0, new_axis=1>(list)", "float[3,2,3] y"),
        ("y = ConcatFromSequence<axis=1, new_axis=1>(list)", "float[2,3,3] y"),
        ("y = ConcatFromSequence<axis=-1, new_axis=1>(list)", "float[2,3,3] y"),
        ("y = ConcatFromSequence<axis=0>(list)", "float[6,3] y"),
        ("y = ConcatFromSequence<axis=1>(list)", "float[2,9] y"),
        ("y = ConcatFromSequence<axis=-1>(list)", "float[2,9] y"),
        ("y = SequenceAt(list, last)", "float[2,3] y"),
        (
            "y = SequenceAt(list, first)  z = ConcatFromSequence<axis=0>(list)",
            "float[2,3] y, float[6,3] z, float[2,3] end",
        ),
    ],
)
@pytest.mark.parametrize("opset", [11, 17])
@pytest.mark.parametrize("count", [3, 20])
def test_what_reads_the_list(behind: str, outputs: str, opset: int, count: int) -> None:
    many = outputs.replace("[3,2,3]", f"[{count},2,3]").replace("[6,3]", f"[{2 * count},3]")
    many = many.replace("[2,9]", f"[2,{3 * count}]").replace("[2,3,3]", "[2,?,?]")
    source = model(behind, many, opset=opset, count=count)
    before = source.SerializeToString()
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    found = run(source, x)
    assert source.SerializeToString() == before, "it belongs to the caller"
    for ours, theirs in zip(found, ReferenceEvaluator(source).run(None, {"x": x}), strict=True):
        np.testing.assert_array_equal(ours, theirs)  # sums of small integers are exact


def test_a_value_that_each_iteration_takes_from_outside() -> None:
    body = "new = Add(h, x)  s2 = SequenceInsert(s, x)"
    source = model("y = ConcatFromSequence<axis=0>(list)", "float[6,3] y", body)
    x = np.ones((2, 3), np.float32)
    np.testing.assert_array_equal(run(source, x)[0], np.ones((6, 3)))


@pytest.mark.parametrize(
    ("changed", "operator"),
    [
        ({"body": "new = Add(h, x)  s2 = SequenceInsert(s, new, i)"}, "SequenceEmpty"),
        (
            {"body": "new = SequenceAt(s, i)  s2 = SequenceInsert(s, new)"},
            "SequenceEmpty",
        ),
        ({"empty": "none = SequenceConstruct(x)"}, "SequenceConstruct"),
        ({"behind": "n = SequenceLength(list)  y = Cast<to=1>(n)"}, "SequenceEmpty"),
        (
            {
                "behind": "y = ConcatFromSequence<axis=1, new_axis=1>(list)",
                "outputs": "float y",
            },
            None,
        ),
    ],
    ids=["at a place", "read in the loop", "not empty at first", "its length", "rank unknown"],
)
def test_other_lists_are_refused_by_name(changed: dict[str, str], operator: str | None) -> None:
    source = model(
        changed.get("behind", "y = ConcatFromSequence<axis=0>(list)"),
        changed.get("outputs", "float[6,3] y"),
        body=changed.get("body", APPEND),
        empty=changed.get("empty", EMPTY),
    )
    if operator is None:
        source.graph.output[0].type.tensor_type.ClearField("shape")
        operator = "SequenceEmpty"
    with pytest.raises(CompileError, match=f"operator {operator} of ai.onnx"):
        run(source, np.ones((2, 3), np.float32))


def test_a_position_with_an_axis() -> None:
    x = np.ones((2, 3), np.float32)
    (found,) = run(model("y = SequenceAt(list, one)", "float[2,3] y"), x)
    np.testing.assert_array_equal(found, 3 * x)


def _drop(source: onnx.ModelProto, what: str) -> None:
    """Leave something out of a model that its loop cannot do without."""
    loop = next(n for n in source.graph.node if n.op_type == "Loop")
    body, empty = loop.attribute[0].g, next(n for n in source.graph.node if "none" in n.output)
    insert, reader = body.node[-1], source.graph.node[-1]
    parts = {
        "the body": lambda: loop.attribute.pop(),
        "a state of the body": lambda: body.input.pop(),
        "a result of the body": lambda: body.output.pop(),
        "a result of the loop": lambda: loop.output.pop(),
        "the empty list": lambda: empty.output.pop(),
        "what is inserted": lambda: insert.input.pop(),
        "what is joined": lambda: reader.input.pop(),
        "the axis": lambda: reader.attribute.pop(),
    }
    parts[what]()


@pytest.mark.parametrize(
    "what",
    [
        "the body", "a state of the body", "a result of the body", "a result of the loop",
        "the empty list", "what is inserted", "what is joined", "the axis",
    ],
)  # fmt: skip
def test_loops_that_are_not_whole_are_refused(what: str) -> None:
    source = model("y = ConcatFromSequence<axis=0>(list)", "float[6,3] y")
    _drop(source, what)
    with pytest.raises(CompileError):
        run(source, np.zeros((2, 3), np.float32))


@pytest.mark.parametrize("axis", [-3, 2, 7])
def test_an_axis_that_is_not_there_is_refused(axis: int) -> None:
    source = model(f"y = ConcatFromSequence<axis={axis}>(list)", "float[6,3] y")
    with pytest.raises(CompileError):
        run(source, np.zeros((2, 3), np.float32))


def test_the_check_of_an_import_says_that_lists_were_replaced() -> None:
    record = ImportRecord()
    source = model("y = ConcatFromSequence<axis=0>(list)", "float[6,3] y")
    import_model(source, {}, new_context(WeightStore()), {}, record=record)
    found = check_nodes(record, "0")
    assert "tensors took the place of the lists" in found.left_out["SequenceInsert"]
    assert found.text().startswith("1 of ")
