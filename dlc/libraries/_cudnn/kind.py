"""A kind of operations of cuDNN: all that is known of it stands in one file."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from dlc.analysis.dataflow import Cluster
from dlc.arch import GpuArch
from dlc.libraries._library import Price
from dlc.libraries._operation_graph import Operation, OperationGraph, Tensor
from dlc.libraries._operations import Operations

MANY = 8
"""As many algorithms are tried where cuDNN has a dozen engines."""


@dataclass(frozen=True)
class Asked:
    """A graph of operations that a chip is to compute. bytes: what crosses to and from memory.
    type: that in which products with weights are multiplied, where there are such.
    """

    graph: OperationGraph
    bytes: int
    type: str
    chip: GpuArch


@dataclass(frozen=True)
class Member:
    """An operation of a kind. name: in a call. inputs: how many it may have. mode: the number by
    which cuDNN tells it from the others.
    """

    name: str
    inputs: Sequence[int]
    mode: int = 0


def _no_fault(_: Operation, __: Sequence[Tensor]) -> str | None:
    return None


@dataclass(frozen=True)
class Kind:
    """name: of the file of C with its ``cudnn_describe_<name>``, which makes the descriptor of an
    operation. plural: what messages call it. members: its operations.

    operations: those of a cluster, ``None`` for a cluster of another kind; raises CompileError with
    the reason why cuDNN does not compute it. fits: whether tensors of inputs and of the result, and
    the lists of an operation, fit each other. price: of a graph that begins with it. lists: of one
    number for each axis of a window. fault: what cuDNN itself does wrong with such tensors.
    algorithms: how many are tried; most have one engine or two. is_product: whether it multiplies,
    for which a chip needs a unit.
    """

    name: str
    plural: str
    members: Sequence[Member]
    operations: Callable[[Cluster], Operations | None]
    fits: Callable[[Sequence[Tensor], Tensor, Operation], bool]
    price: Callable[[Asked], Price]
    lists: Sequence[str] = ()
    fault: Callable[[Operation, Sequence[Tensor]], str | None] = _no_fault
    algorithms: int = 2
    is_product: bool = False
