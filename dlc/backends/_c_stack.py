"""What a kernel takes of the stack of the thread that runs it."""

from math import prod

from xdsl.ir import Region

from dlc.arch import STACK_BYTES
from dlc.core.locations import operation_text
from dlc.dialects.loop import AllocOp, KernelOp
from dlc.errors import CompileError
from dlc.ir.space import buffer_type
from dlc.ir.tensor import element_bytes


def check_stack(kernel: KernelOp) -> None:
    """Raise CompileError for a kernel whose buffers could end the stack of a thread."""
    if (needed := _live_bytes(kernel.body)) > STACK_BYTES:
        raise CompileError(
            f"kernel {kernel.sym_name.data} needs {needed} bytes of a thread's stack, which may "
            f"have {STACK_BYTES}",
            at=operation_text(kernel),
        )


def _live_bytes(region: Region) -> int:
    """Return the most bytes of buffers that are alive at a time: those of loops after each other
    lie in the same place.
    """
    ops = [op for block in region.blocks for op in block.ops]
    own = sum(_bytes(op) for op in ops if isinstance(op, AllocOp))
    return own + max((_live_bytes(inner) for op in ops for inner in op.regions), default=0)


def _bytes(op: AllocOp) -> int:
    type = buffer_type(op.buffer)
    return prod(type.get_shape()) * element_bytes(type.element_type)
