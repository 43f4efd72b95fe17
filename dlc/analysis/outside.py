"""What a function may do itself: everything else is for kernels."""

from xdsl.ir import Operation
from xdsl.traits import IsTerminator

from dlc.core.locations import operation_text
from dlc.dialects.fused_group import LaunchOp
from dlc.dialects.graph.structure import GraphOp
from dlc.errors import CompileError


def check_outside(op: Operation) -> None:
    """Raise CompileError unless ``op`` launches a kernel, ends the function or costs nothing."""
    allowed = isinstance(op, LaunchOp) or op.has_trait(IsTerminator)
    if isinstance(op, GraphOp):
        allowed = op.is_constant or op.is_view or op.operand_offsets is not None
    if not allowed:
        raise CompileError(
            f"{op.name} is in no group; run --fuse before this pass", at=operation_text(op)
        )
