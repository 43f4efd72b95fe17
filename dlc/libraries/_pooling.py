"""The largest element or the mean of windows, as an operation of cuDNN."""

from collections.abc import Sequence

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
from dlc.libraries._elementwise import turned
from dlc.libraries._operation_graph import Operation, Tensor
from dlc.libraries._operations import Operations, row_strides

TYPES = ("f16", "bf16", "f32")
"""Element types."""

MODES = {"max_pool": 3, "average_pool": 4, "padded_average_pool": 2}
"""``cudnnResampleMode_t``. The mean is over the elements inside, or with the padding."""


_IMAGE = 4
"""Axes of an image, with its batch and channels."""


def fault_of_largest(tensors: Sequence[Tensor]) -> str | None:
    """Return what is wrong with largest elements where these tensors are read and made, ``None``
    where nothing is: cuDNN 9.19 gives other values in ``bf16``, and loses a NaN over three axes.
    """
    if any(each.element == "bf16" for each in tensors):
        return "cuDNN finds wrong largest elements of bf16"
    if any(len(each.sizes) > _IMAGE for each in tensors):
        return "cuDNN loses a NaN among largest elements over three axes"
    return None


def pooling(op: ComputedOp, cluster: Cluster) -> Operations | None:
    """Return the operation of a cluster whose first op is ``op``, ``None`` where that is no
    pooling; raises CompileError with the reason why cuDNN does not compute it.
    """
    if isinstance(op, MaxPoolOp | AveragePoolOp):
        _check_windows(op)
        name, windows = _name(op), op.windows
    elif isinstance(op, ReduceMeanOp):
        name, windows = "average_pool", _all_positions(op)
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
        return "max_pool"
    assert isinstance(op, AveragePoolOp)
    return "average_pool" if op.count_include_pad is None else "padded_average_pool"


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
        if _name(op) == "padded_average_pool" and _end(window, size) > window.end:
            raise CompileError("cuDNN counts what lies beyond the padding")


def _check(op: ComputedOp, cluster: Cluster) -> None:
    if len(cluster.ops) > 1:
        raise CompileError(f"cuDNN computes no {cluster.ops[1].name} beside a pooling here")
    own = {str(element_type(x)) for x in (*op.operands, *op.results)}
    if len(own) > 1 or not own <= set(TYPES):
        raise CompileError(f"cuDNN pools {', '.join(TYPES)} here")
    if is_inlined(op.operands[0]) or 0 in shape(op.operands[0]):
        raise CompileError("there is nothing in memory to pool")
