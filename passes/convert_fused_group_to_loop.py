"""Write each distinct group as a kernel of loops over buffers; launch it where the group was."""

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation
from xdsl.rewriter import InsertPoint, Rewriter
from xdsl.traits import IsTerminator

from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.dialects.fused_group import GroupOp, LaunchOp
from dlc.dialects.graph._structure import GraphOp
from dlc.dialects.loop._structure import KernelOp
from dlc.errors import CompileError
from dlc.lowering._kernels import kernel_key, lower_group

GENERATED = "generated"
"""The backend of a group whose kernel we write; groups of other backends stay."""


class ConvertFusedGroupToLoopPass(DlcPass):
    """Groups that compute the same on other operands (the layers of a model) share one kernel.

    Runs on: ``fused_group`` without composite ops. Leaves: ``loop`` kernels, and functions of
    launches, constants and views. Order: after ``fuse``, ``tile`` and ``graph-decompose``.
    """

    name = "convert-fused-group-to-loop"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels: dict[object, KernelOp] = {}
        for function in tuple(op.ops):
            if isinstance(function, FuncOp) and function.body.blocks:
                for inner in tuple(function.body.block.ops):
                    _convert(inner, kernels)
        functions = tuple(op.ops)
        if functions and kernels:
            Rewriter.insert_op(tuple(kernels.values()), InsertPoint.before(functions[0]))


def _convert(op: Operation, kernels: dict[object, KernelOp]) -> None:
    if not isinstance(op, GroupOp):
        _check_outside(op)
        return
    if op.backend.data != GENERATED:
        return
    key = kernel_key(op)
    if key not in kernels:
        kernels[key] = lower_group(op, op.sym_name.data)
        kernels[key].location = op.location
    launch = LaunchOp(kernels[key].sym_name.data, op.inputs, op.outputs.types)
    launch.location = op.location
    Rewriter.replace_op(op, launch)


def _check_outside(op: Operation) -> None:
    allowed = isinstance(op, LaunchOp) or op.has_trait(IsTerminator)
    if isinstance(op, GraphOp):
        allowed = op.is_constant or op.is_view
    if not allowed:
        raise CompileError(
            f"{op.name} is in no group; run --fuse before this pass", at=operation_text(op)
        )
