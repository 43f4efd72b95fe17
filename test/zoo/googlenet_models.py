"""GoogLeNet (Szegedy and others, arXiv 1409.4842), as the zoo has it from Caffe
(``bvlc_googlenet``): windows beyond the border count, so that sizes are 56, 28, 14 and 7.
"""

from dataclasses import dataclass

from graph_builder import GraphBuilder, Value
from onnx import ModelProto
from weight_filling import Filling

_CEILING = (0, 0, 1, 1)


@dataclass(frozen=True)
class Module:
    """Channels of the four ways of a module: 1x1; 3x3 and what it reads; 5x5 and what it reads;
    pooled. pooled_after: whether a pooling of stride 2 follows.
    """

    one: int
    reduce_three: int
    three: int
    reduce_five: int
    five: int
    pool: int
    pooled_after: bool = False


MODULES = (
    Module(64, 96, 128, 16, 32, 32),
    Module(128, 128, 192, 32, 96, 64, True),
    Module(192, 96, 208, 16, 48, 64),
    Module(160, 112, 224, 24, 64, 64),
    Module(128, 128, 256, 24, 64, 64),
    Module(112, 144, 288, 32, 64, 64),
    Module(256, 160, 320, 32, 128, 128, True),
    Module(256, 160, 320, 32, 128, 128),
    Module(384, 192, 384, 48, 128, 128),
)
"""Table 1 of the paper."""


def googlenet(filling: Filling) -> ModelProto:
    """Return GoogLeNet without the classifiers that only training has."""
    g = GraphBuilder(filling, (3, 224, 224))
    x = g.max_pool(_conv(g, g.data, 64, 7, 2), 3, 2, _CEILING)
    x = _conv(g, _conv(g, _normalized(g, x), 64, 1), 192, 3)
    x = g.max_pool(_normalized(g, x), 3, 2, _CEILING)
    for module in MODULES:
        x = _module(g, x, module)
        if module.pooled_after:
            x = g.max_pool(x, 3, 2, _CEILING)
    x = g.op("Dropout", g.op("AveragePool", x, kernel_shape=[7, 7]))
    x = g.op("Reshape", x, g.sizes_weight(-1, 1024))
    return g.model(g.op("Softmax", g.gemm(x, 1024, 1000), axis=1), 1000)


def _module(g: GraphBuilder, x: Value, module: Module) -> Value:
    ways = (
        _conv(g, x, module.one, 1),
        _conv(g, _conv(g, x, module.reduce_three, 1), module.three, 3),
        _conv(g, _conv(g, x, module.reduce_five, 1), module.five, 5),
        _conv(g, g.max_pool(x, 3, 1, (1,) * 4), module.pool, 1),
    )
    return g.op("Concat", *ways, channels=sum(way.channels for way in ways), axis=1)


def _conv(g: GraphBuilder, x: Value, channels: int, kernel: int, stride: int = 1) -> Value:
    return g.relu(g.conv(x, channels, kernel, stride, kernel // 2, bias=True))


def _normalized(g: GraphBuilder, x: Value) -> Value:
    return g.op("LRN", x, size=5, alpha=1e-4, beta=0.75, bias=1.0)
