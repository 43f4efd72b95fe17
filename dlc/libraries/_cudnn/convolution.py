"""A convolution and what is made of its elements, as operations of cuDNN."""

from collections.abc import Sequence

from dlc.analysis.dataflow import Cluster
from dlc.analysis.operand import is_inlined, is_weight
from dlc.dialects.graph.convolution import ConvOp
from dlc.dialects.graph.data_layout import CHANNELS_LAST
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, shape
from dlc.libraries._cudnn.chain import Chain
from dlc.libraries._cudnn.convolution_price import convolution_price, has_only_bias
from dlc.libraries._cudnn.images import (
    has_channels_apart,
    has_channels_together,
    positions,
    turned,
)
from dlc.libraries._cudnn.kind import MANY, Kind, Member
from dlc.libraries._operation_graph import Operation, Tensor
from dlc.libraries._operations import Operations, row_strides

TYPES = ("f16", "bf16", "f32")
"""Element types."""

_VOLUME = 3
"""Axes of a window."""


def _operations(cluster: Cluster) -> Operations | None:
    """Return the operations of a cluster, ``None`` for one that does not begin with a convolution;
    raises CompileError with the reason why cuDNN does not compute it.
    """
    conv, *rest = cluster.ops
    if not isinstance(conv, ConvOp):
        return None
    _check(conv)
    chain = Chain(cluster, shape(conv.output), conv.data_layout)
    made = chain.operations
    inputs = (made.read(conv.x, *_place(shape(conv.x), conv)), _weight(made, conv))
    windows = conv.windows
    numbers = (
        ("strides", tuple(w.stride for w in windows)),
        ("begins", tuple(w.begin for w in windows)),
        ("ends", tuple(w.end for w in windows)),
        ("dilations", tuple(w.dilation for w in windows)),
    )
    output = chain.between(conv.output)
    made.operations.append(Operation("convolution", inputs, output, numbers))
    made.is_rounding = conv.precision is not None
    for op in rest:
        chain.follow(op)
    if _is_followed_by_bias_only(conv) and not has_only_bias(made.graph()):
        raise CompileError(
            "behind a convolution with channels first, or of f32 over three axes, cuDNN computes "
            "only a sum with a vector of the channels and a relu"
        )
    made.store(cluster.results[0])
    return made


def _is_followed_by_bias_only(conv: ConvOp) -> bool:
    """Return whether cuDNN 9 has engines for little behind a convolution."""
    is_full = str(element_type(conv.x)) == "f32" and conv.precision is None
    return conv.data_layout != CHANNELS_LAST or (is_full and len(conv.windows) == _VOLUME)


def _place(sizes: Sequence[int], conv: ConvOp) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return sizes and strides of a tensor in the layout of a convolution."""
    return turned(sizes, conv.data_layout), turned(row_strides(sizes), conv.data_layout)


def _order(conv: ConvOp) -> tuple[int, ...]:
    """Return the order in which cuDNN reads the axes of a weight: its channels stand where those of
    the image do. cuDNN takes any strides of it, and then reads it as if they were these.
    """
    outputs, inputs, axes = conv.weight_layout.axes(len(shape(conv.weight)))
    return (
        (outputs, *axes, inputs) if conv.data_layout == CHANNELS_LAST else (outputs, inputs, *axes)
    )


def _weight(made: Operations, conv: ConvOp) -> int:
    """Return the number of the tensor of the weight."""
    order = _order(conv)
    sizes = tuple(shape(conv.weight)[axis] for axis in order)
    return made.read(conv.weight, *_place(sizes, conv), order)


def _check(conv: ConvOp) -> None:
    elements = {str(element_type(x)) for x in (*conv.operands, conv.output)}
    if len(elements) > 1 or not elements <= set(TYPES):
        raise CompileError(f"cuDNN convolves {', '.join(TYPES)} here")
    if len(shape(conv.output)) not in (4, 5):
        raise CompileError("cuDNN convolves two or three axes")
    if any(map(is_inlined, conv.operands)) or 0 in (*shape(conv.output), *shape(conv.weight)):
        raise CompileError("there is nothing in memory to convolve")
    if list(_order(conv)) != sorted(_order(conv)) and not is_weight(conv.weight):
        raise CompileError("cuDNN is given a weight in the layout of the image, or a constant one")


def _fits(inputs: Sequence[Tensor], result: Tensor, operation: Operation) -> bool:
    """Return whether they are an image, a weight, and what the windows of a convolution make."""
    tensors = (*inputs, result)
    if not any(all(map(layout, tensors)) for layout in (has_channels_together, has_channels_apart)):
        return False
    x, weight = (each.sizes for each in inputs)
    if not len(x) == len(weight) == len(result.sizes):
        return False
    window = dict(operation.numbers)
    extents = [(n - 1) * d + 1 for n, d in zip(weight[2:], window["dilations"], strict=True)]
    wanted = (x[0], weight[0], *positions(x[2:], extents, operation))
    is_grouped = x[1] % weight[1] == 0 and weight[0] % (x[1] // weight[1]) == 0
    return is_grouped and wanted == result.sizes


KIND = Kind(
    name="convolution",
    plural="convolutions",
    members=[Member("convolution", (2,))],
    operations=_operations,
    fits=_fits,
    price=convolution_price,
    lists=("strides", "begins", "ends", "dilations"),
    algorithms=MANY,
    is_product=True,
)
