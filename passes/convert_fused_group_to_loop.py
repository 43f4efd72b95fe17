"""Write each distinct group as a kernel of loops over buffers; launch it where the group was."""

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.weights import WeightStore, WeightType
from dlc.dialects._tensor import element_type, numpy_dtype
from dlc.dialects.fused_group import GroupOp, LaunchOp
from dlc.dialects.graph._source import WeightOp
from dlc.dialects.loop._structure import KernelOp
from dlc.lowering._job import Repacked
from dlc.lowering._kernels import kernel_key, lower_group
from dlc.lowering._outside import check_outside

Lowered = tuple[KernelOp, Mapping[int, Repacked]]
"""A kernel, and by operand the weights that it takes in another form."""


class ConvertFusedGroupToLoopPass(DlcPass):
    """Groups that compute the same on other operands (the layers of a model) share one kernel.

    Runs on: ``fused_group`` without composite ops. Leaves: ``loop`` kernels, and functions of
    launches, constants and views. Order: after ``fuse``, ``tile`` and ``graph-decompose``.
    """

    name = "convert-fused-group-to-loop"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        kernels: dict[object, Lowered] = {}
        weights = dlc_context(ctx).weights
        for function in tuple(op.ops):
            if isinstance(function, FuncOp) and function.body.blocks:
                for inner in tuple(function.body.block.ops):
                    _convert(inner, kernels, weights)
        functions = tuple(op.ops)
        if functions and kernels:
            made = tuple(kernel for kernel, _ in kernels.values())
            Rewriter.insert_op(made, InsertPoint.before(functions[0]))


def _convert(op: Operation, kernels: dict[object, Lowered], weights: WeightStore) -> None:
    if not isinstance(op, GroupOp):
        check_outside(op)
        return
    if not op.is_generated:
        return
    key = kernel_key(op)
    if key not in kernels:
        kernels[key] = lower_group(op, op.sym_name.data)
        kernels[key][0].location = op.location
    kernel, repacked = kernels[key]
    inputs = list(op.inputs)
    for number, form in repacked.items():
        inputs[number] = _repack(inputs[number], form, weights)
    launch = LaunchOp(kernel.sym_name.data, inputs, op.outputs.types)
    launch.location = op.location
    Rewriter.replace_op(op, launch)


def _repack(value: SSAValue, form: Repacked, weights: WeightStore) -> SSAValue:
    """Return a weight in the form that a kernel takes."""
    old = value.owner
    assert isinstance(old, WeightOp)
    symbol = old.symbol.string_value()
    stored = WeightType(form.sizes, numpy_dtype(element_type(value)))
    if symbol in weights:
        name = weights.information(symbol)
        symbol = weights.derive(name, stored, [symbol], form.pack)
    new = WeightOp(symbol, TensorType(element_type(value), form.sizes))
    new.location = old.location
    Rewriter.insert_op(new, InsertPoint.after(old))
    return new.output
