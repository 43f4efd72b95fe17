"""The attributes of operators that slide a window: strides, padding and dilations."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import Attribute

from dlc.dialects.graph.properties import integers
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext
from dlc.ir.tensor import DYNAMIC


@dataclass(frozen=True)
class WindowAttributes:
    """Strides and dilations of each spatial axis; padding as all begins, then all ends."""

    strides: Sequence[int]
    padding: Sequence[int]
    dilations: Sequence[int]

    def properties(self) -> dict[str, Attribute]:
        """Return them as the properties of an op."""
        return {
            "strides": integers(self.strides),
            "padding": integers(self.padding),
            "dilations": integers(self.dilations),
        }


def per_axis(node: NodeContext, name: str, count: int, default: int) -> list[int]:
    """Return an attribute that has one integer for each of ``count`` axes."""
    values = node.integers(name, [default] * count)
    if len(values) != count:
        raise CompileError(f"{name} {values} needs {count} numbers")
    return values


def window_attributes(
    node: NodeContext, sizes: Sequence[int], taps: Sequence[int]
) -> WindowAttributes:
    """Return the window of a convolution or pooling over spatial ``sizes``, ``taps`` per axis."""
    count = len(taps)
    strides = per_axis(node, "strides", count, 1)
    dilations = per_axis(node, "dilations", count, 1)
    mode = node.string("auto_pad", "NOTSET")
    match mode:
        case "NOTSET":
            padding = node.integers("pads", [0] * (2 * count))
        case "VALID":
            padding = [0] * (2 * count)
        case "SAME_UPPER" | "SAME_LOWER":
            columns = zip(sizes, taps, strides, dilations, strict=True)
            totals = [_same_padding(node, *column) for column in columns]
            small, large = [t // 2 for t in totals], [t - t // 2 for t in totals]
            padding = [*small, *large] if mode == "SAME_UPPER" else [*large, *small]
        case _:
            raise CompileError(f"auto_pad {mode} is none of NOTSET, VALID, SAME_UPPER, SAME_LOWER")
    if len(padding) != 2 * count:
        raise CompileError(f"pads {padding} needs {2 * count} numbers")
    if min(padding, default=0) < 0:
        raise CompileError(f"pads {padding} must not be negative")
    return WindowAttributes(strides, padding, dilations)


def _same_padding(node: NodeContext, size: int, taps: int, stride: int, dilation: int) -> int:
    """Return the padding along one axis that gives ``ceil(size / stride)`` positions."""
    extent = (taps - 1) * dilation + 1
    if size == DYNAMIC:
        if stride != 1:
            raise OpenSizeError(f"auto_pad of {node.op_type}")
        return extent - 1
    return max((-(-size // stride) - 1) * stride + extent - size, 0)
