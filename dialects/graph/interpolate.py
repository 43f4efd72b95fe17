"""Weighted sums of elements that a table names: resizing along one axis."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from dlc.dialects.graph.computed import Domain, Index, Scope, SummingOp
from dlc.dialects.graph.gather import check_axis, nearest
from dlc.dialects.graph.movement import indexed
from dlc.dialects.graph.structure import Array, IndexLimits
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, is_float, shape


@irdl_op_definition
class InterpolateOp(SummingOp):
    """``y[.., p, ..] = sum over t of weights[p, t] * x[.., places[p, t], ..]`` along ``axis``.

    ``%y = graph.interpolate %x places %p weights %w axis 1
    : tensor<2x3xf32>, tensor<6x2xi64>, tensor<6x2xf32> -> tensor<2x6xf32>``
    """

    name = "graph.interpolate"
    x = operand_def(TensorType)
    places = operand_def(TensorType)
    weights = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(type=i64))
    output = result_def(TensorType)
    assembly_format = (
        "$x `places` $places `weights` $weights `axis` $axis attr-dict"
        " `:` type($x) `,` type($places) `,` type($weights) `->` type($output)"
    )

    @property
    def needs_elements(self) -> Sequence[int]:
        return (0, 1, 2)

    def infer(self) -> Sequence[Attribute]:
        sizes, axis = list(shape(self.x)), self.axis.value.data
        check_axis(axis, len(sizes))
        element = element_type(self.x)
        if not is_float(element) or element_type(self.weights) != element:
            raise CompileError(
                f"needs floats of one type, got {element} and {element_type(self.weights)}"
            )
        if element_type(self.places) != i64 or shape(self.places) != shape(self.weights):
            raise CompileError("the places must be i64 and have the shape of the weights")
        if len(shape(self.places)) != 2:
            raise CompileError(f"the places need two axes, got {len(shape(self.places))}")
        sizes[axis] = shape(self.places)[0]
        return [TensorType(element, sizes)]

    @property
    def index_limits(self) -> Mapping[int, IndexLimits]:
        last = shape(self.x)[self.axis.value.data] - 1
        return {1: IndexLimits(np.asarray(0), np.asarray(last))}

    @property
    def domain(self) -> Domain:
        return Domain(shape(self.output), (shape(self.places)[1],))

    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        axis = self.axis.value.data
        at = [index[axis], reduction[0]]
        place = indexed(scope, scope.read(self.places, at), shape(self.x)[axis])
        x = scope.read(self.x, [*index[:axis], place, *index[axis + 1 :]])
        return [scope.b.mul(x, scope.read(self.weights, at))]

    def flops(self) -> int:
        return 2 * self.domain.points

    def reference(self, *operands: Array) -> Array:
        x, places, weights = operands
        axis = self.axis.value.data
        places = nearest(places, x.shape[axis])
        return weighted(x, places, weights, axis)


def weighted(x: Array, places: Array, weights: Array, axis: int) -> Array:
    """Return sums of elements along an axis: a row of places and weights for each."""
    spread = [-1 if a == axis else 1 for a in range(x.ndim)]
    parts = [
        np.take(x, places[:, t], axis) * weights[:, t].reshape(spread)
        for t in range(places.shape[1])
    ]
    return np.sum(parts, axis=0)


OPERATIONS = [InterpolateOp]
