"""Fourier transforms of fixed length, as products with a matrix of sines and cosines."""

import numpy as np
from xdsl.ir import SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.convolution import ConvOp
from dlc.dialects.graph.properties import integers, normalized_axis
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.ir.tensor import DYNAMIC, element_type, numpy_dtype, shape


def fourier_matrix(taken: int, length: int, parts: int, bins: int, inverse: bool = False) -> Array:
    """Return the matrix ``[taken, parts, bins, 2]`` of a transform of ``length`` elements.

    taken: the elements that are there; the others count as 0. parts: 1 for real elements, 2 for
    complex ones (real, then imaginary part).
    """
    angle = 2 * np.pi * np.outer(np.arange(taken), np.arange(bins)) / length
    cosine, sine = np.cos(angle), np.sin(angle) if inverse else -np.sin(angle)
    real, imaginary = np.stack([cosine, sine], -1), np.stack([-sine, cosine], -1)
    matrix = np.stack([real, imaginary][:parts], 1)
    return matrix / length if inverse else matrix


def real_inverse_matrix(taken: int, length: int) -> Array:
    """Return the matrix ``[taken, 2, length, 1]`` that makes ``length`` real elements of the first
    half of their transform; the other half is its mirror image.
    """
    bins, places = np.arange(taken), np.arange(length)
    twice = np.where((bins == 0) | (2 * bins == length), 1, 2)[:, None] / length
    angle = 2 * np.pi * np.outer(bins, places) / length
    return np.stack([twice * np.cos(angle), -twice * np.sin(angle)], 1)[..., None]


@converts("DFT", since=17)
def _dft_along_attribute(node: NodeContext) -> SSAValue:
    return _dft(node, node.integer("axis", 1))


@converts("DFT", since=20)
def _dft_along_input(node: NodeContext) -> SSAValue:
    return _dft(node, -2 if node.optional(2) is None else int(node.require_constant(2, "axis")))


def _dft(node: NodeContext, axis: int) -> SSAValue:
    g, x = Composer(node.insert), node.operand(0)
    sizes = shape(x)
    axis = normalized_axis(axis, len(sizes))
    if DYNAMIC in sizes or sizes[-1] not in (1, 2) or axis == len(sizes) - 1:
        raise CompileError(f"DFT needs fixed sizes and a last axis of 1 or 2, got {list(sizes)}")
    matrix = _matrix(node, sizes[axis], sizes[-1])
    taken, parts, *made = matrix.shape
    flat = matrix.reshape(taken * parts, -1).astype(numpy_dtype(element_type(x)))
    order = [*(a for a in range(len(sizes) - 1) if a != axis), axis, len(sizes) - 1]
    kept = [sizes[a] for a in order[:-2]]
    rows = g.reshape(g.transpose(g.part(x, axis, 0, taken), order), [-1, taken * parts])
    y = g.reshape(g.matmul(rows, node.constant_value(flat)), [*kept, *made])
    return g.transpose(y, [order.index(a) for a in range(len(sizes))])


def _matrix(node: NodeContext, size: int, parts: int) -> Array:
    """Return the matrix of the transform that the node describes, of ``size`` elements."""
    inverse, one_sided = bool(node.integer("inverse", 0)), bool(node.integer("onesided", 0))
    length = 2 * (size - 1) if inverse and one_sided else size
    if node.optional(1) is not None:
        length = int(node.require_constant(1, "length").item())
    if inverse and one_sided:
        if parts != 2:
            raise CompileError("the inverse of a onesided DFT needs complex elements")
        return real_inverse_matrix(min(length // 2 + 1, size), length)
    bins = length // 2 + 1 if one_sided else length
    return fourier_matrix(min(length, size), length, parts, bins, inverse)


@converts("STFT", since=17)
def _stft(node: NodeContext) -> SSAValue:
    """Every frame is the position of a convolution whose weights are the windowed waves."""
    g, signal, window = Composer(node.insert), node.operand(0), node.optional(2)
    sizes = shape(signal)
    if len(sizes) == 2:
        signal, sizes = g.reshape(signal, [*sizes, 1]), (*sizes, 1)
    if node.optional(3) is not None:
        length = int(node.require_constant(3, "frame length").item())
    elif window is not None:
        length = shape(window)[0]
    else:
        raise CompileError("STFT needs a window or a frame length")
    bins = length // 2 + 1 if node.integer("onesided", 1) else length
    matrix = fourier_matrix(length, length, sizes[-1], bins)
    waves = matrix.transpose(2, 3, 1, 0).reshape(bins * 2, sizes[-1], length)
    weight = node.constant_value(waves.astype(numpy_dtype(element_type(signal))))
    if window is not None:
        weight = g.mul(weight, window)
    frames = node.insert(
        ConvOp.make(
            g.transpose(signal, [0, 2, 1]),
            weight,
            strides=integers([int(node.require_constant(1, "frame step").item())]),
            padding=integers([0, 0]),
            dilations=integers([1]),
        )
    )
    batch, _, count = shape(frames)
    return g.transpose(g.reshape(frames, [batch, bins, 2, count]), [0, 3, 1, 2])
