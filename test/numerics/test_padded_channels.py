"""An image with more channels of zeros gives the same convolution."""

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from dlc import registry
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.oracle import run_reference
from dlc.passes.graph_pad_channels import GraphPadChannelsPass

TEXT = """
func.func @main(%x: tensor<2x3x{size}x{size}xf32>) -> tensor<2x{made}x{made}x64xf16> {{
  %w = graph.weight @{weight} : tensor<64x{k}x{k}x3xf16>
  %c = graph.cast %x {{to = f16}} : tensor<2x3x{size}x{size}xf32> -> tensor<2x3x{size}x{size}xf16>
  %t = graph.transpose %c {{permutation = array<i64: 0, 2, 3, 1>}}
    : tensor<2x3x{size}x{size}xf16> -> tensor<2x{size}x{size}x3xf16>
  %y = graph.conv %t, %w strides [{stride}, {stride}] padding [1, 1, 1, 1] dilations [1, 1]
    layout channels_last weight_layout ohwi
    : (tensor<2x{size}x{size}x3xf16>, tensor<64x{k}x{k}x3xf16>) -> tensor<2x{made}x{made}x64xf16>
  func.return %y : tensor<2x{made}x{made}x64xf16>
}}
"""


def _ops(module: ModuleOp) -> list[str]:
    return [op.name for op in module.walk()]


@pytest.mark.parametrize(("size", "k", "stride"), [(97, 7, 2), (96, 3, 1), (101, 5, 3)])
def test_the_same_result(size: int, k: int, stride: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(size)
    context = registry.new_context(weights := WeightStore())
    made = (size + 2 - k) // stride + 1
    weight = weights.add("w", rng.standard_normal((64, k, k, 3)).astype(np.float16))
    text = TEXT.format(size=size, k=k, stride=stride, made=made, weight=weight)
    module = parse_module(text, context)
    x = rng.standard_normal((2, 3, size, size)).astype(np.float32)
    (wanted,) = run_reference(module, {"input0": x}, weights).values()
    prices = iter([1.0, 2.0])  # of what it becomes, of what it is: images of a test are too small
    monkeypatch.setattr("dlc.passes.graph_pad_channels._Padded._price", lambda *_: next(prices))
    GraphPadChannelsPass(arch="sm_90a").apply(context, module)
    assert _ops(module).count("graph.pad") == 2
    (found,) = run_reference(module, {"input0": x}, weights).values()
    np.testing.assert_array_equal(found, wanted)
