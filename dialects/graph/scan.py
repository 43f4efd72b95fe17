"""Running sums and products: every element sees those before it along an axis."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from dlc.dialects.graph.computed import Domain, Index, ReductionOp, Scope
from dlc.dialects.graph.gather import check_axis
from dlc.dialects.graph.properties import integer
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.dialects.loop.scalar import Predicate, ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.tensor import compute_type, element_type, shape


class ScanOp(ReductionOp, ABC):
    """``y[.., i, ..]`` combines ``x[.., k, ..]`` for ``k <= i`` along ``axis``.

    ``exclusive``: ``k < i``. ``reverse``: from the end, ``k >= i``. The contributions of an element
    are those of the whole axis, of which it takes some: a lowering that knows no better computes
    each element on its own, with as many steps as the axis is long.
    """

    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(type=i64))
    exclusive = opt_prop_def(UnitAttr)
    reverse = opt_prop_def(UnitAttr)
    output = result_def(TensorType)
    assembly_format = (
        "$x `axis` $axis (`exclusive` $exclusive^)? (`reverse` $reverse^)? attr-dict"
        " `:` type($x) `->` type($output)"
    )

    @property
    @abstractmethod
    def neutral(self) -> int:
        """The result of combining nothing."""

    @property
    def start(self) -> float:
        """What is combined first; unlike ``neutral`` it need not be the result of nothing."""
        return self.neutral

    def infer(self) -> Sequence[Attribute]:
        check_axis(self.axis.value.data, len(shape(self.x)))
        if element_type(self.x) == i1:
            raise CompileError("works on numbers, not on booleans")
        return [self.x.type]

    def permuted(self, permutation: Sequence[int], operands: Sequence[SSAValue]) -> GraphOp | None:
        return self.with_operands(
            operands, axis=integer(list(permutation).index(self.axis.value.data))
        )

    @property
    def domain(self) -> Domain:
        sizes = shape(self.x)
        return Domain(sizes, (sizes[self.axis.value.data],))

    @property
    def least_points(self) -> int:
        return prod(self.domain.parallel)  # each element needs one combination more

    def identity(self, b: ScalarBuilder) -> Sequence[SSAValue]:
        return [b.constant(self.start, compute_type(element_type(self.x)))]

    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        b, axis = scope.b, self.axis.value.data
        x = scope.read(self.x, [*index[:axis], reduction[0], *index[axis + 1 :]])
        distance = scope.integer(reduction[0] - index[axis], i64)
        takes = b.compare(self._predicate(), distance, b.constant(0, i64))
        return [b.select(takes, x, self.identity(b)[0])]

    def _predicate(self) -> Predicate:
        if self.exclusive is None:
            return "le" if self.reverse is None else "ge"
        return "lt" if self.reverse is None else "gt"

    def finish(
        self, scope: Scope, index: Index, accumulators: Sequence[SSAValue], result: int = 0
    ) -> SSAValue:
        return scope.b.wrap(accumulators[0], element_type(self.output))

    def flops(self) -> int:
        return self.least_points

    @abstractmethod
    def accumulate(self, x: Array, axis: int) -> Array:
        """Return the running combination from the front in numpy."""

    def reference(self, *operands: Array) -> Array:
        axis = self.axis.value.data
        x = np.flip(operands[0], axis) if self.reverse is not None else operands[0]
        if self.exclusive is not None:
            first = np.full_like(x.take([0] if x.shape[axis] else [], axis), self.neutral)
            x = np.concatenate([first, x.take(range(x.shape[axis] - 1), axis)], axis)
        y = self.accumulate(x, axis).astype(x.dtype)
        return np.flip(y, axis) if self.reverse is not None else y


@irdl_op_definition
class CumSumOp(ScanOp):
    """``y[i] = sum of x[k] for k <= i``; integers wrap around.

    ``%y = graph.cum_sum %x axis 1 exclusive : tensor<2x5xf32> -> tensor<2x5xf32>``
    """

    name = "graph.cum_sum"

    @property
    def neutral(self) -> int:
        return 0

    @property
    def start(self) -> float:
        # -0.0 keeps the sign of every zero that is added to it; the sum of nothing is 0.0.
        return 0.0 if self.exclusive is not None else -0.0

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        return [b.add(left[0], right[0])]

    def accumulate(self, x: Array, axis: int) -> Array:
        return np.cumsum(x, axis)


@irdl_op_definition
class CumProdOp(ScanOp):
    """``y[i] = product of x[k] for k <= i``; integers wrap around."""

    name = "graph.cum_prod"

    @property
    def neutral(self) -> int:
        return 1

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        return [b.mul(left[0], right[0])]

    def accumulate(self, x: Array, axis: int) -> Array:
        return np.cumprod(x, axis)


OPERATIONS = [CumSumOp, CumProdOp]
