"""``dlc-bench`` on a GPU beside PyTorch: the same outputs, each kernel with a time."""

import json
from importlib.util import find_spec
from pathlib import Path

import pytest

from dlc.compiler.targets import device_capability
from dlc.tools import dlc_bench

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(device_capability() is None, reason="no GPU"),
    pytest.mark.skipif(find_spec("torch") is None, reason="PyTorch is not installed"),
    pytest.mark.filterwarnings("ignore"),  # of torch and Triton
]
ROUNDING = 2.0**-9
"""Of a result in fp16, and of the weights of attention before their product."""


@pytest.mark.parametrize(
    "text",
    [
        "matmul:256x128x64:fp16",
        "conv:2x64x28x28:32x3x3:stride=2:fp16",
        "attention:2x4x64x32:fp16",
        "conv:64x64x56x56:256x1x1:fp16",  # its input is memory that PyTorch gives back when it can
    ],
)
def test_an_operation(text: str, tmp_path: Path) -> None:
    file = tmp_path / "bench.json"
    peers = ["--peers", "eager,compile,captured", "--seconds", "0.05", "--json", str(file)]
    assert dlc_bench.main(["--op", text, *peers]) == 0
    (case,) = json.loads(file.read_text())["cases"]
    for peer in case["contestants"][1:]:
        assert peer.get("error") is None, peer
        assert peer["difference"] < ROUNDING
    assert all(kernel["us"] > 0 for kernel in case["kernels"])
