"""What rounding errors hide was not checked: the report says how much, and inputs that tell more
are tried.
"""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from attention_models import imported
from onnx import TensorProto, helper, numpy_helper

from dlc.compiler import Options, Outcome, compile_to
from dlc.dialects.graph.structure import Array
from dlc.oracle import run_reference
from dlc.verification.comparison import compare
from dlc.verification.inputs import Feeds
from dlc.verification.judge import Judge
from dlc.verification.reference import Reference
from dlc.verification.rounding_noise import Beyond, errors_beyond, hidden_elements

STEPS, BATCH, INPUTS, UNITS = 100, 2, 8, 32


def chaotic(
    inputs: float, state: float = 8.0, last: bool = False, beside: int = 0
) -> onnx.ModelProto:
    """Return a recurrent layer that magnifies each difference, from a state that is not zero.

    inputs, state: how large what a unit gets of them is. last: whether the last state is the output
    instead of all. beside: how often the input is an output, too.
    """
    generator = np.random.default_rng(0)

    def drawn(scale: float, *sizes: int) -> Array:
        return (scale * generator.standard_normal(sizes)).astype(np.float32)

    weights = {
        "w": drawn(inputs / INPUTS**0.5, 1, UNITS, INPUTS),
        "r": drawn(state / UNITS**0.5, 1, UNITS, UNITS),
        "h": drawn(0.5, 1, BATCH, UNITS),
    }
    graph = helper.make_graph(
        [
            helper.make_node(
                "RNN", ["x", "w", "r", "", "", "h"], ["", "y"] if last else ["y"], hidden_size=UNITS
            ),
            *([helper.make_node("Concat", ["x"] * beside, ["wide"], axis=0)] if beside else []),
        ],
        "graph",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [STEPS, BATCH, INPUTS])],
        [onnx.ValueInfoProto(name=name) for name in (["y", "wide"] if beside else ["y"])],
        [numpy_helper.from_array(array, name) for name, array in weights.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=10)


def compiled(tmp_path: Path, model: onnx.ModelProto, target: str = "cpu") -> Outcome:
    return compile_to(tmp_path / "model.so", model, Options(target))


def test_the_share_of_each_input_is_said(tmp_path: Path) -> None:
    found = compiled(tmp_path, chaotic(1.0))
    hidden = found.report["certificate"]["run"]["hidden_by_noise"]
    assert hidden["random"] > 0.5
    assert hidden.get("large", 0.0) < 0.1  # units are at their ends, and magnify nothing
    assert "beyond measured rounding noise, which hides " in found.checked
    assert " % of 'y' on random" in found.checked
    assert list(found.cautions) == []


def test_a_layer_that_magnifies_nothing_hides_nothing(tmp_path: Path) -> None:
    found = compiled(tmp_path, chaotic(1.0, state=1.0))
    assert found.report["certificate"]["run"]["hidden_by_noise"] == {}
    assert "hides" not in found.checked


def test_what_no_input_shows_is_a_warning(tmp_path: Path) -> None:
    found = compiled(tmp_path, chaotic(1e-4))
    (line,) = found.cautions
    assert line.startswith("rounding errors hide ")
    assert "of output 'y' or more on every input" in line
    assert "give verify_inputs" in line


@pytest.mark.parametrize("beside", [0, 60])
def test_an_output_that_no_input_shows_is_named(tmp_path: Path, beside: int) -> None:
    """Outputs that are NaN alone on one input do not show it, nor does a large output beside it."""
    found = compiled(tmp_path, chaotic(1e-4, last=True, beside=beside))
    (line,) = found.cautions
    assert line.startswith("rounding errors hide ")
    assert "of output 'y' or more on every input" in line


def test_a_kernel_of_all_steps_that_is_hidden_is_not_counted(tmp_path: Path) -> None:
    found = compiled(tmp_path, chaotic(1e-4), "sm_90a")
    assert found.report["certificate"]["emulated"][0]["hidden_by_noise"]["random"] > 0.5
    assert any("rounding errors hide" in line for line in found.cautions)


def test_elements() -> None:
    wanted = np.array([1.0, 1.0, 10.0, np.nan])
    assert hidden_elements(wanted, np.array([1.5, 0.5, np.inf, np.inf])) == 2
    assert hidden_elements(np.array([3, 4, 5]), np.array([0.9, 1.0, 0.0])) == 1
    assert hidden_elements(np.array([300, 400, 500]), np.array([1.0, 60.0, 0.0])) == 1
    assert hidden_elements(np.zeros((0, 2)), np.zeros((0, 2))) == 0


@pytest.mark.parametrize(("row", "is_excused"), [(0, True), (1, False)])
def test_a_row_that_is_chaotic_excuses_its_elements_only(row: int, is_excused: bool) -> None:
    wanted = np.ones((8, 64))
    wild = np.zeros(wanted.shape)
    wild[0, 1:] = 1.0  # of the first row all but one element moved

    def run(**how: Any) -> list[Array]:
        return [wanted + wild if how.get("noise") else wanted]

    got = wanted.copy()
    got[row, 0] += 2.0
    found: Beyond = errors_beyond([run], [wanted], [got], "fp32", 1e-3)
    assert (found.errors[0] <= 1e-3) == is_excused
    assert found.hidden == [64]


@pytest.mark.parametrize(("gain", "tried"), [(1.0, ["first"]), (8.0, ["first", "second"])])
def test_a_second_input_is_tried_whatever_time_it_takes(gain: float, tried: list[str]) -> None:
    """Where rounding errors hide most of the first one."""
    module, context = imported(chaotic(1.0, gain))
    judge = Judge(Reference(module, context.weights), "fp32")
    x = np.random.default_rng(1).standard_normal((STEPS, BATCH, INPUTS)).astype(np.float32)
    inputs = [("first", {"x": x}), ("second", {"x": 30 * x}), ("third", {"x": x})]

    def run(feeds: Feeds) -> dict[str, Array]:
        return run_reference(module, feeds, context.weights, np.float32)

    found = compare(run, inputs, 0, judge, lambda runs: 1.0, 0.0)
    assert [*found.cases] == tried
    assert [*found.left_out] == ["first", "second", "third"][len(tried) :]
    assert found.warnings() == []
