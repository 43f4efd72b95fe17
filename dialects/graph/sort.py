"""Order along an axis. NaN counts as larger than every number; equal elements keep their order."""

from collections.abc import Callable, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, TensorType, UnitAttr, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, result_def

from dlc.dialects.graph.arg_reduction import beats
from dlc.dialects.graph.computed import Domain, Index, Scope, SummingOp
from dlc.dialects.graph.gather import GatherElementsOp, check_axis
from dlc.dialects.graph.structure import Array, CompositeOp, GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import element_type, shape


def order(x: Array, axis: int, largest: bool) -> Array:
    """Return the indices that sort ``x`` along ``axis``, the first of equal elements first."""
    if not largest:
        return np.argsort(x, axis, kind="stable")
    backwards = np.argsort(np.flip(x, axis), axis, kind="stable")
    return x.shape[axis] - 1 - np.flip(backwards, axis)


@irdl_op_definition
class RankOp(SummingOp):
    """``y[i]``: how many elements along ``axis`` come before ``x[i]`` in ascending order.

    With ``largest`` in descending order.
    """

    name = "graph.rank"
    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(type=i64))
    largest = opt_prop_def(UnitAttr)
    output = result_def(TensorType)
    assembly_format = (
        "$x `axis` $axis (`largest` $largest^)? attr-dict `:` type($x) `->` type($output)"
    )

    def infer(self) -> Sequence[Attribute]:
        check_axis(self.axis.value.data, len(shape(self.x)))
        return [TensorType(i64, shape(self.x))]

    @property
    def compares_elements(self) -> bool:
        return True

    @property
    def domain(self) -> Domain:
        sizes = shape(self.x)
        return Domain(sizes, (sizes[self.axis.value.data],))

    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        b, axis = scope.b, self.axis.value.data
        own = scope.read(self.x, index)
        other = scope.read(self.x, [*index[:axis], reduction[0], *index[axis + 1 :]])
        pair = (other, own) if self.largest is not None else (own, other)
        before, equal = beats(b.of(element_type(self.x)), "gt", *pair)
        distance = scope.integer(reduction[0] - index[axis], i64)
        earlier = b.compare("lt", distance, b.constant(0, i64))
        return [b.cast(b.logical("or", before, b.logical("and", equal, earlier)), i64)]

    def flops(self) -> int:
        return self.domain.points

    def reference(self, *operands: Array) -> Array:
        axis = self.axis.value.data
        places = order(operands[0], axis, self.largest is not None)
        return np.argsort(places, axis, kind="stable").astype(np.int64)


@irdl_op_definition
class FindRankOp(SummingOp):
    """``y[j]``: the index along ``axis`` where ``ranks`` is ``j``, for ``j`` below ``count``.

    Each of these numbers must occur once along the axis.
    """

    name = "graph.find_rank"
    ranks = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(type=i64))
    count = prop_def(IntegerAttr.constr(type=i64))
    output = result_def(TensorType)
    assembly_format = (
        "$ranks `axis` $axis `count` $count attr-dict `:` type($ranks) `->` type($output)"
    )

    def infer(self) -> Sequence[Attribute]:
        if element_type(self.ranks) != i64:
            raise CompileError(f"the ranks must be i64, not {element_type(self.ranks)}")
        return [TensorType(i64, shortened(self.ranks, self.axis, self.count))]

    @property
    def domain(self) -> Domain:
        return Domain(shape(self.output), (shape(self.ranks)[self.axis.value.data],))

    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        b, axis = scope.b, self.axis.value.data
        rank = scope.read(self.ranks, [*index[:axis], reduction[0], *index[axis + 1 :]])
        found = b.compare("eq", rank, scope.integer(index[axis], i64))
        return [b.select(found, scope.integer(reduction[0], i64), b.constant(0, i64))]

    def flops(self) -> int:
        return self.domain.points

    def reference(self, *operands: Array) -> Array:
        axis = self.axis.value.data
        places = np.argsort(operands[0], axis, kind="stable")
        return places.take(range(self.count.value.data), axis).astype(np.int64)


def shortened(x: SSAValue, axis: IntegerAttr, count: IntegerAttr) -> list[int]:
    """Return the shape of ``x`` with ``count`` elements along ``axis``.

    Raises CompileError when the axis has fewer.
    """
    sizes, at, size = list(shape(x)), axis.value.data, count.value.data
    check_axis(at, len(sizes))
    if size < 0 or 0 <= sizes[at] < size:
        raise CompileError(f"an axis of {sizes[at]} elements does not have {size} to choose")
    sizes[at] = size
    return sizes


@irdl_op_definition
class TopKOp(CompositeOp):
    """The ``count`` smallest elements along ``axis`` in order, and their indices.

    With ``largest`` the largest ones. Each element is compared with every other of its row.

    ``%v, %i = graph.top_k %x axis 1 count 3 largest : tensor<4x10xf32>
    -> tensor<4x3xf32>, tensor<4x3xi64>``
    """

    name = "graph.top_k"
    x = operand_def(TensorType)
    axis = prop_def(IntegerAttr.constr(type=i64))
    count = prop_def(IntegerAttr.constr(type=i64))
    largest = opt_prop_def(UnitAttr)
    values = result_def(TensorType)
    indices = result_def(TensorType)
    assembly_format = (
        "$x `axis` $axis `count` $count (`largest` $largest^)? attr-dict"
        " `:` type($x) `->` type($values) `,` type($indices)"
    )

    def infer(self) -> Sequence[Attribute]:
        sizes = shortened(self.x, self.axis, self.count)
        return [TensorType(element_type(self.x), sizes), TensorType(i64, sizes)]

    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        ranks = insert(RankOp.make(self.x, axis=self.axis, largest=self.largest))
        indices = insert(FindRankOp.make(ranks, axis=self.axis, count=self.count))
        return [insert(GatherElementsOp.make(self.x, indices, axis=self.axis)), indices]

    def reference(self, *operands: Array) -> tuple[Array, ...]:
        axis = self.axis.value.data
        places = order(operands[0], axis, self.largest is not None)
        places = places.take(range(self.count.value.data), axis)
        return np.take_along_axis(operands[0], places, axis), places.astype(np.int64)


OPERATIONS = [RankOp, FindRankOp, TopKOp]
