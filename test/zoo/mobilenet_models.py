"""MobileNet v2 (Sandler and others, arXiv 1801.04381v1), as MXNet's Gluon had it when it exported
the zoo's file: every block has an expansion, even where it widens nothing, and the classifier is a
convolution.
"""

from graph_builder import GraphBuilder, Value
from onnx import ModelProto
from weight_filling import Filling

_GAIN = 0.25
STAGES = (
    (1, 16, 1, 1),
    (6, 24, 2, 2),
    (6, 32, 3, 2),
    (6, 64, 4, 1),
    (6, 96, 3, 2),
    (6, 160, 3, 2),
    (6, 320, 1, 1),
)
"""Expansion, channels, blocks, stride of the first block. Table 2 of the paper's first version, as
in the zoo's file (github.com/onnx/models/issues/353); later versions halve the size one stage
earlier, at 64 channels, which saves a quarter of the work.
"""


def mobilenet_v2(filling: Filling) -> ModelProto:
    """Return MobileNet v2 of width 1."""
    g = GraphBuilder(filling, (3, 224, 224))
    x = _clipped(g, g.conv(g.data, 32, 3, 2, 1))
    for expansion, channels, count, first in STAGES:
        for stride in (first, *[1] * (count - 1)):
            x = _block(g, x, expansion, channels, stride)
    x = g.op("GlobalAveragePool", _clipped(g, g.conv(x, 1280, 1)))
    return g.model(g.op("Flatten", g.conv(x, 1000, 1)), 1000)


def _block(g: GraphBuilder, x: Value, expansion: int, channels: int, stride: int) -> Value:
    inner = x.channels * expansion
    y = _clipped(g, g.conv(x, inner, 1))
    y = _clipped(g, g.conv(y, inner, 3, stride, 1, group=inner))
    joins = stride == 1 and channels == x.channels
    y = g.batch_norm(g.conv(y, channels, 1), _GAIN if joins else 1.0)
    return g.op("Add", y, x) if joins else y


def _clipped(g: GraphBuilder, x: Value) -> Value:
    """Add a normalization and min(max(x, 0), 6)."""
    least, most = (g.scalar(limit) for limit in (0.0, 6.0))
    return g.op("Clip", g.batch_norm(x), least, most)
