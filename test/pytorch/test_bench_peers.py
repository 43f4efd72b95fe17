"""``dlc-bench`` beside PyTorch for the CPU: the same weights, the same outputs."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

torch: Any = pytest.importorskip("torch", reason="needs torch: pip install -e '.[torch]'")
pytest.importorskip("onnxscript", reason="needs onnxscript: pip install -e '.[torch]'")

from dlc.tools import dlc_bench  # noqa: E402  (where PyTorch is)

pytestmark = [
    pytest.mark.torch,
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),  # of torch itself
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]

NET = """
import torch
from torch import nn

def net(batch):
    module = nn.Sequential(
        nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(512, 5)
    )
    return module, (torch.randn(batch, 3, 8, 8),)

def none(batch):
    return 3

def two(batch):
    return 3, ()

def fails(batch):
    open("/absent")
"""
ROUNDING = 512 * 2.0**-24
"""Sums of 512 products in another order."""


def bench(tmp_path: Path, *arguments: str) -> tuple[int, list[dict[str, Any]]]:
    file = tmp_path / "bench.json"
    fixed = ["--target", "cpu", "--seconds", "0.01", "--threads", "1", "--json", str(file)]
    code = dlc_bench.main([*arguments, *fixed])
    return code, json.loads(file.read_text())["cases"]


@pytest.fixture
def nets(tmp_path: Path) -> str:
    path = tmp_path / "nets.py"
    path.write_text(NET)
    return str(path)


def test_a_module_is_exported_and_timed(nets: str, tmp_path: Path) -> None:
    code, (case,) = bench(
        tmp_path, "--torch", f"{nets}:net", "--batch", "2", "--peers", "eager,compile,ort"
    )
    assert code == 0
    assert (case["name"], case["batch"]) == ("net", 2)
    mine, *peers = case["contestants"]
    assert mine["name"] == "dlc"
    assert [peer["name"] for peer in peers] == ["eager", "compile", "ort"]
    for peer in peers:
        assert peer["difference"] < ROUNDING, peer


def test_the_module_of_the_page_runs(tmp_path: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "benchmarking.md").read_text()
    (text,) = re.findall(r"```python\n(# nets.py\n.*?)```", page, re.S)
    (tmp_path / "nets.py").write_text(text)
    nets = f"{tmp_path / 'nets.py'}:net"
    code, (case,) = bench(tmp_path, "--torch", nets, "--batch", "8", "--peers", "eager")
    assert code == 0
    assert case["contestants"][1]["difference"] < ROUNDING


@pytest.mark.parametrize(
    ("text", "bound"),
    [
        ("matmul:9x10x11", ROUNDING),
        ("matmul:2x9x10x11", ROUNDING),
        ("conv:2x4x9x9:6x3x3:stride=2:groups=2", ROUNDING),
        ("attention:1x2x5x8:keys=7", ROUNDING),
        ("matmul:9x10x11:bf16", 11 * 2.0**-8),
    ],
)
def test_an_operation_is_the_same_in_pytorch(text: str, bound: float, tmp_path: Path) -> None:
    code, (case,) = bench(tmp_path, "--op", text, "--peers", "eager,compile")
    assert code == 0
    for peer in case["contestants"][1:]:
        assert peer["difference"] < bound, peer


@pytest.mark.parametrize(
    ("function", "message"),
    [
        ("none", "none: returns int; it returns (module, (its arguments,)) or (module, (its arg"),
        ("two", "two: returns (int, tuple); it returns (module, (its arguments,)) or "),
        ("fails", "fails: failed: FileNotFoundError: [Errno 2] No such file or directory"),
        ("absent", "nets.py: has no function 'absent'"),
    ],
)
def test_a_function_that_gives_no_module(
    nets: str, function: str, message: str, tmp_path: Path
) -> None:
    code, (case,) = bench(tmp_path, "--torch", f"{nets}:{function}", "--peers", "none")
    assert code == 1
    assert message in case["contestants"][0]["error"]
