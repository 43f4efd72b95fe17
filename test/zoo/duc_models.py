"""DUC with hybrid dilated convolutions (Wang and others, arXiv 1702.08502), as TuSimple defines it
for MXNet: a dilated ResNet-101 with a stem of three convolutions, and four dilated convolutions
that make the classes of 4x4 cells of 2x2 pixels each.
"""

from graph_builder import GraphBuilder, Value
from onnx import ModelProto
from weight_filling import Filling

_GAIN = 0.25
CLASSES = 19
CELL = 16
"""Cells that one place of the last layer stands for."""
SIZE = 800
_RATES = (2, 5, 9, 1)
STAGES = (
    (256, 1, (1,) * 3),
    (512, 2, (1,) * 4),
    (1024, 1, (2, *(_RATES[i % 4] for i in range(22)))),
    (2048, 1, (5, 9, 17)),
)
"""Channels, stride of the first block, dilation of each block."""


def duc(filling: Filling) -> ModelProto:
    """Return the model that gives each cell of 800x800 pixels a class of Cityscapes."""
    g = GraphBuilder(filling, (3, SIZE, SIZE))
    x = g.data
    for channels, stride in ((64, 2), (64, 1), (128, 1)):
        x = g.relu(g.batch_norm(g.conv(x, channels, 3, stride, 1)))
    x = g.max_pool(x, 3, 2)
    for channels, first, dilations in STAGES:
        for block, dilation in enumerate(dilations):
            x = _block(g, x, channels, 1 if block else first, dilation)
    rates = (6, 12, 18, 24)
    ways = [g.conv(x, CELL * CLASSES, 3, 1, r, dilation=r, bias=True) for r in rates]
    x = g.op("Reshape", g.op("Sum", *ways), g.sizes_weight(0, CLASSES, -1), channels=CLASSES)
    places = (((SIZE // 2 - 3) // 2 + 1 + 1) // 2) ** 2
    return g.model(g.op("Softmax", x, axis=1), CLASSES, CELL * places)


def _block(g: GraphBuilder, x: Value, channels: int, stride: int, dilation: int) -> Value:
    inner = channels // 4
    same = channels == x.channels
    kept = x if same else g.batch_norm(g.conv(x, channels, 1, stride))
    y = g.relu(g.batch_norm(g.conv(x, inner, 1, stride)))
    y = g.relu(g.batch_norm(g.conv(y, inner, 3, 1, dilation, dilation=dilation)))
    y = g.batch_norm(g.conv(y, channels, 1), _GAIN)
    return g.relu(g.op("Add", y, kept))
