"""CaffeNet and the R-CNN made of it, as the zoo has them from Caffe (``bvlc_reference_caffenet``,
``bvlc_reference_rcnn_ilsvrc13``): AlexNet (Krizhevsky and others, 2012) in one part, but two groups
of channels, and pooling before the local response normalization.
"""

from graph_builder import GraphBuilder, Value
from onnx import ModelProto
from weight_filling import Filling

_CEILING = (0, 0, 1, 1)
"""Pads with which a window beyond the border counts, as in Caffe."""


def caffenet(filling: Filling) -> ModelProto:
    """Return CaffeNet with 1000 classes."""
    g = GraphBuilder(filling, (3, 224, 224))
    return g.model(g.op("Softmax", _scores(g, 1000), axis=1), 1000)


def rcnn_ilsvrc13(filling: Filling) -> ModelProto:
    """Return the network of R-CNN (Girshick and others, arXiv 1311.2524): scores of 200 classes."""
    g = GraphBuilder(filling, (3, 224, 224))
    return g.model(_scores(g, 200), 200)


def _scores(g: GraphBuilder, classes: int) -> Value:
    x = g.relu(g.conv(g.data, 96, 11, 4, bias=True))
    x = _normalized(g, g.max_pool(x, 3, 2, _CEILING))
    x = g.relu(g.conv(x, 256, 5, 1, 2, group=2, bias=True))
    x = _normalized(g, g.max_pool(x, 3, 2))
    x = g.relu(g.conv(x, 384, 3, 1, 1, bias=True))
    x = g.relu(g.conv(x, 384, 3, 1, 1, group=2, bias=True))
    x = g.relu(g.conv(x, 256, 3, 1, 1, group=2, bias=True))
    x = g.op("Reshape", g.max_pool(x, 3, 2), g.sizes_weight(-1, 9216))
    for inputs in (9216, 4096):
        x = g.op("Dropout", g.relu(g.gemm(x, inputs, 4096)))
    return g.gemm(x, 4096, classes)


def _normalized(g: GraphBuilder, x: Value) -> Value:
    return g.op("LRN", x, size=5, alpha=1e-4, beta=0.75, bias=1.0)
