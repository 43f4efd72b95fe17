"""Elements taken from places that a tensor of indices names.

Negative indices count from the end of the axis. An index that is outside is taken to the nearest
element.
"""

from abc import ABC
from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, IntegerType, TensorType, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, result_def

from dlc.dialects.graph.computed import Index, Scope
from dlc.dialects.graph.movement import MovementOp, indexed
from dlc.dialects.graph.properties import integer
from dlc.dialects.graph.structure import (
    Array,
    GraphOp,
    IndexLimits,
    axis_limits,
    length_limits,
)
from dlc.errors import CompileError
from dlc.ir.tensor import DYNAMIC, broadcast_shapes, element_type, shape


def check_indices(indices: SSAValue) -> None:
    """Raise CompileError unless a tensor holds integers."""
    element = element_type(indices)
    if not isinstance(element, IntegerType) or element == i1:
        raise CompileError(f"indices must be integers, not {element}")


def check_axis(axis: int, rank: int) -> None:
    """Raise CompileError unless ``axis`` is an axis counted from the front."""
    if not 0 <= axis < rank:
        raise CompileError(f"axis {axis} is outside a tensor of {rank} axes")


def nearest(indices: Array, size: int) -> Array:
    """Return indices counted from the front, those outside taken to the nearest element."""
    wide = indices.astype(np.int64)
    return np.clip(np.where(wide < 0, wide + size, wide), 0, size - 1)


class IndexedOp(MovementOp, ABC):
    """Takes elements of ``data`` from places that ``indices`` names."""

    data = operand_def(TensorType)
    indices = operand_def(TensorType)
    output = result_def(TensorType)
    assembly_format = (
        "$data `,` $indices attr-dict `:` `(` type($data) `,` type($indices) `)` `->` type($output)"
    )

    @property
    def needs_elements(self) -> Sequence[int]:
        return (0,)

    def place(self, scope: Scope, index: Index, axis: int) -> AffineExpr:
        """Write what ``indices`` holds at ``index``, as a place along an axis of ``data``."""
        return indexed(scope, scope.read(self.indices, index), shape(self.data)[axis])


@irdl_op_definition
class GatherOp(IndexedOp):
    """``y[p..., q..., r...] = data[p..., indices[q...], r...]``, the index at axis ``axis``."""

    name = "graph.gather"
    axis = prop_def(IntegerAttr)

    def infer(self) -> Sequence[Attribute]:
        sizes, axis = shape(self.data), self.axis.value.data
        check_indices(self.indices)
        check_axis(axis, len(sizes))
        gathered = [*sizes[:axis], *shape(self.indices), *sizes[axis + 1 :]]
        return [TensorType(element_type(self.data), gathered)]

    @property
    def index_limits(self) -> Mapping[int, IndexLimits]:
        return {1: axis_limits(shape(self.data)[self.axis.value.data])}

    def over_steps(self, operands: Sequence[SSAValue], stacked: Sequence[bool]) -> GraphOp | None:
        axis = self.axis.value.data
        match tuple(stacked):
            case (True, False):
                return self.with_operands(operands, axis=integer(axis + 1))
            case (False, True):
                return self.with_operands(operands)
            case _:
                return None

    def axis_of_steps(self, stacked: Sequence[bool]) -> int:
        return 0 if stacked[0] else self.axis.value.data

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        axis = self.axis.value.data
        end = axis + len(shape(self.indices))
        place = self.place(scope, index[axis:end], axis)
        return scope.read(self.data, [*index[:axis], place, *index[end:]])

    def reference(self, *operands: Array) -> Array:
        data, indices = operands
        axis = self.axis.value.data
        return np.take(data, nearest(indices, data.shape[axis]), axis)


@irdl_op_definition
class GatherElementsOp(IndexedOp):
    """``y[p] = data[p with indices[p] at axis]``; ``y`` has the shape of ``indices``."""

    name = "graph.gather_elements"
    axis = prop_def(IntegerAttr)

    def infer(self) -> Sequence[Attribute]:
        sizes, taken, axis = shape(self.data), shape(self.indices), self.axis.value.data
        check_indices(self.indices)
        check_axis(axis, len(sizes))
        if len(sizes) != len(taken):
            raise CompileError(f"indices have {len(taken)} axes, the data {len(sizes)}")
        for number, (size, count) in enumerate(zip(sizes, taken, strict=True)):
            if number != axis and DYNAMIC not in (size, count) and count > size:
                raise CompileError(f"indices have size {count} along axis {number}, data {size}")
        return [TensorType(element_type(self.data), taken)]

    @property
    def index_limits(self) -> Mapping[int, IndexLimits]:
        return {1: axis_limits(shape(self.data)[self.axis.value.data])}

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        axis = self.axis.value.data
        place = self.place(scope, index, axis)
        return scope.read(self.data, [*index[:axis], place, *index[axis + 1 :]])

    def reference(self, *operands: Array) -> Array:
        data, indices = operands
        axis = self.axis.value.data
        kept = tuple(
            slice(None) if number == axis else slice(0, count)
            for number, count in enumerate(indices.shape)
        )
        return np.take_along_axis(data[kept], nearest(indices, data.shape[axis]), axis)


