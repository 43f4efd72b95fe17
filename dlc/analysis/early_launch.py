"""What decides whether a kernel may begin before the launches before it have ended."""

from math import prod

from xdsl.ir import SSAValue

from dlc.analysis.buffers import Buffers
from dlc.arch import GpuArch
from dlc.dialects.fused_group import LaunchOp
from dlc.dialects.gpu import KernelOp
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_bytes


def constant_operands(launch: LaunchOp, buffers: Buffers) -> set[int]:
    """Return the numbers of the operands that are weights or constants."""
    owners = [buffers.place(value)[0].owner for value in launch.inputs]
    return {n for n, op in enumerate(owners) if isinstance(op, GraphOp) and op.is_constant}


def gains_by_beginning_early(kernel: KernelOp, constant: set[int], chip: GpuArch) -> bool:
    """Return whether a kernel is small and may begin early: its buffers but weights and constants
    have at most ``early_launch_bytes``, and its blocks need not be resident together.
    """
    buffers = enumerate(kernel.body.block.args)
    bytes = sum(_size(buffer) for number, buffer in buffers if number not in constant)
    return kernel.cooperative is None and bytes <= chip.early_launch_bytes


def _size(buffer: SSAValue) -> int:
    type = buffer_type(buffer)
    return prod(type.get_shape()) * element_bytes(type.element_type)
