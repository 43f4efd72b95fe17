"""``conv:NxCxHxW:OxRxS``: ``N`` images of ``C`` channels, a weight of ``O`` channels and ``R x S``
taps; ``stride=``, ``pad=`` (default: the size stays at stride 1), ``groups=``.
"""

from collections.abc import Callable
from math import prod
from typing import Any

from onnx import NodeProto, helper

from dlc.benchmark.single_op import OpKind, Shapes, SingleOp, Sizes
from dlc.errors import CompileError

Pads = tuple[int, int]


def _stride(op: SingleOp) -> int:
    return op.options.get("stride", 1)


def _pads(op: SingleOp) -> Pads:
    _, r, s = op.sizes[1]
    pad = op.options.get("pad")
    return (r // 2, s // 2) if pad is None else (pad, pad)


def _groups(op: SingleOp) -> int:
    return op.options.get("groups", 1)


class _Conv(OpKind):
    grammar = "conv:NxCxHxW:OxRxS"
    counts = ((4,), (3,))
    options = ("stride", "pad", "groups")

    def check(self, op: SingleOp) -> None:
        (_, c, _, _), (o, _, _) = op.sizes
        if not _stride(op) or not _groups(op):
            raise CompileError("stride and groups are 1 or more", at=op.text)
        if c % _groups(op) or o % _groups(op):
            message = f"{_groups(op)} groups do not divide {c} and {o} channels"
            raise CompileError(message, at=op.text)
        if min(self.result(op)) < 1:
            raise CompileError("the taps are more than the padded image", at=op.text)

    def shapes(self, op: SingleOp) -> Shapes:
        (n, c, h, w), (o, r, s) = op.sizes
        return {"x": (n, c, h, w), "w": (o, c // _groups(op), r, s)}

    def result(self, op: SingleOp) -> Sizes:
        (n, _, *size), (o, *taps) = op.sizes
        both = zip(size, taps, _pads(op), strict=True)
        return (n, o, *((x + 2 * pad - tap) // _stride(op) + 1 for x, tap, pad in both))

    def depth(self, op: SingleOp) -> int:
        return prod(op.shapes()["w"][1:])

    def flops(self, op: SingleOp) -> int:
        return 2 * prod(self.result(op)) * self.depth(op)

    def nodes(self, op: SingleOp) -> list[NodeProto]:
        node = helper.make_node("Conv", ["x", "w"], ["y"], "conv")
        facts = {"strides": [_stride(op)] * 2, "pads": [*_pads(op) * 2], "group": _groups(op)}
        node.attribute.extend(helper.make_attribute(name, x) for name, x in facts.items())
        return [node]

    def torch(self, op: SingleOp, torch: Any) -> Callable[..., Any]:
        stride, pads, groups = _stride(op), _pads(op), _groups(op)
        conv2d = torch.nn.functional.conv2d
        return lambda x, w: conv2d(x, w, None, stride, pads, 1, groups)

    def jax(self, op: SingleOp, jax: Any) -> Callable[..., Any]:
        strides, pads = [_stride(op)] * 2, [(pad, pad) for pad in _pads(op)]
        convolve, groups = jax.lax.conv_general_dilated, _groups(op)
        return lambda x, w: convolve(x, w, strides, pads, feature_group_count=groups)


KIND = _Conv()
