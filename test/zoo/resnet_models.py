"""ResNet v1 and v2, as MXNet's Gluon defines and exports them.

v1 (He and others, arXiv 1512.03385) has the stride in the first 1x1 convolution of a bottleneck,
and a bias in its 1x1 convolutions. v2 (arXiv 1603.05027) normalises first and has the stride in the
3x3 convolution.
"""

from dataclasses import dataclass

from graph_builder import GraphBuilder, Value
from onnx import ModelProto
from weight_filling import Filling

_GAIN = 0.25
"""Of a branch before it is added: the sum of 50 branches stays small."""


@dataclass(frozen=True)
class Depth:
    """blocks: in each of four stages. bottleneck: whether a block has three convolutions."""

    blocks: tuple[int, int, int, int]
    bottleneck: bool


DEPTHS = {
    18: Depth((2, 2, 2, 2), False),
    34: Depth((3, 4, 6, 3), False),
    50: Depth((3, 4, 6, 3), True),
    101: Depth((3, 4, 23, 3), True),
    152: Depth((3, 8, 36, 3), True),
}


def resnet_v1(filling: Filling, depth: int) -> ModelProto:
    """Return ResNet v1 of a depth in ``DEPTHS``; without Softmax, as the file of the zoo."""
    g = GraphBuilder(filling, (3, 224, 224))
    x = g.relu(g.batch_norm(g.conv(g.data, 64, 7, 2, 3)))
    x = g.max_pool(x, 3, 2, (1,) * 4)
    for channels, stride in _blocks(DEPTHS[depth]):
        branch = _bottleneck_v1 if DEPTHS[depth].bottleneck else _basic_v1
        rest = branch(g, x, channels, stride)
        if stride != 1 or channels != x.channels:
            x = g.batch_norm(g.conv(x, channels, 1, stride))
        x = g.relu(g.op("Add", rest, x))
    return _classified(g, x)


def resnet_v2(filling: Filling, depth: int) -> ModelProto:
    """Return ResNet v2 of a depth in ``DEPTHS``; without Softmax, as the file of the zoo."""
    g = GraphBuilder(filling, (3, 224, 224))
    x = g.batch_norm(g.data)
    x = g.relu(g.batch_norm(g.conv(x, 64, 7, 2, 3)))
    x = g.max_pool(x, 3, 2, (1,) * 4)
    for channels, stride in _blocks(DEPTHS[depth]):
        branch = _bottleneck_v2 if DEPTHS[depth].bottleneck else _basic_v2
        first = g.relu(g.batch_norm(x))
        if stride != 1 or channels != x.channels:
            x = g.conv(first, channels, 1, stride)
        x = g.op("Add", branch(g, first, channels, stride), x)
    return _classified(g, g.relu(g.batch_norm(x)))


def _blocks(depth: Depth) -> list[tuple[int, int]]:
    """Return channels and stride of each block."""
    width = 256 if depth.bottleneck else 64
    return [
        (width << stage, 2 if stage and not block else 1)
        for stage, count in enumerate(depth.blocks)
        for block in range(count)
    ]


def _basic_v1(g: GraphBuilder, x: Value, channels: int, stride: int) -> Value:
    x = g.relu(g.batch_norm(g.conv(x, channels, 3, stride, 1)))
    return g.batch_norm(g.conv(x, channels, 3, 1, 1), _GAIN)


def _bottleneck_v1(g: GraphBuilder, x: Value, channels: int, stride: int) -> Value:
    inner = channels // 4
    x = g.relu(g.batch_norm(g.conv(x, inner, 1, stride, bias=True)))
    x = g.relu(g.batch_norm(g.conv(x, inner, 3, 1, 1)))
    return g.batch_norm(g.conv(x, channels, 1, bias=True), _GAIN)


def _basic_v2(g: GraphBuilder, x: Value, channels: int, stride: int) -> Value:
    x = g.relu(g.batch_norm(g.conv(x, channels, 3, stride, 1), _GAIN))
    return g.conv(x, channels, 3, 1, 1)


def _bottleneck_v2(g: GraphBuilder, x: Value, channels: int, stride: int) -> Value:
    inner = channels // 4
    x = g.relu(g.batch_norm(g.conv(x, inner, 1)))
    x = g.relu(g.batch_norm(g.conv(x, inner, 3, stride, 1), _GAIN))
    return g.conv(x, channels, 1)


def _classified(g: GraphBuilder, x: Value) -> ModelProto:
    flat = g.op("Flatten", g.op("GlobalAveragePool", x))
    return g.model(g.gemm(flat, x.channels, 1000), 1000)
