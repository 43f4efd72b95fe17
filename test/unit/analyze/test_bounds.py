"""The bounds of a model's time, by the model of a chip."""

import pytest
from layer_models import ATTENTION, analysis

from dlc.analyze.critical_path import longest_path_s

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
    for kind in ("", "least_", "fused_"):
        parallel, sequential = bounds[f"{kind}parallel_us"], bounds[f"{kind}sequential_us"]
        assert 0 < bounds["hardware_us"] <= parallel <= sequential
    assert bounds["least_sequential_us"] <= bounds["sequential_us"]
    assert bounds["least_parallel_us"] <= bounds["parallel_us"]


@pytest.mark.parametrize("name", MODELS)
def test_a_layer_takes_no_less_than_its_bound(name: str) -> None:
    for layer in analysis(*MODELS[name])["layers"]:
        assert 0 < layer["bound_us"] <= layer["estimate_us"], layer["name"]


def test_a_sequence_is_the_sum_of_its_layers() -> None:
    report = analysis(CHAIN, {"w": (256, 256)})
    total = sum(layer["estimate_us"] for layer in report["layers"])
    assert report["bounds"]["sequential_us"] == pytest.approx(total)
    assert report["bounds"]["parallel_us"] == pytest.approx(total), (
        "each layer needs the one before"
    )


def test_of_branches_only_the_longest_counts() -> None:
    report = analysis(BRANCHES, WEIGHTS)
    us = {layer["name"]: layer["estimate_us"] for layer in report["layers"]}
    assert report["bounds"]["parallel_us"] == pytest.approx(max(us["a"], us["b"]) + us["join"])
    assert report["bounds"]["sequential_us"] == pytest.approx(sum(us.values()))


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
    assert longest_path_s({}, {}) == 0.0
