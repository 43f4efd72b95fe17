"""Functions of elements alone, as operations of cuDNN."""

from collections.abc import Sequence
from math import prod

from dlc.analysis.dataflow import Cluster
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, shape
from dlc.libraries._cudnn.chain import Chain
from dlc.libraries._cudnn.functions import FUNCTIONS, function_of
from dlc.libraries._cudnn.images import Sizes
from dlc.libraries._cudnn.kind import Kind, Member
from dlc.libraries._cudnn.streaming import streamed
from dlc.libraries._operation_graph import Operation, Tensor
from dlc.libraries._operations import Operations

TYPES = ("f16", "bf16", "f32")
"""Element types."""


def _operations(cluster: Cluster) -> Operations | None:
    """Return the operations of a cluster all of whose ops are cuDNN's functions, ``None`` for
    another one; raises CompileError with the reason why cuDNN does not compute them.
    """
    if not all(map(function_of, cluster.ops)):
        return None
    result = cluster.results[0]
    if 0 in shape(result) or not shape(result):
        raise CompileError("there are no elements to compute")
    types = {str(element_type(x)) for op in cluster.ops for x in (*op.operands, *op.results)}
    if len(types) > 1 or not types <= set(TYPES):
        raise CompileError(f"cuDNN computes elements of {', '.join(TYPES)} here")
    chain = Chain(cluster, shape(result), view=_as_image)
    for op in cluster.ops:
        chain.follow(op)
    if not chain.operations.inputs:
        raise CompileError("there is nothing in memory to read")
    chain.operations.store(result)
    return chain.operations


def _as_image(sizes: Sequence[int]) -> tuple[int, ...]:
    """Return the sizes of an image whose positions are all axes but the last one."""
    return (1, prod(sizes[:-1]), 1, sizes[-1])


def _fits(inputs: Sequence[Tensor], result: Tensor, operation: Operation) -> bool:
    """Return whether the first one has the sizes of the result, and others these or ones."""
    return inputs[0].sizes == result.sizes and all(
        _is_broadcast(each.sizes, result.sizes) for each in inputs
    )


def _is_broadcast(sizes: Sizes, result: Sizes) -> bool:
    """Return whether each size is that of the result, or 1."""
    return len(sizes) == len(result) and all(
        n in (1, whole) for n, whole in zip(sizes, result, strict=True)
    )


KIND = Kind(
    name="pointwise",
    plural="functions",
    members=[Member(each.name, (each.inputs,), each.mode) for each in FUNCTIONS],
    operations=_operations,
    fits=_fits,
    price=streamed,
)
"""Modes are those of ``cudnnPointwiseMode_t``."""
