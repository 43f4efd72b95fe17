"""The largest element or the mean of windows, as an operation of cuDNN."""

from collections.abc import Sequence
from math import prod

from dlc.analysis.dataflow import Cluster
from dlc.analysis.operand import is_inlined
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.data_layout import CHANNELS_LAST
from dlc.dialects.graph.max_pool import MaxPoolOp
from dlc.dialects.graph.pooling import PoolOp
from dlc.dialects.graph.reduction import ReduceMeanOp
from dlc.dialects.graph.sum_pool import AveragePoolOp
from dlc.dialects.graph.window import Window
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, shape
from dlc.libraries._cudnn.images import has_channels_together, positions, turned
from dlc.libraries._cudnn.kind import Asked, Kind, Member
from dlc.libraries._cudnn.streaming import streamed
from dlc.libraries._library import Price
from dlc.libraries._operation_graph import Operation, Tensor
from dlc.libraries._operations import Operations, row_strides

TYPES = ("f16", "bf16", "f32")
"""Element types."""

_LARGEST, _MEAN, _PADDED_MEAN = "max_pool", "average_pool", "padded_average_pool"
"""Names of operations. The mean is over the elements inside, or with the padding."""

_IMAGE = 4
"""Axes of an image, with its batch and channels."""

_TAP_S = 1e-12
"""What a tap of a window takes."""


def _operations(cluster: Cluster) -> Operations | None:
    """Return the operation of a cluster, ``None`` for one that does not begin with a pooling;
    raises CompileError with the reason why cuDNN does not compute it.
    """
    op = cluster.ops[0]
    if isinstance(op, MaxPoolOp | AveragePoolOp):
        _check_windows(op)
        name, windows = _name(op), op.windows
    elif isinstance(op, ReduceMeanOp):
        name, windows = _MEAN, _all_positions(op)
    else:
        return None
    _check(op, cluster)
    sizes = shape(op.operands[0])
    made = Operations()
    x = made.read(op.operands[0], turned(sizes), turned(row_strides(sizes)))
    pairs = tuple(zip(windows, sizes[1:-1], strict=True))
    results = (sizes[0], *(w.positions(n) for w, n in pairs), sizes[-1])
    numbers = (
        ("strides", tuple(w.stride for w in windows)),
        ("begins", tuple(w.begin for w in windows)),
        ("ends", tuple(_end(*pair) for pair in pairs)),
        ("taps", tuple(w.size for w in windows)),
    )
    output = made.between(turned(results), turned(row_strides(results)))
    made.operations.append(Operation(name, (x,), output, numbers))
    made.store(cluster.results[0])
    return made


def _name(op: PoolOp) -> str:
    if isinstance(op, MaxPoolOp):
        return _LARGEST
    assert isinstance(op, AveragePoolOp)
    return _MEAN if op.count_include_pad is None else _PADDED_MEAN


def _all_positions(op: ReduceMeanOp) -> Sequence[Window]:
    """Return windows of all positions of an image whose channels lie together."""
    rank = len(shape(op.x))
    if rank not in (4, 5) or op.reduced != tuple(range(1, rank - 1)):
        raise CompileError("cuDNN is given means of all positions of images")
    return [Window(n, n) for n in shape(op.x)[1:-1]]


def _end(window: Window, size: int) -> int:
    """Return the padding behind an axis with which the last window ends in it."""
    last = (window.positions(size) - 1) * window.stride + window.size
    return max(window.end, last - window.begin - size)


def _check_windows(op: PoolOp) -> None:
    if op.data_layout != CHANNELS_LAST or len(shape(op.x)) not in (4, 5):
        raise CompileError("cuDNN pools images of two or three axes, channels together")
    for window, size in zip(op.windows, shape(op.x)[1:-1], strict=True):
        if window.dilation > 1 or max(window.begin, _end(window, size)) >= window.size:
            raise CompileError("cuDNN pools windows without gaps, each with elements inside")
        if _name(op) == _PADDED_MEAN and _end(window, size) > window.end:
            raise CompileError("cuDNN counts what lies beyond the padding")


def _check(op: ComputedOp, cluster: Cluster) -> None:
    if len(cluster.ops) > 1:
        raise CompileError(f"cuDNN computes no {cluster.ops[1].name} beside a pooling here")
    own = {str(element_type(x)) for x in (*op.operands, *op.results)}
    if len(own) > 1 or not own <= set(TYPES):
        raise CompileError(f"cuDNN pools {', '.join(TYPES)} here")
    if is_inlined(op.operands[0]) or 0 in shape(op.operands[0]):
        raise CompileError("there is nothing in memory to pool")


def _fits(inputs: Sequence[Tensor], result: Tensor, operation: Operation) -> bool:
    """Return whether they are an image and what the windows of a pooling make, each of which has an
    element of the image.
    """
    (image,) = inputs
    if len(image.sizes) != len(result.sizes):
        return False
    if not all(map(has_channels_together, (image, result))):
        return False
    window = dict(operation.numbers)
    pads = zip(window["begins"], window["ends"], window["taps"], strict=True)
    if any(max(begin, end) >= taps for begin, end, taps in pads):
        return False
    wanted = (*image.sizes[:2], *positions(image.sizes[2:], window["taps"], operation))
    return wanted == result.sizes


def _fault(operation: Operation, tensors: Sequence[Tensor]) -> str | None:
    """Return what is wrong with windows where these tensors are read and made, ``None`` where
    nothing is: cuDNN 9.19 gives other values in ``bf16``, and loses a NaN among the largest
    elements over three axes.
    """
    if any(each.element == "bf16" for each in tensors):
        return "cuDNN computes wrong values of windows in bf16"
    if operation.name == _LARGEST and any(len(each.sizes) > _IMAGE for each in tensors):
        return "cuDNN loses a NaN among largest elements over three axes"
    return None


def _price(asked: Asked) -> Price:
    """Return the price of a pooling: of its bytes, and of the taps of its windows."""
    pooling = asked.graph.operations[0]
    windows = prod(asked.graph.tensors[pooling.output].sizes)
    return streamed(asked, _TAP_S * prod(dict(pooling.numbers)["taps"]) * windows)


KIND = Kind(
    name="pooling",
    plural="poolings",
    members=[Member(_LARGEST, (1,), 3), Member(_MEAN, (1,), 4), Member(_PADDED_MEAN, (1,), 2)],
    operations=_operations,
    fits=_fits,
    price=_price,
    lists=("strides", "begins", "ends", "taps"),
    fault=_fault,
)
"""Modes are those of ``cudnnResampleMode_t``."""
