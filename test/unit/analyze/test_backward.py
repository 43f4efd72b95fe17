"""The gradients of layers: what they have to do, what they take, and who has none."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import onnx
import pytest
from layer_models import HEAD, analysis, with_weights
from onnx.parser import parse_model

from dlc.compiler.outcome import Report
from dlc.errors import CompileError
from dlc.report.analyses.bounds import shown_bounds
from dlc.report.analyses.layer_page import layer_page
from dlc.report.analyses.layer_table import layer_text
from dlc.report.values import microseconds
from dlc.tools import dlc_analyze

WEIGHTS = {"w": (16, 8, 3, 3), "v": (16, 16, 3, 3), "b": (16,)}
CONVOLUTIONS = """m (float[2, 8, 12, 12] x) => (float[2, 16, 3, 3] y) {
[first] a = Conv<pads = [1, 1, 1, 1]>(x, w, b) [relu] r = Relu(a)
[second] c = Conv<pads = [1, 1, 1, 1], strides = [2, 2]>(r, v)
[pool] y = MaxPool<kernel_shape = [2, 2], strides = [2, 2]>(c) }"""
DENSE = """m (float[8, 64] x) => (float[8, 8] y) {
[dense] h = MatMul(x, w) [relu] r = Relu(h) [last] y = MatMul(r, v) }"""
DENSE_WEIGHTS = {"w": (64, 32), "v": (32, 8)}
NO_RULE = """m (float[4, 8] x) => (float[4] y) {
[dense] h = MatMul(x, w) [product] y = ReduceProd<axes = [1], keepdims = 0>(h) }"""


def trained(
    body: str = CONVOLUTIONS,
    weights: Mapping[str, Sequence[int]] = WEIGHTS,
    libraries: Sequence[str] = (),
) -> Report:
    return analysis(body, weights, libraries=libraries, backward=True)


def gradients(report: Report) -> dict[str, dict[str, Report]]:
    """Return the gradients of each layer by whose they are."""
    return {
        layer["name"]: {each["of"]: each for each in layer["backward"]}
        for layer in report["layers"]
    }


@pytest.fixture(scope="module")
def report() -> Report:
    return trained()


def test_each_layer_has_the_gradients_that_training_asks_for(report: Report) -> None:
    found = {name: [*each] for name, each in gradients(report).items()}
    assert found == {
        "first": ["weight"],  # nobody asks for the gradient of an image
        "relu": ["input"],
        "second": ["input", "weight"],
        "pool": ["input"],
    }


def test_products_of_gradients(report: Report) -> None:
    layers = {layer["name"]: layer for layer in report["layers"]}
    found = gradients(report)
    assert found["first"]["weight"]["macs"] == layers["first"]["macs"]
    assert found["second"]["weight"]["macs"] == layers["second"]["macs"] == 2 * 16 * 36 * 16 * 9
    phases, taps = 4, 4  # of a stride of 2, each of 2 x 2 of the 3 x 3 taps and zeros
    places = 7 * 7  # the padding's, too
    assert found["second"]["input"]["macs"] == 2 * places * 16 * 16 * phases * taps


def test_a_stride_over_a_point_multiplies_no_zeros() -> None:
    body = """m (float[1, 8, 8, 8] x) => (float[1, 16, 4, 4] y) {
    [one] a = Conv(x, w) [two] y = Conv<strides = [2, 2]>(a, v) }"""
    found = trained(body, {"w": (8, 8, 1, 1), "v": (16, 8, 1, 1)})
    each = gradients(found)["two"]
    assert each["input"]["macs"] == each["weight"]["macs"] == 4 * 4 * 16 * 8


def test_a_gradient_moves_each_tensor_once(report: Report) -> None:
    relu = gradients(report)["relu"]["input"]
    elements, half = 2 * 16 * 12 * 12, 2
    assert (relu["bytes_read"], relu["bytes_written"]) == (2 * half * elements, half * elements)
    assert relu["time_us"] >= relu["bound_us"] > 0


def test_gradients_of_all_weights_have_the_precision(dense: Report) -> None:
    first, half = gradients(dense)["dense"], 2
    turned = 8 * 64  # of what is read: a product reads it by columns
    assert first["weight"]["bytes_written"] == half * (64 * 32 + turned)


def test_sums_of_gradients(report: Report) -> None:
    bounds = report["bounds"]
    each = [x["time_us"] for layer in report["layers"] for x in layer["backward"]]
    assert bounds["backward_sequential_us"] == pytest.approx(sum(each))
    assert bounds["training_sequential_us"] == pytest.approx(bounds["sequential_us"] + sum(each))
    assert bounds["training_hardware_us"] > bounds["hardware_us"]


def test_gradients_of_weights_wait_for_those_of_results_only(report: Report) -> None:
    """The longest way back ends with the weight of the first layer and leaves out the second's."""
    found = gradients(report)
    way = [("pool", "input"), ("second", "input"), ("relu", "input"), ("first", "weight")]
    us = sum(found[name][of]["time_us"] for name, of in way)
    bounds = report["bounds"]
    assert bounds["training_parallel_us"] == pytest.approx(bounds["parallel_us"] + us)
    assert bounds["training_parallel_us"] < bounds["training_sequential_us"]


def test_layers_alone_are_what_they_are_without_gradients(report: Report) -> None:
    plain = analysis(CONVOLUTIONS, WEIGHTS)
    keys = {"backward_sequential_us", "training_sequential_us", "training_parallel_us"}
    assert report["bounds"].keys() - plain["bounds"].keys() == {*keys, "training_hardware_us"}
    for layer, other in zip(report["layers"], plain["layers"], strict=True):
        assert {k: v for k, v in layer.items() if k != "backward"} == other
    assert plain["bounds"].items() <= report["bounds"].items()


