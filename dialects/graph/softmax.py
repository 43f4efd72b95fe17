"""Exponentials normalised along an axis, shifted by the largest element so that none overflows."""

from abc import ABC
from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, StringAttr, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from dlc.dialects.graph.arg_reduction import ArgMaxOp
from dlc.dialects.graph.comparison import CompareOp, IsInfOp, WhereOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.elementwise import DivOp
from dlc.dialects.graph.properties import integer
from dlc.dialects.graph.reduction import OverAxes
from dlc.dialects.graph.structure import Array, CompositeOp, GraphOp, SteppedOp
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, float_element, shape


class AlongAxisOp(CompositeOp, ABC):
    """A function of the rows along one axis of a float tensor, which keeps its shape."""

    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(type=i64))
    output = result_def(TensorType)
    assembly_format = "$x `axis` $axis attr-dict `:` type($x) `->` type($output)"

    def infer(self) -> Sequence[Attribute]:
        float_element(self.x)
        rank = len(shape(self.x))
        if not 0 <= self.axis.value.data < rank:
            raise CompileError(f"axis {self.axis.value.data} is outside a tensor of {rank} axes")
        return [self.x.type]

    @property
    def row_rank(self) -> int | None:
        return len(shape(self.x)) - self.axis.value.data

    def with_batch(self, operands: Sequence[SSAValue]) -> GraphOp:
        (x,) = operands
        axis = self.axis.value.data + len(shape(x)) - len(shape(self.x))
        return self.with_operands(operands, axis=integer(axis))

    def permuted(self, permutation: Sequence[int], operands: Sequence[SSAValue]) -> GraphOp | None:
        axis = list(permutation).index(self.axis.value.data)
        return self.with_operands(operands, axis=integer(axis))


@irdl_op_definition
class SoftmaxOp(AlongAxisOp):
    """``y = e**x / sum of e**x`` along ``axis``.

    ``%y = graph.softmax %x axis 1 : tensor<4x10xf32> -> tensor<4x10xf32>``
    """

    name = "graph.softmax"

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g, axis = Composer(insert), self.axis.value.data
        x = g.widen(self.x)
        e = g.exp(g.sub(x, g.max(x, axis)))
        # Exponentials are not exact, and one of each row is 1, so the sum is at least that.
        share = insert(DivOp.make(e, g.sum(e, axis), near=UnitAttr()))
        return [g.cast(share, element_type(self.x))]

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        e = np.exp(x - x.max(self.axis.value.data, keepdims=True))
        return e / e.sum(self.axis.value.data, keepdims=True)


@irdl_op_definition
class LogSoftmaxOp(AlongAxisOp):
    """``y = x - log(sum of e**x)`` along ``axis``."""

    name = "graph.log_softmax"

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g, axis = Composer(insert), self.axis.value.data
        x = g.widen(self.x)
        shifted = g.sub(x, g.max(x, axis))
        total = g.log(g.sum(g.exp(shifted), axis))
        return [g.cast(g.sub(shifted, total), element_type(self.x))]

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        return x - np.logaddexp.reduce(x, self.axis.value.data, keepdims=True)


@irdl_op_definition
class HardmaxOp(SteppedOp, AlongAxisOp):
    """``y``: 1 at the first largest element along ``axis``, 0 elsewhere."""

    name = "graph.hardmax"

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g, axis = Composer(insert), self.axis.value.data
        sizes = shape(self.x)
        positions = g.on_axis(g.positions(sizes[axis]), axis, len(sizes))
        best = g.reduce(ArgMaxOp, self.x, [axis])
        hit = insert(CompareOp.make(positions, best, predicate=StringAttr("eq")))
        return [g.cast(hit, element_type(self.x))]

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        axis = self.axis.value.data
        y = np.zeros_like(x)
        np.put_along_axis(y, np.expand_dims(x.argmax(axis), axis), 1, axis)
        return y


@irdl_op_definition
class ReduceLogSumExpOp(OverAxes, CompositeOp):
    """``y = log(sum of e**x)``."""

    name = "graph.reduce_log_sum_exp"

    def result_element(self) -> Attribute:
        return float_element(self.x)

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        g, axes = Composer(insert), self.reduced
        x = g.widen(self.x)
        largest = g.max(x, *axes)
        # An infinite shift would give inf - inf; the sum is right without one.
        infinite = insert(IsInfOp.make(largest))
        shift = insert(WhereOp.make(infinite, g.like(0, x), largest))
        y = g.add(shift, g.log(g.sum(g.exp(g.sub(x, shift)), *axes)))
        y = g.cast(y, element_type(self.x))
        return [g.reshape(y, shape(self.output))]

    def reference(self, *operands: Array) -> Array:
        return self.reduce_array(np.logaddexp.reduce, operands[0])


OPERATIONS = [SoftmaxOp, LogSoftmaxOp, HardmaxOp, ReduceLogSumExpOp]
