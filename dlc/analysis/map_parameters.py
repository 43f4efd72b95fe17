"""The tensor maps that a kernel gets as parameters, after its buffers."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue

from dlc.core.locations import operation_text
from dlc.core.tensor_map import TensorMap
from dlc.dialects.gpu import KernelOp, MappedOp, TensorMapAttr
from dlc.errors import CompileError
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_bytes


@dataclass(frozen=True)
class MapParameter:
    """A tensor map of a buffer. operand: the number of the buffer among the kernel's arguments."""

    operand: int
    map: TensorMap
    element_bytes: int


def mapped_buffers(kernel: KernelOp) -> list[tuple[SSAValue, TensorMapAttr]]:
    """Return each buffer with each map of it, once, in the order of their first use.

    Raises CompileError for a buffer that is no argument of the kernel.
    """
    arguments: Sequence[SSAValue] = kernel.body.block.args
    found: dict[tuple[SSAValue, TensorMapAttr], None] = {}
    for op in kernel.walk():
        if isinstance(op, MappedOp):
            if op.mapped[0] not in arguments:
                raise CompileError(
                    "the host makes tensor maps of the kernel's arguments only",
                    at=operation_text(op),
                )
            found[op.mapped] = None
    return list(found)


def map_parameters(kernel: KernelOp) -> list[MapParameter]:
    """Return what the host has to encode for a launch of a kernel, in order."""
    arguments: list[SSAValue] = list(kernel.body.block.args)
    return [
        MapParameter(
            arguments.index(buffer), map.map, element_bytes(buffer_type(buffer).element_type)
        )
        for buffer, map in mapped_buffers(kernel)
    ]
