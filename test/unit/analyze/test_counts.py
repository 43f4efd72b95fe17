"""What is counted of layers, against counts by hand."""

import numpy as np
import pytest
from layer_models import ATTENTION, analysis
from onnx import TensorProto, helper, numpy_helper

from dlc.analyze import analyze
from dlc.compiler import Options
from dlc.compiler.outcome import Report


def only(report: Report) -> Report:
    (layer,) = report["layers"]
    return layer


def test_a_convolution() -> None:
    layer = only(
        analysis(
            "m (float[2, 8, 12, 12] x) => (float[2, 16, 6, 6] y) "
            "{ [conv] y = Conv<pads = [1, 1, 1, 1], strides = [2, 2]>(x, w, b) }",
            {"w": (16, 8, 3, 3), "b": (16,)},
        )
    )
    results = 2 * 16 * 6 * 6
    assert (layer["name"], layer["op_type"]) == ("conv", "Conv")
    assert (layer["inputs"], layer["outputs"]) == ([[2, 8, 12, 12]], [[2, 16, 6, 6]])
    assert layer["macs"] == results * 8 * 3 * 3
    assert layer["flops"] >= 2 * layer["macs"] + results
    assert layer["weights"] == 16 * 8 * 3 * 3 + 16
    assert layer["bytes_written"] == 4 * results, "outputs of a model keep their type"
    assert layer["bytes_read"] == 4 * 2 * 8 * 12 * 12 + 2 * layer["weights"]


def test_a_depthwise_convolution() -> None:
    layer = only(
        analysis(
            "m (float[1, 32, 10, 10] x) => (float[1, 32, 8, 8] y) { y = Conv<group = 32>(x, w) }",
            {"w": (32, 1, 3, 3)},
        )
    )
    assert layer["macs"] == 32 * 8 * 8 * 3 * 3
    assert layer["weights"] == 32 * 3 * 3


def test_a_gemm_with_a_bias() -> None:
    layer = only(
        analysis(
            "m (float[4, 64] x) => (float[4, 32] y) { y = Gemm<transB = 1>(x, w, b) }",
            {"w": (32, 64), "b": (32,)},
        )
    )
    assert (layer["macs"], layer["weights"]) == (4 * 32 * 64, 32 * 64 + 32)


def test_a_product_of_two_inputs() -> None:
    report = analysis(
        "m (float[3, 5, 16] a, float[3, 16, 8] b) => (float[3, 5, 8] y) { y = MatMul(a, b) }",
        precision="fp32",
    )
    layer = only(report)
    assert (layer["macs"], layer["weights"]) == (3 * 5 * 16 * 8, 0)
    assert layer["bytes_read"] == 4 * 3 * (5 * 16 + 16 * 8)
    assert report["totals"]["bytes_once"] == layer["bytes_read"] + 4 * 3 * 5 * 8


def test_a_recurrent_layer_counts_all_its_steps() -> None:
    steps, width, hidden = 7, 32, 64
    layer = only(
        analysis(
            f"m (float[{steps}, 1, {width}] x, float[1, 1, {hidden}] h, float[1, 1, {hidden}] c) "
            f"=> (float[{steps}, 1, 1, {hidden}] y) "
            f"{{ y = LSTM<hidden_size = {hidden}>(x, w, r, , , h, c) }}",
            {"w": (1, 4 * hidden, width), "r": (1, 4 * hidden, hidden)},
        )
    )
    assert layer["op_type"] == "LSTM"
    assert layer["macs"] == steps * 4 * hidden * (width + hidden)
    assert layer["weights"] == 4 * hidden * (width + hidden)


def test_attention_is_the_layers_of_its_nodes() -> None:
    report = analysis(ATTENTION)
    macs = {layer["name"]: layer["macs"] for layer in report["layers"]}
    assert macs == {"scores": 2 * 16 * 24 * 8, "weights": 0, "values": 2 * 16 * 24 * 8}
    assert all(layer["time_us"] > 0 for layer in report["layers"])
    assert report["totals"]["macs"] == 2 * macs["scores"]


def test_a_lookup_reads_what_it_looks_up() -> None:
    layer = only(
        analysis("m (int64[1, 4] x) => (float[1, 4, 16] y) { y = Gather(w, x) }", {"w": (1000, 16)})
    )
    assert layer["weights"] == 16000
    assert layer["bytes_read"] == 4 * 16 * 2 + 4 * 8


def test_a_reshape_moves_nothing() -> None:
    report = analysis(
        "m (float[4, 6] x) => (float[24] y) "
        "{ s = Constant<value_ints = [24]>() r = Relu(x) [flat] y = Reshape(r, s) }"
    )
    flat = next(layer for layer in report["layers"] if layer["name"] == "flat")
    assert (flat["inputs"], flat["outputs"]) == ([[4, 6]], [[24]])
    keys = ("bytes_read", "bytes_written", "flops", "bound_us", "time_us")
    assert [flat[key] for key in keys] == [0, 0, 0, 0, 0]


def test_what_is_known_before_is_no_layer() -> None:
    report = analysis(
        "m (float[4, 96] x) => (float[4, 96] y) "
        "{ [known] t = Transpose<perm = [1, 0]>(w) [product] y = MatMul(x, t) }",
        {"w": (96, 96)},
    )
    assert [layer["name"] for layer in report["layers"]] == ["product"]
    assert report["totals"]["weights"] == 96 * 96


def test_a_weight_that_two_layers_read_is_counted_once() -> None:
    report = analysis(
        "m (float[4, 64] x) => (float[4, 64] y) { a = MatMul(x, w) y = MatMul(a, w) }",
        {"w": (64, 64)},
    )
    assert [layer["weights"] for layer in report["layers"]] == [4096, 4096]
    assert report["totals"]["weights"] == 4096


def test_int8_products_are_multiply_adds() -> None:
    x = helper.make_tensor_value_info("x", TensorProto.UINT8, [4, 64])
    y = helper.make_tensor_value_info("y", TensorProto.INT32, [4, 96])
    weight = numpy_helper.from_array((np.arange(6144) % 7 - 3).astype(np.int8).reshape(64, 96), "w")
    node = helper.make_node("MatMulInteger", ["x", "w"], ["y"])
    graph = helper.make_graph([node], "m", [x], [y], [weight])
    model = helper.make_model(graph, ir_version=8, opset_imports=[helper.make_opsetid("", 17)])
    layer = only(analyze(model, Options(target="sm_90a")))
    assert layer["macs"] == 4 * 64 * 96
    assert layer["bytes_read"] == 4 * 64 + 64 * 96


@pytest.mark.parametrize("target", ["sm_80", "sm_90a", "cpu"])
def test_counts_are_those_of_the_model_on_any_chip(target: str) -> None:
    assert analysis(ATTENTION, target=target, precision="fp32")["totals"]["macs"] == 12288
