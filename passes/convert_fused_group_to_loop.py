"""Write each distinct group as a kernel of loops over buffers; launch it where the group was."""

from collections.abc import Mapping

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType
from xdsl.dialects.func import FuncOp
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.outside import check_outside
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.weights import WeightStore, WeightType
from dlc.dialects.fused_group import GroupOp, LaunchOp
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.loop.structure import KernelOp
from dlc.ir.tensor import element_type, numpy_dtype
from dlc.lowering.job import Repacked
from dlc.lowering.kernel_key import kernel_key
from dlc.strategies import lower_group

Lowered = tuple[KernelOp, Mapping[int, Repacked]]
"""A kernel, and by operand the weights that it takes in another form."""


class ConvertFusedGroupToLoopPass(DlcPass):
    """Groups that compute the same on other operands (the layers of a model) share one kernel.

    Runs on: ``fused_group`` without composite ops. Leaves: ``loop`` kernels, and functions of
    launches, constants and views. Order: after ``fuse``, ``tile`` and ``graph-decompose``.
    """

    name = "convert-fused-group-to-loop"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        conversion = _Conversion(dlc_context(ctx).weights)
        for function in tuple(op.ops):
            if isinstance(function, FuncOp) and function.body.blocks:
                for inner in tuple(function.body.block.ops):
                    conversion.convert(inner)
        functions, kernels = tuple(op.ops), conversion.kernels.values()
        if functions and kernels:
            Rewriter.insert_op(tuple(k for k, _ in kernels), InsertPoint.before(functions[0]))


class _Conversion:
    """kernels: what was lowered so far, by what it depends on."""

    def __init__(self, weights: WeightStore):
        self.weights = weights
        self.kernels: dict[object, Lowered] = {}
        self._repacked: dict[tuple[str, Repacked], SSAValue] = {}

    def convert(self, op: Operation) -> None:
        """Replace a group by a launch; check that anything else needs no kernel."""
        if not isinstance(op, GroupOp):
            check_outside(op)
            return
        key = kernel_key(op)
        if key not in self.kernels:
            self.kernels[key] = lower_group(op, op.sym_name.data)
            self.kernels[key][0].location = op.location
        kernel, repacked = self.kernels[key]
        inputs = list(op.inputs)
        for number, form in repacked.items():
            inputs[number] = self._repack(inputs[number], form)
        launch = LaunchOp(kernel.sym_name.data, inputs, op.outputs.types)
        launch.location = op.location
        Rewriter.replace_op(op, launch)

    def _repack(self, value: SSAValue, form: Repacked) -> SSAValue:
        """Return a weight in the form that a kernel takes; made once for all its launches."""
        old = value.owner
        assert isinstance(old, WeightOp)
        key = (old.symbol.string_value(), form)
        if key not in self._repacked:
            self._repacked[key] = self._insert_repacked(old, form)
        return self._repacked[key]

    def _insert_repacked(self, old: WeightOp, form: Repacked) -> SSAValue:
        symbol, element = old.symbol.string_value(), element_type(old.output)
        stored = WeightType(form.sizes, numpy_dtype(element))
        if symbol in self.weights:
            name = self.weights.information(symbol)
            symbol = self.weights.derive(name, stored, [symbol], form.pack)
        new = WeightOp(symbol, TensorType(element, form.sizes))
        new.location = old.location
        Rewriter.insert_op(new, InsertPoint.after(old))
        return new.output