@irdl_op_definition
class GatherNdOp(IndexedOp):
    """``y[b..., q..., r...] = data[b..., indices[b..., q..., :], r...]``.

    The last axis of ``indices`` holds one index for each axis of ``data`` after the first
    ``batch_axes``, which both have; the axes of ``data`` that are left follow.
    """

    name = "graph.gather_nd"
    batch_axes = prop_def(IntegerAttr)

    def infer(self) -> Sequence[Attribute]:
        sizes, taken, batch = shape(self.data), shape(self.indices), self.batch_axes.value.data
        check_indices(self.indices)
        if not taken or taken[-1] == DYNAMIC:
            raise CompileError("the last size of the indices must be fixed")
        if not 0 <= batch <= min(len(sizes), len(taken) - 1) or batch + taken[-1] > len(sizes):
            raise CompileError(
                f"{batch} batch axes and {taken[-1]} indices do not fit data of {len(sizes)} axes"
            )
        broadcast_shapes(sizes[:batch], taken[:batch])
        gathered = [*taken[:-1], *sizes[batch + taken[-1] :]]
        return [TensorType(element_type(self.data), gathered)]

    @property
    def index_limits(self) -> Mapping[int, IndexLimits]:
        batch, count = self.batch_axes.value.data, shape(self.indices)[-1]
        return {1: axis_limits(shape(self.data)[batch : batch + count])}

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        *outer, count = shape(self.indices)
        batch, rank = self.batch_axes.value.data, len(outer)
        places = [
            self.place(scope, [*index[:rank], AffineExpr.constant(k)], batch + k)
            for k in range(count)
        ]
        return scope.read(self.data, [*index[:batch], *places, *index[rank:]])

    def reference(self, *operands: Array) -> Array:
        data, indices = operands
        batch = self.batch_axes.value.data
        outer = tuple(np.indices(indices.shape[:-1])[:batch])
        places = tuple(
            nearest(indices[..., k], data.shape[batch + k]) for k in range(indices.shape[-1])
        )
        if not (*outer, *places):
            return np.broadcast_to(data, (*indices.shape[:-1], *data.shape))
        return data[(*outer, *places)]


@irdl_op_definition
class ReverseSequenceOp(IndexedOp):
    """``y[..., t, ...] = x[..., n - 1 - t, ...]`` where ``t < n``, else ``x`` itself.

    ``t`` is the index along ``time_axis``, ``n`` the length (in ``indices``) at the one along
    ``batch_axis``.
    """

    name = "graph.reverse_sequence"
    batch_axis = prop_def(IntegerAttr)
    time_axis = prop_def(IntegerAttr)

    def infer(self) -> Sequence[Attribute]:
        sizes = shape(self.data)
        batch, time = self.batch_axis.value.data, self.time_axis.value.data
        check_indices(self.indices)
        check_axis(batch, len(sizes))
        check_axis(time, len(sizes))
        if batch == time or len(shape(self.indices)) != 1:
            raise CompileError("needs two different axes and a vector of lengths")
        broadcast_shapes([sizes[batch]], shape(self.indices))
        return [self.data.type]

    @property
    def index_limits(self) -> Mapping[int, IndexLimits]:
        return {1: length_limits(shape(self.data)[self.time_axis.value.data])}

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        batch, time = self.batch_axis.value.data, self.time_axis.value.data
        b = scope.b
        length = b.cast(scope.read(self.indices, [index[batch]]), i64)
        step = scope.integer(index[time], i64)
        mirrored = b.sub(b.sub(length, b.constant(1, i64)), step)
        place = b.select(b.compare("lt", step, length), mirrored, step)
        taken = indexed(scope, place, shape(self.data)[time])
        return scope.read(self.data, [*index[:time], taken, *index[time + 1 :]])

    def reference(self, *operands: Array) -> Array:
        data, lengths = operands
        batch, time = self.batch_axis.value.data, self.time_axis.value.data
        steps = np.arange(data.shape[time])
        limits = lengths.astype(np.int64)[:, None]
        places = nearest(np.where(steps < limits, limits - 1 - steps, steps), data.shape[time])
        moved = np.moveaxis(data, (batch, time), (0, 1))
        reversed_ = moved[np.arange(moved.shape[0])[:, None], places]
        return np.moveaxis(reversed_, (0, 1), (batch, time))


OPERATIONS = [GatherOp, GatherElementsOp, GatherNdOp, ReverseSequenceOp]
