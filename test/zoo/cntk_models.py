"""Models that CNTK exported: a bias is an Add of its own, and the weights of the first product are
reshaped by the model.
"""

import numpy as np
from graph_builder import GraphBuilder, Value
from onnx import ModelProto
from weight_filling import Filling, Weights


def lenet(filling: Filling) -> ModelProto:
    """Return the zoo's model of MNIST: digits of 28x28 pixels, two convolutions, one product."""
    g = GraphBuilder(filling, (1, 28, 28))
    x = g.max_pool(_conv(g, g.data, 8, 5), 2, 2)
    x = g.max_pool(_conv(g, x, 16, 5), 3, 3)
    return g.model(_reshaped_product(g, x, 4, 10), 10)


def emotion_ferplus(filling: Filling) -> ModelProto:
    """Return FER+ (Barsoum and others, arXiv 1608.01041): VGG13 of grey 64x64 pixels, eight
    emotions.
    """
    g = GraphBuilder(filling, (1, 64, 64))
    x = g.op("Sub", g.data, g.scalar(127.5))
    x = g.op("Div", x, g.scalar(255.0))
    for count, channels in ((2, 64), (2, 128), (3, 256), (3, 256)):
        for _ in range(count):
            x = _conv(g, x, channels, 3)
        x = g.op("Dropout", g.max_pool(x, 2, 2))
    x = g.op("Dropout", g.relu(_reshaped_product(g, x, 4, 1024)))
    x = g.op("Dropout", g.relu(_product(g, x, 1024, 1024)))
    return g.model(_product(g, x, 1024, 8), 8)


def _conv(g: GraphBuilder, x: Value, channels: int, kernel: int) -> Value:
    y = g.conv(x, channels, kernel, 1, kernel // 2)
    return g.relu(g.op("Add", y, g.weight(g.normal((channels, 1, 1), 0.1))))


def _reshaped_product(g: GraphBuilder, x: Value, size: int, outputs: int) -> Value:
    """Add the product of all of x, of ``size`` rows and columns."""
    inputs = x.channels * size * size
    flat = g.op("Reshape", x, g.sizes_weight(-1, inputs))
    stored = _columns(g, inputs, outputs).reshape(x.channels, size, size, outputs)
    matrix = g.op("Reshape", g.weight(stored), g.sizes_weight(inputs, outputs), channels=outputs)
    return _biased(g, g.op("MatMul", flat, matrix, channels=outputs))


def _product(g: GraphBuilder, x: Value, inputs: int, outputs: int) -> Value:
    return _biased(g, g.op("MatMul", x, g.weight(_columns(g, inputs, outputs)), channels=outputs))


def _columns(g: GraphBuilder, inputs: int, outputs: int) -> Weights:
    return np.ascontiguousarray(g.factors((outputs, inputs)).T)


def _biased(g: GraphBuilder, x: Value) -> Value:
    return g.op("Add", x, g.weight(g.normal((x.channels,), 0.1)))
