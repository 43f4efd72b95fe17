"""VGG with and without batch normalization (Simonyan and Zisserman, arXiv 1409.1556), as MXNet's
Gluon exports them: a Flatten before each fully connected layer, no Softmax.
"""

from graph_builder import GraphBuilder
from onnx import ModelProto
from weight_filling import Filling

CONVOLUTIONS = {16: (2, 2, 3, 3, 3), 19: (2, 2, 4, 4, 4)}


def vgg(filling: Filling, depth: int, normalized: bool = False) -> ModelProto:
    """Return VGG of a depth in ``CONVOLUTIONS``."""
    g = GraphBuilder(filling, (3, 224, 224))
    x = g.data
    for count, channels in zip(CONVOLUTIONS[depth], (64, 128, 256, 512, 512), strict=True):
        for _ in range(count):
            x = g.conv(x, channels, 3, 1, 1, bias=True)
            x = g.relu(g.batch_norm(x) if normalized else x)
        x = g.max_pool(x, 2, 2)
    for inputs in (512 * 7 * 7, 4096):
        x = g.op("Dropout", g.relu(g.gemm(g.op("Flatten", x), inputs, 4096)))
    return g.model(g.gemm(g.op("Flatten", x), 4096, 1000), 1000)
