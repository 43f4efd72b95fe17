"""Tensors made from positions: sequences of numbers, triangles."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import (
    FloatAttr,
    IntegerAttr,
    TensorType,
    UnitAttr,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from dlc.dialects.graph.computed import Index, Scope
from dlc.dialects.graph.movement import MovementOp
from dlc.dialects.graph.properties import element_value
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.ir.tensor import compute_type, element_type, numpy_dtype, shape


@irdl_op_definition
class RangeOp(MovementOp):
    """``y[i] = start + i * step`` for ``i`` below ``size``, in the element type of ``start``.

    ``%y = graph.range {start = 0 : i64, step = 2 : i64, size = 3 : i64} -> tensor<3xi64>``
    """

    name = "graph.range"
    start = prop_def(FloatAttr | IntegerAttr)
    step = prop_def(FloatAttr | IntegerAttr)
    size = prop_def(IntegerAttr)
    output = result_def(TensorType)
    assembly_format = "attr-dict `->` type($output)"

    def infer(self) -> Sequence[Attribute]:
        if self.start.type != self.step.type:
            raise CompileError("start and step have different types")
        if self.size.value.data < 0:
            raise CompileError(f"the size {self.size.value.data} is negative")
        return [TensorType(self.start.type, [self.size.value.data])]

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        b, type = scope.b, compute_type(self.start.type)
        position = b.cast(scope.integer(index[0], i64), type)
        start = b.constant(element_value(self.start), type)
        step = b.constant(element_value(self.step), type)
        return b.wrap(b.add(start, b.mul(position, step)), self.start.type)

    def reference(self, *operands: Array) -> Array:
        dtype = numpy_dtype(self.start.type)
        positions = np.arange(self.size.value.data, dtype=np.int64)
        values = element_value(self.start) + positions * element_value(self.step)
        return values.astype(dtype)


@irdl_op_definition
class TriluOp(MovementOp):
    """``y[..., i, j] = x[..., i, j]`` where ``j - i <= diagonal``, else 0; ``upper``: ``>=``."""

    name = "graph.trilu"
    x = operand_def(TensorType)
    diagonal = prop_def(IntegerAttr)
    upper = opt_prop_def(UnitAttr)
    output = result_def(TensorType)
    assembly_format = "$x attr-dict `:` type($x) `->` type($output)"

    def infer(self) -> Sequence[Attribute]:
        if len(shape(self.x)) < 2:
            raise CompileError(f"needs a tensor of two or more axes, got {len(shape(self.x))}")
        return [self.x.type]

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        b = scope.b
        offset = scope.integer(index[-1] - index[-2], i64)
        predicate = "le" if self.upper is None else "ge"
        kept = b.compare(predicate, offset, b.constant(self.diagonal.value.data, i64))
        x = scope.read(self.x, index)
        return b.select(kept, x, b.constant(0, compute_type(element_type(self.x))))

    def reference(self, *operands: Array) -> Array:
        triangle = np.tril if self.upper is None else np.triu
        return triangle(operands[0], self.diagonal.value.data)


OPERATIONS = [RangeOp, TriluOp]
