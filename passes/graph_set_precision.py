"""Compute a model in the precision that its user asked for."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat, FloatAttr, ModuleOp, TensorType, bf16, f16, f32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.weights import WeightStore, WeightType
from dlc.dialects._tensor import element_type, numpy_dtype, shape
from dlc.dialects.graph._cast import CastOp
from dlc.dialects.graph._precision import Precision, PrecisionAttr
from dlc.dialects.graph._source import ConstantOp, WeightOp, dense_attribute
from dlc.dialects.graph._structure import Array, ContractionOp, GraphOp

_STORED: dict[str, AnyFloat] = {"fp16": f16, "bf16": bf16}


@dataclass(frozen=True)
class GraphSetPrecisionPass(DlcPass):
    """Store and multiply ``f32`` tensors in another precision.

    ``fp16``, ``bf16``: every ``f32`` tensor inside the model, weights included, gets 16 bits; sums
    still accumulate in ``f32``, and inputs and outputs keep their types (a cast stands at each).
    Finite constants beyond the range of the type become its largest finite value, so that masks
    of -3e38 do not become infinite, and nonzero ones do not become 0. ``tf32``: tensors stay
    ``f32``, contractions round their factors to 10 bits of mantissa. ``fp32``: nothing changes;
    contractions are IEEE.

    Runs on: ``graph``. Leaves: ``graph``. Order: before ``graph-fold-constants``.

    ::

        %y = graph.exp %x : …f32  ->  %0 = graph.cast %x {to = f16} : …f32 -> …f16
                                      %1 = graph.exp %0 : …f16
                                      %y = graph.cast %1 {to = f32} : …f16 -> …f32
    """

    name = "graph-set-precision"

    precision: Literal["fp32", "tf32", "fp16", "bf16"] = "fp32"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.precision in _STORED:
            narrowing = _Narrowing(_STORED[self.precision], dlc_context(ctx).weights)
            for function in op.ops:
                if isinstance(function, func.FuncOp):
                    narrowing.apply(function.body.block)
        elif self.precision == "tf32":
            for candidate in op.walk():
                if (
                    isinstance(candidate, ContractionOp)
                    and element_type(candidate.results[0]) == f32
                ):
                    candidate.properties["precision"] = PrecisionAttr(Precision.tf32)


class _Narrowing:
    """The change of every ``f32`` tensor of a function to a narrower type."""

    def __init__(self, narrow: AnyFloat, weights: WeightStore):
        self.narrow = narrow
        self.weights = weights

    def apply(self, block: Block) -> None:
        last = block.last_op
        assert isinstance(last, func.ReturnOp)
        wide = [x.type for x in last.operands]
        ops = list(block.ops)
        for argument in block.args:
            if element_type(argument) == f32:
                self._cast_argument(argument, block)
        for op in ops:
            if isinstance(op, GraphOp):
                self._narrow(op)
        for number, type in enumerate(wide):
            if last.operands[number].type != type:
                cast = CastOp.make(last.operands[number], to=element_type(type))
                Rewriter.insert_op(cast, InsertPoint.before(last))
                last.operands[number] = cast.results[0]

    def _cast_argument(self, argument: SSAValue, block: Block) -> None:
        cast = CastOp.make(argument, to=self.narrow)
        argument.replace_uses_with_if(
            cast.results[0], lambda use: not isinstance(use.operation, CastOp | func.ReturnOp)
        )
        Rewriter.insert_op(cast, InsertPoint.at_start(block))

    def _narrow(self, op: GraphOp) -> None:
        if isinstance(op, WeightOp | ConstantOp):
            if element_type(op.output) == f32:
                self._replace(op, self._narrow_source(op))
            return
        for key, value in list(op.properties.items()):
            op.properties[key] = self._narrow_property(value)
        if op.is_constant and element_type(op.results[0]) == f32:
            type = TensorType(self.narrow, shape(op.results[0]))
            Rewriter.replace_value_with_new_type(op.results[0], type)
        op.update_types()

    def _replace(self, op: Operation, new: Operation) -> None:
        new.location = op.location
        Rewriter.replace_op(op, new)

    def _narrow_source(self, op: WeightOp | ConstantOp) -> Operation:
        if isinstance(op, ConstantOp):
            return ConstantOp(dense_attribute(self._saturated(op.reference())))
        symbol = op.symbol.string_value()
        type = WeightType(shape(op.output), numpy_dtype(self.narrow))
        name = self.weights.information(symbol)
        derived = self.weights.derive(name, type, [symbol], self._saturated)
        return WeightOp(derived, TensorType(self.narrow, shape(op.output)))

    def _narrow_property(self, value: Attribute) -> Attribute:
        if value == f32:
            return self.narrow
        if isinstance(value, FloatAttr) and value.type == f32:
            number = float(self._saturated(np.asarray(value.value.data)))
            return FloatAttr(number, self.narrow)
        return value

    def _saturated(self, array: Array) -> Array:
        """Return ``array`` rounded, finite values kept finite and nonzero ones nonzero."""
        dtype = numpy_dtype(self.narrow)
        with np.errstate(all="ignore"):
            largest = np.asarray(np.nextafter(dtype.type(np.inf), dtype.type(0)), array.dtype)
            smallest = np.asarray(np.nextafter(dtype.type(0), dtype.type(1)), array.dtype)
            clipped = np.where(np.isfinite(array), np.clip(array, -largest, largest), array)
            raised = np.where(
                clipped == 0, clipped, np.copysign(np.maximum(np.abs(clipped), smallest), clipped)
            )
            return raised.astype(dtype)
