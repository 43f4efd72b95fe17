"""Advice gains what it promises, by the model of the chip."""

from pathlib import Path

import pytest
from advised import advice_of, asked, launch_times, write_model

from dlc.analyze.advice import Facts
from dlc.compiler.driver import compile_to
from dlc.compiler.options import Options

TOLERANCE = 0.2
"""Of a promise: layers alone are rated without the conversions that stand between layers."""
SIDE_BY_SIDE = """m (float[1, 64, 56, 56] x)
=> (float[1, 64, 56, 56] a, float[1, 64, 56, 56] b, float[1, 64, 56, 56] c)
{ [a] a = Conv(x, w) [b] b = Conv<pads = [1, 1, 1, 1]>(x, v)
  [c] c = Conv<pads = [2, 2, 2, 2]>(x, u) }"""
SIDE_WEIGHTS = {"w": (64, 64, 1, 1), "v": (64, 64, 3, 3), "u": (64, 64, 5, 5)}
SIZES = "float[512, 1024]"
NODES = ("[first] b = MatMul(a, w)", "[relu] c = Relu(b)", "[neg] d = Neg(c)", "[last] e = Tanh(d)")
CHAIN = f"m ({SIZES} a) => ({SIZES} e) {{ {' '.join(NODES)} }}"
CHAIN_WEIGHTS = {"w": (1024, 1024)}


def compiled(path: Path, precision: str = "fp32") -> tuple[float, float]:
    """Return what the launches of a compile take, one after the other and side by side."""
    made = path.with_suffix(".so")
    return launch_times(compile_to(made, path, Options("sm_90a", precision, verify="off")).report)


def test_parallel_layers_gain_what_the_time_line_of_a_compile_gains(tmp_path: Path) -> None:
    path = write_model(tmp_path, SIDE_BY_SIDE, SIDE_WEIGHTS)
    advice = advice_of(asked(path), "Q2")
    sequential_us, parallel_us = compiled(path)
    assert advice["gain_us"] == pytest.approx(sequential_us - parallel_us, rel=TOLERANCE)
    assert advice["layers"] == ["a", "b"], "the longest one is on the way that counts"


FORK = f"""m ({SIZES} x) => ({SIZES} y) {{ [left] a = Relu(x) [right] b = Neg(x)
  [both] y = Add(a, b) }}"""


def test_layers_of_one_kernel_gain_nothing_side_by_side(tmp_path: Path) -> None:
    report = asked(write_model(tmp_path, FORK, {}))
    assert report["fused"]["kernels"] == 1
    assert report["bounds"]["parallel_us"] < report["bounds"]["sequential_us"]
    advice = advice_of(report, "Q2")
    assert (advice["gain_us"], advice["options"]) == (0, None), "a remark"
    assert "the layers alone" in advice["text"]


def test_fusion_gains_what_one_compile_gains_over_one_of_each_layer(tmp_path: Path) -> None:
    path = write_model(tmp_path, CHAIN, CHAIN_WEIGHTS)
    advice = advice_of(asked(path), "Q5")
    alone_us = 0.0
    for node, (read, made) in zip(NODES, ("ab", "bc", "cd", "de"), strict=True):
        body = f"m ({SIZES} {read}) => ({SIZES} {made}) {{ {node} }}"
        alone_us += compiled(write_model(tmp_path, body, CHAIN_WEIGHTS if "w" in node else {}))[0]
    path = write_model(tmp_path, CHAIN, CHAIN_WEIGHTS)
    assert advice["gain_us"] == pytest.approx(alone_us - compiled(path)[0], rel=TOLERANCE)
    assert advice["layers"] == ["first", "relu", "neg", "last"]


