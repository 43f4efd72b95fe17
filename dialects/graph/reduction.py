"""Reductions over axes."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects import math
from xdsl.dialects.builtin import DenseArrayBase, TensorType, UnitAttr, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from dlc.dialects.graph.computed import Domain, Index, ReductionOp, Scope, SummingOp
from dlc.dialects.graph.elementwise import truncated_quotient
from dlc.dialects.graph.properties import integers
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.tensor import (
    compute_type,
    element_bytes,
    element_type,
    float_element,
    is_float,
    numpy_dtype,
    shape,
)


class OverAxes(GraphOp, ABC):
    """An op that reduces its operand over ``axes``; they become size 1 or, by default, vanish."""

    x = operand_def(TensorType)
    axes = prop_def(DenseArrayBase.constr(i64))
    keep_dims = opt_prop_def(UnitAttr)
    output = result_def(TensorType)
    assembly_format = (
        "$x `axes` $axes (`keep_dims` $keep_dims^)? attr-dict `:` type($x) `->` type($output)"
    )

    def infer(self) -> Sequence[Attribute]:
        return [TensorType(self.result_element(), self.result_shape())]

    def result_element(self) -> Attribute:
        """Return the element type of the result."""
        return element_type(self.x)

    @property
    def reduced(self) -> tuple[int, ...]:
        """The axes that are reduced, ascending."""
        return tuple(int(a) for a in self.axes.get_values())

    def result_shape(self) -> list[int]:
        """Return the sizes of the result; raises CompileError for axes that the operand lacks."""
        sizes, axes = shape(self.x), self.reduced
        if list(axes) != sorted(set(axes) & set(range(len(sizes)))):
            raise CompileError(
                f"axes {list(axes)} must ascend and lie between 0 and {len(sizes) - 1}"
            )
        if self.keep_dims is not None:
            return [1 if a in axes else n for a, n in enumerate(sizes)]
        return [n for a, n in enumerate(sizes) if a not in axes]

    @property
    def domain(self) -> Domain:
        """The iteration space: the result's axes, then the reduced ones."""
        return Domain(shape(self.output), tuple(shape(self.x)[a] for a in self.reduced))

    def operand_index(self, index: Index, reduction: Index) -> list[AffineExpr]:
        """Return the operand's index at a point of the iteration space."""
        kept = iter(index)
        inner = iter(reduction)
        result: list[AffineExpr] = []
        for axis in range(len(shape(self.x))):
            if axis in self.reduced:
                result.append(next(inner))
                if self.keep_dims is not None:
                    next(kept)
            else:
                result.append(next(kept))
        return result

    def permuted(self, permutation: Sequence[int], operands: Sequence[SSAValue]) -> GraphOp | None:
        axes = [new for new, old in enumerate(permutation) if old in self.reduced]
        return self.with_operands(operands, axes=integers(axes))

    def reduce_array(self, function: Callable[..., Array], x: Array) -> Array:
        """Return ``function`` of numpy over the axes."""
        return function(x, axis=self.reduced, keepdims=self.keep_dims is not None)


class ReduceOp(OverAxes, ReductionOp, ABC):
    """A reduction whose accumulator is one scalar of the operand's compute type."""

    def prepare(self, b: ScalarBuilder, x: SSAValue) -> SSAValue:
        """Write what one element contributes."""
        return x

    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        x = scope.read(self.x, self.operand_index(index, reduction))
        return [self.prepare(scope.b, x)]

    def flops(self) -> int:
        return self.domain.points


class SumOp(SummingOp, ReduceOp, ABC):
    """A reduction that adds contributions; integers wrap around at the end."""

    def finish(
        self, scope: Scope, index: Index, accumulators: Sequence[SSAValue], result: int = 0
    ) -> SSAValue:
        return scope.b.wrap(self.conclude(scope.b, accumulators[0]), element_type(self.output))

    def conclude(self, b: ScalarBuilder, total: SSAValue) -> SSAValue:
        """Write the result from the sum of all contributions."""
        return total


@irdl_op_definition
class ReduceSumOp(SumOp):
    """``y = sum of x``.

    ``%y = graph.reduce_sum %x axes [1] keep_dims : tensor<4x8xf32> -> tensor<4x1xf32>``
    """

    name = "graph.reduce_sum"

    def reference(self, *operands: Array) -> Array:
        return self.reduce_array(np.sum, operands[0]).astype(operands[0].dtype)


@irdl_op_definition
class ReduceMeanOp(SumOp):
    """``y = sum of x / count``; integers truncate towards zero. Of 16 bits as ``graph.div``.

    The sum of integers wraps around in 64 bits, of those below 32 bits in 32.
    """

    name = "graph.reduce_mean"

    def _count(self) -> int:
        return int(np.prod([shape(self.x)[a] for a in self.reduced], dtype=np.int64))

    def conclude(self, b: ScalarBuilder, total: SSAValue) -> SSAValue:
        count = b.constant(
            self._count() if is_float(total.type) else max(1, self._count()), total.type
        )
        is_short = element_bytes(element_type(self.x)) < element_bytes(total.type)
        if is_float(total.type) and is_short:
            return b.near_quotient(total, count)
        return b.of(element_type(self.x)).div(total, count)

    def reference(self, *operands: Array) -> Array:
        x = operands[0]
        if x.dtype.kind == "f":
            return self.reduce_array(np.sum, x) / self._count()
        wide = (
            x if x.dtype == np.uint64 else x.astype(numpy_dtype(compute_type(element_type(self.x))))
        )
        total = self.reduce_array(np.sum, wide).astype(wide.dtype)
        return truncated_quotient(total, np.asarray(self._count(), wide.dtype)).astype(x.dtype)


