"""The bounds of a model's time, by the model of a chip."""

import pytest
from layer_models import ATTENTION, analysis

from dlc import registry
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.entry import find_main
from dlc.analyze.critical_path import longest_path, longest_path_s
from dlc.analyze.work import work_of
from dlc.core.parser import parse_module
from dlc.report.analyses.bounds import FUSED, LAYERS, LEAST

BRANCHES = """m (float[1, 64, 28, 28] x) => (float[1, 64, 28, 28] y)
{ [a] a = Conv(x, w) [b] b = Conv<pads = [1, 1, 1, 1]>(x, v) [join] y = Add(a, b) }"""
WEIGHTS = {"w": (64, 64, 1, 1), "v": (64, 64, 3, 3)}
CHAIN = """m (float[64, 256] x) => (float[64, 256] y)
{ [first] a = MatMul(x, w) [relu] b = Relu(a) [second] c = MatMul(b, w) [again] y = Relu(c) }"""
LSTM = """m (float[9, 1, 64] x) => (float[9, 1, 1, 64] y)
{ y = LSTM<hidden_size = 64>(x, w, r) }"""
MODELS = {
    "branches": (BRANCHES, WEIGHTS),
    "chain": (CHAIN, {"w": (256, 256)}),
    "attention": (ATTENTION, {}),
    "lstm": (LSTM, {"w": (1, 256, 64), "r": (1, 256, 64)}),
}


@pytest.mark.parametrize("precision", ["fp32", "fp16"])
@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "cpu"])
@pytest.mark.parametrize("name", MODELS)
def test_hardware_is_least_and_sequence_most(name: str, target: str, precision: str) -> None:
    bounds = analysis(*MODELS[name], target=target, precision=precision)["bounds"]
    for pair in (LAYERS, LEAST, FUSED):
        sequential, parallel = pair.of(bounds)
        assert 0 < bounds["hardware_us"] <= parallel <= sequential
    assert bounds["least_sequential_us"] <= bounds["sequential_us"]
    assert bounds["least_parallel_us"] <= bounds["parallel_us"]


@pytest.mark.parametrize("name", MODELS)
def test_a_layer_takes_no_less_than_its_bound(name: str) -> None:
    for layer in analysis(*MODELS[name])["layers"]:
        assert 0 < layer["bound_us"] <= layer["time_us"], layer["name"]
        assert layer["time_us"] == layer["estimate_us"], "nothing is measured"


def test_a_sequence_is_the_sum_of_its_layers() -> None:
    report = analysis(CHAIN, {"w": (256, 256)})
    total = sum(layer["time_us"] for layer in report["layers"])
    assert report["bounds"]["sequential_us"] == pytest.approx(total)
    assert report["bounds"]["parallel_us"] == pytest.approx(total), (
        "each layer needs the one before"
    )


def test_of_branches_only_the_longest_counts() -> None:
    report = analysis(BRANCHES, WEIGHTS)
    us = {layer["name"]: layer["time_us"] for layer in report["layers"]}
    assert report["bounds"]["parallel_us"] == pytest.approx(max(us["a"], us["b"]) + us["join"])
    assert report["bounds"]["sequential_us"] == pytest.approx(sum(us.values()))


def test_the_critical_path_takes_the_parallel_time() -> None:
    body = """m (float[64, 256] x) => (float[64, 256] y) {
    [start] a = Relu(x) [long] b = MatMul(a, w) [long2] c = MatMul(b, w) [short] d = Neg(a)
    [end] y = Add(d, c) }"""
    report = analysis(body, {"w": (256, 256)})
    layers = {layer["name"]: layer for layer in report["layers"]}
    assert report["critical_path"] == ["start", "long", "long2", "end"]
    assert layers["end"]["needs"] == ["long2", "short"]
    us = sum(layers[name]["time_us"] for name in report["critical_path"])
    assert us == pytest.approx(report["bounds"]["parallel_us"])


def test_fusion_gains_what_it_saves() -> None:
    bounds = analysis(CHAIN, {"w": (256, 256)})["bounds"]
    saved = bounds["sequential_us"] - bounds["fused_sequential_us"]
    assert bounds["fusion_gain_us"] == pytest.approx(saved)
    assert saved > 0, "relus become part of the products"


def test_the_hardware_bound_is_products_at_the_peak() -> None:
    body = "m (float[8192, 8192] x) => (float[8192, 8192] y) { y = MatMul(x, w) }"
    report = analysis(body, {"w": (8192, 8192)})
    peak = 4096 * 132 * 1.98e9  # wgmma.f16 of an H200
    assert report["bounds"]["hardware_us"] == pytest.approx(1e6 * 2 * 8192**3 / peak, rel=0.01)


