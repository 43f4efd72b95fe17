"""cuDNN on a convolution with its bias and activation."""

from collections.abc import Callable
from typing import Any

import triton  # pyright: ignore[reportMissingImports]  (optional)
import triton.language as tl  # pyright: ignore[reportMissingImports]  (optional)
from convolution_layers import Layer

_BLOCK = 1024


class Peer:
    """cuDNN on a layer: the ways to run it."""

    def __init__(self, torch: Any, layer: Layer, x: Any):
        self.layer = layer
        self.torch = torch
        weight, bias = (torch.from_numpy(a).cuda() for a in layer.weight())
        self.x = x
        self.weight = weight.to(memory_format=torch.channels_last)
        self.bias = bias
        self.places = (layer.strides, layer.pads, (1, 1), layer.groups)

    def ways(self) -> dict[str, Callable[[], Any]]:
        """Return the ways by name, without those that cuDNN refuses."""
        found = {"separate": self.separate, "kernel": self.kernel}
        found |= {"fused": self.fused} if self.layer.activation == "relu" else {}
        return {name: way for name, way in found.items() if self._runs(way)}

    def _runs(self, way: Callable[[], Any]) -> bool:
        try:
            with self.torch.no_grad():
                way()
        except RuntimeError as error:
            print(f"{self.layer}: {way.__name__}: {error}"[:200], flush=True)
            return False
        return True

    def separate(self) -> Any:
        """Return the result by PyTorch's own kernels."""
        functions = self.torch.nn.functional
        y = functions.conv2d(self.x, self.weight, self.bias, *self.places)
        match self.layer.activation:
            case "relu":
                return y.relu_()
            case "relu6":
                return y.clamp_(0, 6)
            case "sigmoid":
                return y.sigmoid_()
            case "silu":
                return functions.silu(y, inplace=True)
            case _:
                return y

    def kernel(self) -> Any:
        """Return the result with one kernel for bias and activation."""
        y = self.torch.nn.functional.conv2d(self.x, self.weight, None, *self.places)
        _finish(y, self.bias, self.layer.activation)
        return y

    def fused(self) -> Any:
        """Return the result by cuDNN alone."""
        strides, pads, dilations, groups = self.places
        return self.torch.cudnn_convolution_relu(
            self.x, self.weight, self.bias, strides, pads, dilations, groups
        )


def _finish(y: Any, bias: Any, activation: str) -> None:
    """Add the bias to a channels-last tensor and apply the activation, in place."""
    assert y.permute(0, 2, 3, 1).is_contiguous(), "cuDNN changed the layout"
    blocks = triton.cdiv(y.numel(), _BLOCK)
    launch: Any = _finish_kernel
    launch[(blocks,)](y, bias, y.numel(), y.shape[1], activation, _BLOCK)


# Triton reads the text of this function, in which it knows names of its own only.
@triton.jit  # pyright: ignore[reportUntypedFunctionDecorator]  (Triton has no types)
def _finish_kernel(
    y: "Any",
    bias: "Any",
    elements: "Any",
    channels: tl.constexpr,  # pyright: ignore[reportUnknownParameterType]
    kind: tl.constexpr,  # pyright: ignore[reportUnknownParameterType]
    block: tl.constexpr,  # pyright: ignore[reportUnknownParameterType]
) -> None:
    """Do what torch.compile writes for a bias and an activation."""
    place = tl.program_id(0) * block + tl.arange(0, block)
    inside = place < elements
    value = tl.load(y + place, inside).to(tl.float32)
    value += tl.load(bias + place % channels, inside).to(tl.float32)
    if kind == "relu":
        value = tl.maximum(value, 0.0)
    if kind == "relu6":
        value = tl.minimum(tl.maximum(value, 0.0), 6.0)
    if kind == "sigmoid":
        value = tl.sigmoid(value)
    if kind == "silu":
        value *= tl.sigmoid(value)
    tl.store(y + place, value.to(tl.float16), inside)
