"""Convolutions, images and what they are resampled to."""

from collections.abc import Callable, Sequence

import numpy as np
from graph_maker import GraphMaker, SmallModel


def _convolutional() -> SmallModel:
    """Convolutions, folded scales, pools that reach over the edge, a residual sum, a classifier."""
    g = GraphMaker()
    x = g.normal("x", 1, 3, 19, 14)
    y = g.op("Conv", x, g.weight(10, 3, 3, 3), g.weight(10), strides=[2, 1], pads=[1, 0, 2, 1])
    statistics = [g.weight(10) for _ in range(3)]
    variance = g.constant(g.generator.uniform(0.5, 2, 10), np.float32)
    y = g.op("BatchNormalization", y, *statistics, variance, epsilon=0.1)
    y = g.op("Relu", y)
    y = pooled = g.op("MaxPool", y, kernel_shape=[3, 2], strides=[2, 1], pads=[1, 1, 0, 0])
    y = g.op("Conv", y, g.weight(10, 5, 3, 3), group=2, dilations=[2, 1], pads=[2, 1, 2, 1])
    y = g.op("Add", y, pooled)
    y = g.op("AveragePool", y, kernel_shape=[2, 3], pads=[0, 1, 1, 1], count_include_pad=0)
    y = g.op("Clip", y, g.constant(-0.5, np.float32), g.constant(6.0, np.float32))
    y = g.op("GlobalAveragePool", y)
    y = g.op("Flatten", y)
    y = g.op("Gemm", y, g.weight(7, 10), g.weight(7), transB=1, alpha=0.5, beta=2.0)
    return g.model("convolutional", [y])


def _separable() -> SmallModel:
    """Depthwise and transposed convolutions, and the normalisations that are not folded."""
    g = GraphMaker(1)
    x = g.normal("x", 2, 6, 9, 11)
    y = g.op("Conv", x, g.weight(6, 1, 3, 3), group=6, pads=[1, 1, 1, 1])
    y = g.op("HardSwish", y)
    y = g.op("Conv", y, g.weight(6, 6, 2, 2), auto_pad="SAME_LOWER")
    y = g.op("ConvTranspose", y, g.weight(6, 4, 3, 3), strides=[2, 2], output_padding=[1, 0])
    y = g.op("InstanceNormalization", y, g.weight(4), g.weight(4), epsilon=0.01)
    y = g.op("PRelu", y, g.weight(4, 1, 1))
    y = g.op("LRN", y, size=3, alpha=0.5, beta=0.75, bias=2.0)
    y = g.op("LeakyRelu", y, alpha=0.2)
    y = g.op("LpPool", y, kernel_shape=[2, 2], strides=[2, 2], p=2)
    return g.model("separable", [y])


def _resampling() -> SmallModel:
    """Resize in its modes, padding in its modes, pixels to depth and back."""
    g = GraphMaker(5)
    x = g.normal("x", 1, 4, 7, 9)
    scales = g.constant([1, 1, 1.7, 0.6], np.float32)
    linear = g.op("Resize", x, "", scales, mode="linear")
    cubic = g.op(
        "Resize", x, "", "", g.ints(1, 4, 10, 13), mode="cubic", cubic_coeff_a=-0.5,
        coordinate_transformation_mode="align_corners",
    )  # fmt: skip
    nearest = g.op(
        "Resize", x, "", g.constant([1, 1, 2, 1.5], np.float32), mode="nearest",
        coordinate_transformation_mode="asymmetric", nearest_mode="floor",
    )  # fmt: skip
    reflected = g.op("Pad", x, g.ints(0, 0, 2, 1, 0, 0, 3, 2), mode="reflect")
    filled = g.op("Pad", x, g.ints(0, 1, 0, 2, 1, 0, 2, 0), g.constant(-3.5, np.float32))
    deep = g.op("DepthToSpace", x, blocksize=2, mode="CRD")
    return g.model("resampling", [linear, cubic, nearest, reflected, filled, deep])


def _image_fp16() -> SmallModel:
    """A convolution that is a matrix product in 16 bits, and a row that is normalised."""
    g = GraphMaker(13)
    x = g.normal("x", 2, 16, 13, 13)
    y = g.op("Conv", x, g.weight(40, 16, 3, 3), g.weight(40), pads=[1, 1, 1, 1])
    y = g.op("Mul", y, g.op("Sigmoid", y))
    y = g.op("MaxPool", y, kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1])
    y = g.op("Conv", y, g.weight(24, 40, 1, 1), strides=[2, 2])
    y = g.op("Reshape", y, g.ints(2, 24, -1))
    return g.model("image fp16", [g.op("Softmax", y, axis=1)], "fp16")


def _windows_fp16() -> SmallModel:
    """Convolutions of so few channels a group that threads do them, a concatenation between."""
    g = GraphMaker(19)
    x = g.normal("x", 1, 32, 56, 56)
    y = g.op("Conv", x, g.weight(32, 1, 5, 5), g.weight(32), group=32, pads=[2, 2, 2, 2])
    y = g.op("Conv", y, g.weight(32, 1, 3, 3), group=32, pads=[1, 1, 1, 1], strides=[2, 2])
    y = g.op("Mul", y, g.op("Sigmoid", y))
    z = g.op("AveragePool", y, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    y = g.op("Relu", g.op("Mul", g.op("Concat", y, z, axis=1), g.weight(64, 1, 1, scale=1.0)))
    y = g.op("Conv", y, g.weight(64, 4, 3, 3), g.weight(64), group=16, pads=[1, 1, 1, 1])
    y = g.op("Conv", g.op("Relu", y), g.weight(8, 64, 1, 1))
    return g.model("windows fp16", [y], "fp16")


def _groups_fp16() -> SmallModel:
    """A convolution in groups of 16 channels, some of which share a tile."""
    g = GraphMaker(20)
    x = g.normal("x", 4, 128, 28, 28)
    y = g.op("Conv", x, g.weight(128, 16, 3, 3), g.weight(128), group=8, pads=[1, 1, 1, 1])
    y = g.op("Conv", g.op("Relu", y), g.weight(8, 128, 1, 1))
    return g.model("groups fp16", [y], "fp16")


def _dense() -> SmallModel:
    """Layers of which each reads all before it, joined along channels, and branches that meet."""
    g = GraphMaker(30)
    x = g.normal("x", 2, 8, 9, 7)
    parts = [g.op("Relu", g.op("Conv", x, g.weight(16, 8, 3, 3), pads=[1, 1, 1, 1]))]
    for channels in (16, 24, 32):
        y = parts[0] if len(parts) == 1 else g.op("Concat", *parts, axis=1)
        y = g.op("Relu", g.op("Mul", y, g.weight(channels, 1, 1, scale=1.0)))
        parts.append(g.op("Conv", y, g.weight(8, channels, 3, 3), pads=[1, 1, 1, 1]))
    y = g.op("Concat", *parts, axis=1)
    left = g.op("Relu", g.op("Conv", y, g.weight(24, 40, 1, 1)))
    right = g.op("MaxPool", y, kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    both = g.op("Concat", left, right, axis=1)
    again = g.op("Concat", g.op("Conv", both, g.weight(8, 64, 1, 1)), left, axis=1)
    return g.model("dense", [both, g.op("Conv", again, g.weight(4, 32, 1, 1))])


MODELS: Sequence[Callable[[], SmallModel]] = (
    _convolutional,
    _separable,
    _resampling,
    _image_fp16,
    _windows_fp16,
    _groups_fp16,
    _dense,
)