@pytest.fixture(scope="module")
def dense() -> Report:
    return trained(DENSE, DENSE_WEIGHTS, libraries=("cublaslt",))


def test_libraries_compute_gradients_too(dense: Report) -> None:
    for each in gradients(dense)["last"].values():
        assert each["libraries_us"]["cublaslt"] > 0
    bounds = dense["bounds"]
    for key in ("backward_sequential_us", "training_sequential_us", "training_parallel_us"):
        assert bounds[f"joined_{key}"] <= bounds[f"library_{key}"] <= bounds[key]


def test_weights_and_gradients_have_the_precision_that_was_asked_for(dense: Report) -> None:
    each, half = gradients(dense)["last"], 2
    given, weight, read = 8 * 8, 32 * 8, 8 * 32
    assert each["input"]["bytes_read"] == half * (given + weight)
    assert each["weight"]["bytes_read"] == half * (given + read)
    assert each["weight"]["bytes_written"] == half * weight


def test_equal_layers_have_equal_gradients() -> None:
    body = """m (float[8, 32] x) => (float[8, 32] y) {
    [one] a = MatMul(x, w) [two] b = MatMul(a, v) [three] c = MatMul(b, u) [four] y = Relu(c) }"""
    found = gradients(trained(body, {"w": (32, 32), "v": (32, 32), "u": (32, 32)}))
    for of in ("input", "weight"):
        assert found["two"][of]["pattern"] == found["three"][of]["pattern"]
    assert found["two"]["input"]["pattern"] != found["two"]["weight"]["pattern"]


@pytest.fixture(scope="module")
def incomplete() -> Report:
    return trained(NO_RULE, {"w": (8, 8)})


def test_a_layer_without_a_rule_is_said(incomplete: Report) -> None:
    dense, product = incomplete["layers"]
    assert product["without_rule"] == ["graph.reduce_prod"]
    assert product["backward"] == []
    assert "without_rule" not in dense
    assert [each["of"] for each in dense["backward"]] == ["weight"], "what is before it counts"
    text = layer_text(incomplete)
    assert (
        "no rule for gradients of 1 layer, which are not counted: product (graph.reduce_prod)"
        in text.splitlines()
    )
    (row,) = [line for line in text.splitlines() if line.endswith("product")]
    assert "0 us + ?" in row
    assert "product (graph.reduce_prod)" in layer_page(incomplete)


def test_a_loop_of_steps_has_no_rule() -> None:
    body = """m (float[32, 1, 8] x) => (float[32, 1, 1, 16] y) {
    [before] p = MatMul(x, u) [loop] y = LSTM<hidden_size = 16>(p, w, r) }"""
    found = trained(body, {"u": (8, 8), "w": (1, 64, 8), "r": (1, 64, 16)})
    before, loop = found["layers"]
    assert loop["without_rule"] == ["graph.step_loop"]
    assert [each["of"] for each in before["backward"]] == ["weight"]


def test_the_table_and_the_page_have_gradients(report: Report) -> None:
    lines = layer_text(report).splitlines()
    assert "backward" in lines[1].split()
    assert any(line.endswith("gradients by our kernels, one after the other") for line in lines)
    assert not any("no rule" in line for line in lines)
    (row,) = [line for line in lines if "  second" in line]
    both = [each["time_us"] for each in gradients(report)["second"].values()]
    assert microseconds(sum(both)) in row
    page = layer_page(report)
    assert "gradient of weight" in page
    assert "a step of training by our kernels, one after the other" in page


def test_each_bound_has_a_curve(dense: Report) -> None:
    """There are more bounds than colours."""
    page = layer_page({**dense, "batches": [{**dense, "batch": n} for n in (1, 8)]})
    assert page.count('class="curve"') == 2 * len([*shown_bounds(dense["bounds"])])


def test_a_model_without_weights_is_not_trained() -> None:
    with pytest.raises(CompileError, match="has no weights of floats, so nothing is trained"):
        trained("m (float[4, 8] x) => (float[4, 8] y) { y = Relu(x) }", {})


def model(folder: Path, body: str, weights: Mapping[str, Sequence[int]]) -> Path:
    path = folder / "model.onnx"
    onnx.save(with_weights(parse_model(f"{HEAD} {body}"), weights), path)
    return path


def test_the_command_refuses_a_model_without_weights(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = model(tmp_path, "m (float[4, 8] x) => (float[4, 8] y) { y = Relu(x) }", {})
    assert dlc_analyze.main([str(path), "--target", "cpu-avx2", "--backward"]) == 1
    (line,) = capsys.readouterr().err.splitlines()[-1:]
    assert "leave out --backward" in line


def test_gradients_are_measured_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DLC_CACHE_DIR", str(tmp_path / "cache"))
    path, place = model(tmp_path, DENSE, DENSE_WEIGHTS), tmp_path / "report.json"

    def measured() -> Report:
        words = [str(path), "--target", "cpu", "--backward", "--tune", "--json", str(place)]
        assert dlc_analyze.main(words) == 0
        return json.loads(place.read_text())

    first = measured()
    known = {x["pattern"] for x in first["layers"] if x["time_us"]}
    assert int(first["note"].split(" of ")[0]) > len(known), "the gradients, too"
    assert first["note"].split(" of ")[0] == first["note"].split(" of ")[1].split()[0]
    for each in gradients(first)["last"].values():
        assert each["measured_us"] == {"dlc": pytest.approx(each["time_us"])}
    assert measured()["layers"] == first["layers"]
