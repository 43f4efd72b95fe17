"""``dlc-bench`` beside XLA for the CPU: the same operations give the same; a model of the user."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from onnx import TensorProto, helper, save

pytest.importorskip("jax", reason="needs JAX: pip install jax")

from dlc.tools import dlc_bench

FORMS = """
import numpy as np

def net(batch, precision):
    import jax
    return jax.nn.relu, [np.ones((batch, 4), np.float32)]

def one(batch, precision):
    return 3

def pair(batch, precision):
    return 3, np.ones(4)

def fails(batch, precision):
    raise ValueError("no such precision")
"""
ROUNDING = 64 * 2.0**-24
"""Sums of 64 products in another order."""


def bench(tmp_path: Path, *arguments: str) -> list[dict[str, Any]]:
    """Return what was found of each contestant of the only case."""
    file = tmp_path / "bench.json"
    fixed = ["--target", "cpu", "--seconds", "0.01", "--threads", "1", "--peers", "xla"]
    assert dlc_bench.main([*arguments, *fixed, "--json", str(file)]) == 0
    (case,) = json.loads(file.read_text())["cases"]
    return case["contestants"]


@pytest.fixture
def model(tmp_path: Path) -> str:
    """A rectifier with an open batch."""
    x, y = (helper.make_tensor_value_info(n, TensorProto.FLOAT, ["n", 4]) for n in "xy")
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"])], "net", [x], [y])
    save(helper.make_model(graph, ir_version=10), tmp_path / "net.onnx")
    return str(tmp_path / "net.onnx")


@pytest.fixture
def forms(tmp_path: Path) -> str:
    path = tmp_path / "forms.py"
    path.write_text(FORMS)
    return str(path)


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("matmul:9x10x11", ROUNDING),
        ("matmul:2x9x10x11", ROUNDING),
        ("conv:2x4x9x9:6x3x3:stride=2:groups=2", ROUNDING),
        ("attention:1x2x5x8:keys=7", ROUNDING),
        ("matmul:9x10x11:fp16", 2.0**-9),
        ("matmul:9x10x11:bf16", 2.0**-6),
    ],
)
def test_an_operation_is_the_same_in_xla(text: str, bound: float, tmp_path: Path) -> None:
    _, peer = bench(tmp_path, "--op", text)
    assert peer["median_ms"] > 0
    assert peer["difference"] < bound


def test_a_function_of_the_user_is_timed_and_not_compared(
    model: str, forms: str, tmp_path: Path
) -> None:
    mine, peer = bench(tmp_path, model, "--batch", "3", "--jax", f"{forms}:net")
    assert peer["note"].startswith("JAX ")
    assert peer["median_ms"] > 0
    assert peer["difference"] is None
    assert mine["median_ms"] > 0


def test_the_function_of_the_page_runs(model: str, tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "benchmarking.md").read_text()
    (text,) = re.findall(r"```python\n(# forms.py\n.*?)```", page, re.S)
    (tmp_path / "forms.py").write_text(text)
    for precision in ("fp32", "fp16", "bf16"):
        options = ["--batch", "3", "--precision", precision]
        _, peer = bench(tmp_path, model, *options, "--jax", f"{tmp_path / 'forms.py'}:net")
        assert peer["median_ms"] > 0


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("one", "one: returns int; it returns (function, [its arguments])"),
        ("pair", "pair: returns (int, ndarray); it returns (function, [its arguments])"),
        ("fails", "fails: failed: ValueError: no such precision"),
        ("absent", "forms.py: has no function 'absent'"),
    ],
)
def test_a_wrong_function_is_named(
    function: str, message: str, model: str, forms: str, tmp_path: Path
) -> None:
    mine, peer = bench(tmp_path, model, "--batch", "3", "--jax", f"{forms}:{function}")
    assert peer["error"].endswith(message)
    assert mine["median_ms"] > 0
