"""ArcFace (Deng and others, arXiv 1801.07698): LResNet100E-IR of InsightFace, as MXNet exported it:
each PRelu has a Reshape of its slopes.
"""

import numpy as np
from graph_builder import GraphBuilder, Value
from onnx import ModelProto
from weight_filling import Filling

_GAIN = 0.25
STAGES = ((3, 64), (13, 128), (30, 256), (3, 512))
"""Blocks and channels; the first block of each halves the size."""


def arcface(filling: Filling) -> ModelProto:
    """Return the model that makes 512 features of a face of 112x112 pixels."""
    g = GraphBuilder(filling, (3, 112, 112))
    x = g.op("Sub", g.op("Identity", g.data), g.scalar(127.5))
    x = g.op("Mul", x, g.scalar(1 / 128))
    x = _prelu(g, g.batch_norm(g.conv(x, 64, 3, 1, 1)))
    for count, channels in STAGES:
        for block in range(count):
            x = _block(g, x, channels, 1 if block else 2)
    x = g.op("Dropout", g.batch_norm(x))
    x = g.gemm(g.op("Flatten", x), 512 * 7 * 7, 512)
    return g.model(g.batch_norm(x), 512)


def _block(g: GraphBuilder, x: Value, channels: int, stride: int) -> Value:
    y = g.batch_norm(g.conv(g.batch_norm(x), channels, 3, 1, 1))
    y = g.batch_norm(g.conv(_prelu(g, y), channels, 3, stride, 1), _GAIN)
    if stride != 1:
        x = g.batch_norm(g.conv(x, channels, 1, stride))
    return g.op("Add", y, x)


def _prelu(g: GraphBuilder, x: Value) -> Value:
    slopes = g.weight(np.full((x.channels,), 0.25, np.float32))
    shaped = g.op("Reshape", slopes, g.sizes_weight(x.channels, 1, 1), channels=x.channels)
    return g.op("PRelu", x, shaped)