@pytest.mark.parametrize(
    ("body", "weights"), [(SIDE_BY_SIDE, SIDE_WEIGHTS), (CHAIN, CHAIN_WEIGHTS)]
)
def test_tensor_cores_gain_what_another_precision_gains(
    tmp_path: Path, body: str, weights: dict[str, tuple[int, ...]]
) -> None:
    path = write_model(tmp_path, body, weights)
    report = asked(path)
    advice = advice_of(report, "Q6")
    precision = advice["options"]["precision"]
    assert precision in ("tf32", "fp16")
    other = asked(path, precision=precision)
    before_us, after_us = (x["bounds"]["fused_parallel_us"] for x in (report, other))
    assert advice["gain_us"] == pytest.approx(before_us - after_us)
    gained_us = compiled(path)[1] - compiled(path, precision)[1]
    assert advice["gain_us"] == pytest.approx(gained_us, rel=TOLERANCE)
    products = [layer["name"] for layer in report["layers"] if layer["macs"]]
    assert advice["layers"] == products
    assert not [x for x in other["advice"] if x["question"] == "Q6"], "it has been followed"


@pytest.mark.parametrize(
    ("body", "weights"), [(SIDE_BY_SIDE, SIDE_WEIGHTS), (CHAIN, CHAIN_WEIGHTS)]
)
def test_all_of_it_gains_what_the_last_compile_gains_and_less_than_the_sum(
    tmp_path: Path, body: str, weights: dict[str, tuple[int, ...]]
) -> None:
    path = write_model(tmp_path, body, weights)
    report = asked(path)
    gains = {each["question"]: each["gain_us"] for each in report["advice"]}
    together = advice_of(report, "joint")
    after_us = compiled(path, together["options"]["precision"])[1]
    gained_us = report["bounds"]["sequential_us"] - after_us
    assert gains["joint"] == pytest.approx(gained_us, rel=TOLERANCE)
    assert max(us for question, us in gains.items() if question != "joint") <= gains["joint"]
    assert gains["joint"] <= sum(us for question, us in gains.items() if question != "joint") + 1


def test_advice_comes_in_the_order_of_its_gain(tmp_path: Path) -> None:
    advice = asked(write_model(tmp_path, CHAIN, CHAIN_WEIGHTS))["advice"]
    gains = [each["gain_us"] for each in advice]
    assert gains == sorted(gains, reverse=True)
    assert advice[0]["question"] == "joint"


def test_what_gains_next_to_nothing_is_no_advice(tmp_path: Path) -> None:
    body = "m (float[8] x) => (float[8] y) { y = Relu(x) }"
    assert asked(write_model(tmp_path, body, {}))["advice"] == []


@pytest.mark.parametrize(
    ("target", "tried", "best"),
    [
        ("sm_70", {"fp16"}, ("fp16", 2.0)),
        ("sm_75", {"fp16"}, ("fp16", 2.0)),
        ("sm_80", {"tf32", "fp16"}, ("tf32", 1.0)),
        ("sm_90a", {"tf32", "fp16"}, ("tf32", 1.0)),
        ("cpu-avx2", set[str](), ("fp32", 9.0)),
    ],
)
def test_only_precisions_that_tensor_cores_of_the_chip_multiply_are_tried(
    target: str, tried: set[str], best: tuple[str, float]
) -> None:
    asked_for: set[str] = set()

    def at_precision(name: str) -> float:
        asked_for.add(name)
        return {"tf32": 1.0, "fp16": 2.0}[name]

    report = {"target": target, "precision": "fp32", "bounds": {"fused_parallel_us": 9.0}}
    assert Facts(report, Options(target), {}, None, at_precision).fastest == best
    assert asked_for == tried


def test_a_cpu_has_no_tensor_cores_and_gives_a_launch_all_cores(tmp_path: Path) -> None:
    path = write_model(tmp_path, SIDE_BY_SIDE, SIDE_WEIGHTS)
    report = asked(path, target="cpu-avx2")
    assert report["bounds"]["parallel_us"] < report["bounds"]["sequential_us"]
    assert not {"Q2", "Q6"} & {each["question"] for each in report["advice"]}
