"""The convolutions that ``test/benchmarks/convolutions.py`` finds in a model, and their models."""

from collections.abc import Callable

import numpy as np
import onnx
import pytest
from convolution_layers import ACTIVATIONS, FEW_CHANNELS, Array, Layer, layers
from onnx.reference import ReferenceEvaluator

NET = """
<ir_version: 10, opset_import: ["" : 20]>
net (float[1, 3, 16, 16] x, float[8, 3, 3, 3] a, float[8, 1, 5, 5] b, float[4, 8, 1, 1] c,
     float[] l, float[] h) => (float[1, 4, 8, 8] y, float[1, 4, 8, 8] z)
{
    s = Conv<strides = [2, 2], pads = [1, 1, 1, 1]>(x, a)
    g = Sigmoid(s)
    t = Mul(s, g)
    u = Conv<strides = [1, 1], pads = [2, 2, 2, 2], group = 8>(t, b)
    v = Clip(u, l, h)
    y = Conv<strides = [1, 1], pads = [0, 0, 0, 0]>(v, c)
    z = Conv<strides = [1, 1], pads = [0, 0, 0, 0]>(v, c)
}
"""


def test_each_distinct_convolution_is_found_once_with_its_activation() -> None:
    silu, relu6, plain = layers(onnx.parser.parse_model(NET))
    assert silu == Layer(3, (16, 16), 8, (3, 3), (2, 2), (1, 1), 1, "silu")
    assert relu6 == Layer(8, (8, 8), 8, (5, 5), (1, 1), (2, 2), 8, "relu6")
    assert plain == Layer(8, (8, 8), 4, (1, 1), (1, 1), (0, 0), 1, "")


def test_a_padding_that_the_peer_has_not_is_told() -> None:
    text = NET.replace("pads = [1, 1, 1, 1]", "pads = [0, 0, 1, 1]")
    with pytest.raises(AssertionError, match="PyTorch has no padding"):
        layers(onnx.parser.parse_model(text))


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("channels", [3, 8])
def test_a_layer_alone_has_channels_last(activation: str, channels: int) -> None:
    layer = Layer(channels, (9, 7), 4, (3, 1), (2, 1), (1, 0), 1, activation)
    model = layer.model(2)
    onnx.checker.check_model(model, full_check=True)
    x = np.random.default_rng(0).standard_normal((2, channels, 9, 7)).astype(np.float16)
    given = x.transpose(0, 2, 3, 1) if channels >= FEW_CHANNELS else x
    y = next(np.asarray(v) for v in ReferenceEvaluator(model).run(None, {"x": given}))
    weight, bias = layer.weight()
    padded = np.pad(x.astype(np.float64), ((0, 0), (0, 0), (1, 1), (0, 0)))
    exact = bias.astype(np.float64) + sum(
        np.einsum("nchw,oc->nhwo", padded[:, :, tap : tap + 9 : 2], weight[:, :, tap, 0])
        for tap in range(3)
    )
    functions: dict[str, Callable[[Array], Array]] = {
        "": lambda s: s,
        "relu": lambda s: np.maximum(s, 0),
        "relu6": lambda s: np.clip(s, 0, 6),
        "sigmoid": lambda s: 1 / (1 + np.exp(-s)),
        "silu": lambda s: s / (1 + np.exp(-s)),
    }
    wanted = functions[activation](exact)
    assert y.shape == (2, *layer.result, 4) == wanted.shape
    np.testing.assert_allclose(y, wanted, rtol=2e-2, atol=2e-2)  # the reference rounds each step