def test_the_hardware_bound_is_bytes_at_the_rate_of_the_memory() -> None:
    body = "m (float[8192, 16384] x) => (float[8192, 16384] y) { y = Relu(x) }"
    report = analysis(body, precision="fp32")
    beyond = 2 * 4 * 8192 * 16384 - (50 << 20)  # the L2 may hold the rest
    assert report["bounds"]["hardware_us"] == pytest.approx(1e6 * beyond / 4.8e12, rel=0.05)


def test_equal_layers_are_one_pattern() -> None:
    report = analysis(CHAIN, {"w": (256, 256)})
    found = {each["first"]: each for each in report["patterns"]}
    relus = next(each for each in report["patterns"] if each["op_type"] == "Relu")
    assert relus["first"] in found
    assert sum(each["count"] for each in report["patterns"]) == 4
    inner = analysis(
        "m (float[64, 256] x) => (float[64, 256] y) { a = Relu(x) b = MatMul(a, w) c = MatMul(b, w)"
        " d = MatMul(c, w) y = Relu(d) }",
        {"w": (256, 256)},
    )
    products = next(each for each in inner["patterns"] if each["op_type"] == "MatMul")
    assert (products["count"], products["macs"]) == (3, 3 * 64 * 256 * 256)


def test_libraries_have_prices() -> None:
    head = "m (float[4096, 4096] x) => (float[4096, 4096] y)"
    body = f"{head} {{ r = Relu(x) p = MatMul(r, w) y = Relu(p) }}"
    weights = {"w": (4096, 4096)}
    report = analysis(body, weights, libraries=("cublaslt",))
    prices = {layer["op_type"]: layer["libraries_us"] for layer in report["layers"]}
    assert prices["MatMul"].keys() == {"cublaslt"}
    assert prices["MatMul"]["cublaslt"] > 0
    assert not prices["Relu"]
    assert not any(layer["libraries_us"] for layer in analysis(body, weights)["layers"])


def test_the_longest_path() -> None:
    needs = {"a": [], "b": ["a"], "c": ["a"], "d": ["b", "c"], "e": []}
    seconds = {"a": 1.0, "b": 2.0, "c": 5.0, "d": 1.0, "e": 6.5}
    assert longest_path_s(needs, seconds) == 7.0
    assert longest_path(needs, seconds) == ["a", "c", "d"]
    assert longest_path(needs, {**seconds, "e": 7.5}) == ["e"]
    assert longest_path({}, {}) == []
    assert longest_path_s({}, {}) == 0.0


def test_the_bound_leaves_out_products_with_padding() -> None:
    """On a picture of 2x2 pixels each of 3x3 taps meets one, two or four of them: 16 of 36."""
    module = parse_module(
        """func.func @main(%x: tensor<1x8x2x2xf16>, %w: tensor<4x8x3x3xf16>)
            -> tensor<1x4x2x2xf16> {
          %y = graph.conv %x, %w strides [1, 1] padding [1, 1, 1, 1] dilations [1, 1]
            : (tensor<1x8x2x2xf16>, tensor<4x8x3x3xf16>) -> tensor<1x4x2x2xf16>
          func.return %y : tensor<1x4x2x2xf16>
        }""",
        registry.new_context(),
        "padded",
    )
    flow = Dataflow(find_main(module).body.block)
    work = work_of(Cluster(flow, tuple(flow.ops)))
    assert (work.macs, work.needed) == (8 * 4 * 36, {"f16": 8 * 4 * 16})


def test_a_first_layer_is_the_same_pattern_as_a_later_one() -> None:
    body = "m (float[64, 256] x) => (float[64, 256] y) { a = MatMul(x, w) y = MatMul(a, w) }"
    (pattern,) = analysis(body, {"w": (256, 256)})["patterns"]
    assert pattern["count"] == 2, "conversions of an input and an output are no part of it"


def test_a_concatenation_alone_takes_time() -> None:
    body = """m (float[1, 64, 8, 8] x) => (float[1, 64, 8, 8] y)
    { a = Relu(x) [join] c = Concat<axis = 1>(x, a) y = Conv(c, w) }"""
    layers = {x["name"]: x for x in analysis(body, {"w": (64, 128, 1, 1)})["layers"]}
    assert layers["join"]["time_us"] > 0


def test_quantised_factors_are_multiplied_as_integers_of_8_bits() -> None:
    head = "m (float[2048, 2048] x, float scale, uint8 zero, float[2048, 2048] w)"
    body = f"""{head} => (float[2048, 2048] y) {{
    q = QuantizeLinear(x, scale, zero) a = DequantizeLinear(q, scale, zero)
    v = QuantizeLinear(w, scale, zero) b = DequantizeLinear(v, scale, zero) y = MatMul(a, b) }}"""
    plain = f"{head} => (float[2048, 2048] y) {{ s = Mul(x, scale) y = MatMul(s, w) }}"
    quantised, floats = (
        analysis(text, precision="fp32")["bounds"]["hardware_us"] for text in (body, plain)
    )
    assert quantised < floats / 4
