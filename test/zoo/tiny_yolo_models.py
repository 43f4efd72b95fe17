"""Tiny YOLO v2 (Redmon and Farhadi, arXiv 1612.08242), as the zoo has it from Core ML: pixels of 0
to 255 are scaled first, by a Mul and an Add where older files have an ImageScaler.
"""

import numpy as np
from graph_builder import GraphBuilder
from onnx import ModelProto
from weight_filling import Filling


def tiny_yolo_v2(filling: Filling) -> ModelProto:
    """Return the detector of 20 classes: 5 boxes of 25 numbers for each of 13x13 places."""
    g = GraphBuilder(filling, (3, 416, 416))
    x = g.op("Mul", g.data, g.scalar(1 / 255))
    x = g.op("Add", x, g.weight(np.zeros((3, 1, 1), np.float32)))
    for channels in (16, 32, 64, 128, 256, 512, 1024, 1024):
        x = g.batch_norm(g.conv(x, channels, 3, 1, 1))
        x = g.op("LeakyRelu", x, alpha=0.1)
        if channels < 1024:
            stride, pads = (1, (0, 0, 1, 1)) if channels == 512 else (2, (0,) * 4)
            x = g.max_pool(x, 2, stride, pads)
    return g.model(g.conv(x, 125, 1, bias=True), 125, 13, 13)