@irdl_op_definition
class ReduceSumSquareOp(SumOp):
    """``y = sum of x * x``."""

    name = "graph.reduce_sum_square"

    def prepare(self, b: ScalarBuilder, x: SSAValue) -> SSAValue:
        return b.mul(x, x)

    def reference(self, *operands: Array) -> Array:
        return self.reduce_array(np.sum, np.square(operands[0])).astype(operands[0].dtype)


@irdl_op_definition
class ReduceL1Op(SumOp):
    """``y = sum of |x|``."""

    name = "graph.reduce_l1"

    def prepare(self, b: ScalarBuilder, x: SSAValue) -> SSAValue:
        return b.of(element_type(self.x)).absolute(x)

    def reference(self, *operands: Array) -> Array:
        return self.reduce_array(np.sum, np.abs(operands[0])).astype(operands[0].dtype)


class FloatSumOp(SumOp, ABC):
    """A sum with a float function at the end."""

    def result_element(self) -> Attribute:
        return float_element(self.x)


@irdl_op_definition
class ReduceL2Op(FloatSumOp):
    """``y = sqrt(sum of x * x)``."""

    name = "graph.reduce_l2"

    def prepare(self, b: ScalarBuilder, x: SSAValue) -> SSAValue:
        return b.mul(x, x)

    def conclude(self, b: ScalarBuilder, total: SSAValue) -> SSAValue:
        return b.math(math.SqrtOp, total)

    def reference(self, *operands: Array) -> Array:
        return np.sqrt(self.reduce_array(np.sum, np.square(operands[0])))


@irdl_op_definition
class ReduceLogSumOp(FloatSumOp):
    """``y = log(sum of x)``."""

    name = "graph.reduce_log_sum"

    def conclude(self, b: ScalarBuilder, total: SSAValue) -> SSAValue:
        return b.math(math.LogOp, total)

    def reference(self, *operands: Array) -> Array:
        return np.log(self.reduce_array(np.sum, operands[0]))


@irdl_op_definition
class ReduceProdOp(ReduceOp):
    """``y = product of x``; integers wrap around."""

    name = "graph.reduce_prod"

    def identity(self, b: ScalarBuilder) -> Sequence[SSAValue]:
        return [b.constant(1, compute_type(element_type(self.x)))]

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        return [b.mul(left[0], right[0])]

    def finish(
        self, scope: Scope, index: Index, accumulators: Sequence[SSAValue], result: int = 0
    ) -> SSAValue:
        return scope.b.wrap(accumulators[0], element_type(self.output))

    def reference(self, *operands: Array) -> Array:
        return self.reduce_array(np.prod, operands[0]).astype(operands[0].dtype)


class ExtremumOp(ReduceOp, ABC):
    """The largest or smallest element; NaN when one element is NaN. Over nothing: the identity."""

    @property
    @abstractmethod
    def identity_value(self) -> float | int:
        """The value that never wins."""

    def result_element(self) -> Attribute:
        element = element_type(self.x)
        if element == i1:
            raise CompileError("works on numbers, not on booleans; cast to ui8")
        return element

    def identity(self, b: ScalarBuilder) -> Sequence[SSAValue]:
        return [b.constant(self.identity_value, compute_type(element_type(self.x)))]


def lowest(element: Attribute) -> float | int:
    """Return the smallest value of an element type, as its compute type can hold it."""
    return -np.inf if is_float(element) else int(np.iinfo(numpy_dtype(element)).min)


def highest(element: Attribute) -> float | int:
    """Return the largest value of an element type, as its compute type can hold it."""
    return np.inf if is_float(element) else int(np.iinfo(numpy_dtype(element)).max)


@irdl_op_definition
class ReduceMaxOp(ExtremumOp):
    """``y = largest of x``."""

    name = "graph.reduce_max"

    @property
    def identity_value(self) -> float | int:
        return lowest(element_type(self.x))

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        return [b.of(element_type(self.x)).maximum(left[0], right[0])]

    def reference(self, *operands: Array) -> Array:
        start = operands[0].dtype.type(self.identity_value)
        return self.reduce_array(lambda x, **k: np.max(x, initial=start, **k), operands[0])


@irdl_op_definition
class ReduceMinOp(ExtremumOp):
    """``y = smallest of x``."""

    name = "graph.reduce_min"

    @property
    def identity_value(self) -> float | int:
        return highest(element_type(self.x))

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        return [b.of(element_type(self.x)).minimum(left[0], right[0])]

    def reference(self, *operands: Array) -> Array:
        start = operands[0].dtype.type(self.identity_value)
        return self.reduce_array(lambda x, **k: np.min(x, initial=start, **k), operands[0])


OPERATIONS = [
    ReduceSumOp,
    ReduceMeanOp,
    ReduceSumSquareOp,
    ReduceL1Op,
    ReduceL2Op,
    ReduceLogSumOp,
    ReduceProdOp,
    ReduceMaxOp,
    ReduceMinOp,
]
