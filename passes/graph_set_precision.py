"""Compute a model in the precision that its user asked for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects import func
from xdsl.dialects.builtin import AnyFloat, FloatAttr, ModuleOp, TensorType, f32
from xdsl.ir import Attribute, Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.evaluation import is_known
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.weights import WeightStore, WeightType
from dlc.dialects.graph.cast import CastOp
from dlc.dialects.graph.computed import ContractionOp
from dlc.dialects.graph.precision import STORED, ModelPrecision, Precision, PrecisionAttr
from dlc.dialects.graph.source import ConstantOp, WeightOp, dense_attribute
from dlc.dialects.graph.structure import Array, BodyOp, GraphOp
from dlc.dialects.graph.wide import BoundOp
from dlc.ir.tensor import element_type, numpy_dtype, shape


@dataclass(frozen=True)
class GraphSetPrecisionPass(DlcPass):
    """Store and multiply ``f32`` tensors in another precision.

    ``fp16``, ``bf16``: every ``f32`` tensor inside the model, weights included, gets 16 bits; sums
    still accumulate in ``f32``, and inputs and outputs keep their types (a cast stands at each).
    Finite constants beyond the range of the type become its largest finite value, so that masks
    of -3e38 do not become infinite, and nonzero ones do not become 0. What is computed between a
    ``graph.widen`` and a ``graph.narrow`` stays ``f32``. ``tf32``: tensors stay ``f32``,
    contractions round their factors to 10 bits of mantissa. ``fp32``: contractions are IEEE. No
    ``graph.widen`` and ``graph.narrow`` is left.

    Runs on: ``graph``. Leaves: ``graph``. Order: before ``graph-fold-constants``.

    ::

        %y = graph.exp %x : …f32  ->  %0 = graph.cast %x {to = f16} : …f32 -> …f16
                                      %1 = graph.exp %0 : …f16
                                      %y = graph.cast %1 {to = f32} : …f16 -> …f32
    """

    name = "graph-set-precision"

    precision: ModelPrecision = "fp32"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        if self.precision in STORED:
            narrowing = _Narrowing(STORED[self.precision], dlc_context(ctx).weights)
            for function in op.ops:
                if isinstance(function, func.FuncOp):
                    narrowing.apply(function.body.block)
            return
        for candidate in op.walk():
            if isinstance(candidate, BoundOp):
                Rewriter.replace_op(candidate, [], [candidate.x])
            elif self.precision == "tf32" and _is_product_of_f32(candidate):
                candidate.properties["precision"] = PrecisionAttr(Precision.tf32)


def _is_product_of_f32(op: Operation) -> bool:
    return isinstance(op, ContractionOp) and element_type(op.results[0]) == f32


def _opens(source: Operation | Block) -> bool:
    return isinstance(source, BoundOp) and source.OPENS


def _wide_ops(ops: Sequence[Operation]) -> set[Operation]:
    """Return those of ``ops`` that compute from a ``graph.widen``, up to the ``graph.narrow``."""
    wide: set[Operation] = set()
    for op in ops:
        if isinstance(op, BoundOp):
            continue
        if any(_opens(x.owner) or x.owner in wide for x in op.operands):
            wide.add(op)
    return wide


def _cast_operands(last: Operation, types: Sequence[Attribute]) -> None:
    """Cast the first operands of the end of a block to ``types`` where they have others."""
    for number, type in enumerate(types):
        if last.operands[number].type != type:
            cast = CastOp.make(last.operands[number], to=element_type(type))
            Rewriter.insert_op(cast, InsertPoint.before(last))
            last.operands[number] = cast.results[0]


class _Narrowing:
    """The change of every ``f32`` tensor of a function to a narrower type."""

    def __init__(self, narrow: AnyFloat, weights: WeightStore):
        self.narrow = narrow
        self.weights = weights
        self.wide: set[Operation] = set()

    def apply(self, block: Block) -> None:
        last = block.last_op
        assert isinstance(last, func.ReturnOp)
        wide = [x.type for x in last.operands]
        ops = list(block.ops)
        self._note_wide(ops)
        for argument in block.args:
            if element_type(argument) == f32:
                self._cast_argument(argument, block)
        self._narrow_all(ops)
        _cast_operands(last, wide)

    def _note_wide(self, ops: Sequence[Operation]) -> None:
        self.wide |= _wide_ops(ops)
        for op in reversed(ops):
            if isinstance(op, GraphOp) and op.operands and op not in self.wide:
                self._keep_known(op)

    def _narrow_all(self, ops: Sequence[Operation]) -> None:
        for op in ops:
            if isinstance(op, GraphOp):
                self._narrow(op)

    def _narrow_body(self, op: BodyOp) -> None:
        """Give a body the types of what its op reads, also to what its next run takes."""
        body = op.regions[0].block
        ops = list(body.ops)
        self._note_wide(ops)
        op.update_arguments()
        self._narrow_all(ops)
        last = body.last_op
        assert last is not None
        _cast_operands(last, op.kept_types)

    def _cast_argument(self, argument: SSAValue, block: Block) -> None:
        cast = CastOp.make(argument, to=self.narrow)
        argument.replace_uses_with_if(
            cast.results[0], lambda use: not isinstance(use.operation, CastOp | func.ReturnOp)
        )
        Rewriter.insert_op(cast, InsertPoint.at_start(block))

    def _narrow(self, op: GraphOp) -> None:
        if op in self.wide:
            return
        if isinstance(op, BoundOp):
            self._replace(op, CastOp.make(op.x, to=f32 if op.OPENS else self.narrow))
        elif op.is_constant and element_type(op.results[0]) == f32:
            self._narrow_constant(op)
        else:
            self._narrow_properties(op)
            if isinstance(op, BodyOp):
                self._narrow_body(op)
            op.update_types()

    def _keep_known(self, op: GraphOp) -> None:
        """Give the wide readers of ``op`` a wide one if it computes from constants alone."""
        readers = [use.operation in self.wide for x in op.results for use in x.uses]
        if not any(readers) or not all(map(is_known, op.operands)):
            return
        if all(readers):
            self.wide.add(op)
            return
        wide = op.clone()
        Rewriter.insert_op(wide, InsertPoint.before(op))
        for old, new in zip(op.results, wide.results, strict=True):
            old.replace_uses_with_if(new, lambda use: use.operation in self.wide)
        self.wide.add(wide)

    def _narrow_constant(self, op: GraphOp) -> None:
        """Write a narrow ``op``; it stays itself for those of its readers that are wide."""
        old = op.results[0]
        if old.uses and all(use.operation in self.wide for use in old.uses):
            return
        new = self._narrow_source(op)
        new.location = op.location
        Rewriter.insert_op(new, InsertPoint.before(op))
        old.replace_uses_with_if(new.results[0], lambda use: use.operation not in self.wide)
        if not old.uses:
            Rewriter.erase_op(op)

    def _replace(self, op: Operation, new: Operation) -> None:
        new.location = op.location
        Rewriter.replace_op(op, new)

    def _narrow_source(self, op: GraphOp) -> Operation:
        if isinstance(op, ConstantOp):
            return ConstantOp(dense_attribute(self._saturated(op.reference())))
        type = TensorType(self.narrow, shape(op.results[0]))
        if not isinstance(op, WeightOp):
            new = op.clone()
            Rewriter.replace_value_with_new_type(new.results[0], type)
            self._narrow_properties(new)
            return new
        symbol = op.symbol.string_value()
        stored = WeightType(shape(op.output), numpy_dtype(self.narrow))
        name = self.weights.information(symbol)
        return WeightOp(self.weights.derive(name, stored, [symbol], self._saturated), type)

    def _narrow_properties(self, op: GraphOp) -> None:
        for key, value in list(op.properties.items()):
            op.properties[key] = self._narrow_property(value)

    def _narrow_property(self, value: Attribute) -> Attribute:
        if value == f32:
            return self.narrow
        if isinstance(value, FloatAttr) and value.type == f32:
            return FloatAttr(float(self._saturated(np.asarray(value.value.data))), self.narrow)
        return value

    def _saturated(self, array: Array) -> Array:
        """Return ``array`` rounded, finite values kept finite and nonzero ones nonzero."""
        dtype = numpy_dtype(self.narrow)
        with np.errstate(all="ignore"):
            largest = np.nextafter(dtype.type(np.inf), dtype.type(0))
            smallest = np.nextafter(dtype.type(0), dtype.type(1))
            rounded, size = array.astype(dtype), np.abs(array)
            for lost, kept in (
                ((size > float(largest)) & (size < np.inf), largest),
                ((size < float(smallest)) & (size > 0), smallest),
            ):
                if lost.any():
                    rounded[lost] = np.copysign(kept, rounded[lost])
            return rounded
