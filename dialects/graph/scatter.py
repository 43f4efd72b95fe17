"""Elements put at places that a tensor of indices names.

Each result element looks for the updates that are meant for it. ``reduction`` says what several of
them, and the old element, become: ``none`` the last update in row-major order, ``add``, ``mul``,
``max`` or ``min``. Negative indices count from the end; an update whose index is outside is lost.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerAttr, IntegerType, StringAttr, TensorType, i1, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
)

from dlc.dialects.graph.computed import Domain, Index, ReductionOp, Scope
from dlc.dialects.graph.gather import check_axis, check_indices
from dlc.dialects.graph.movement import strides_of
from dlc.dialects.graph.structure import Array, IndexLimits, axis_limits
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.tensor import (
    DYNAMIC,
    compute_type,
    element_type,
    is_float,
    numpy_dtype,
    shape,
)

_COMBINATIONS: dict[str, Callable[[ScalarBuilder, SSAValue, SSAValue], SSAValue]] = {
    "add": ScalarBuilder.add,
    "mul": ScalarBuilder.mul,
    "max": ScalarBuilder.maximum,
    "min": ScalarBuilder.minimum,
}
_UFUNCS = {"add": np.add, "mul": np.multiply, "max": np.maximum, "min": np.minimum}


class ScatterOp(ReductionOp, ABC):
    """``y = data`` with updates put into it; the reduction runs over the updates of one element."""

    data = operand_def(TensorType)
    indices = operand_def(TensorType)
    updates = operand_def(TensorType)
    reduction = prop_def(StringAttr)
    output = result_def(TensorType)
    irdl_options = (ParsePropInAttrDict(),)
    assembly_format = (
        "$data `,` $indices `,` $updates attr-dict `:` `(` type($data) `,` type($indices) `,`"
        " type($updates) `)` `->` type($output)"
    )

    @property
    def moves_data(self) -> bool:
        return self.reduction.data == "none"

    @abstractmethod
    def updates_shape(self) -> tuple[int, ...]:
        """Return the shape that the updates must have."""

    @abstractmethod
    def matching_update(
        self, scope: Scope, index: Index, reduction: Index
    ) -> tuple[SSAValue, SSAValue, AffineExpr]:
        """Write whether an update is meant for an element, the update, and its place in order."""

    @property
    def domain(self) -> Domain:
        return Domain(shape(self.output), self.candidates())

    @abstractmethod
    def candidates(self) -> tuple[int, ...]:
        """Return the sizes of the space of the updates that may be meant for one element."""

    def infer(self) -> Sequence[Attribute]:
        check_indices(self.indices)
        if element_type(self.data) != element_type(self.updates):
            raise CompileError("data and updates have different element types")
        if self.reduction.data not in ("none", *_COMBINATIONS):
            raise CompileError(
                f"reduction {self.reduction.data!r} is none of none, add, mul, max, min"
            )
        wanted, given = self.updates_shape(), shape(self.updates)
        same = len(wanted) == len(given) and all(
            DYNAMIC in pair or pair[0] == pair[1] for pair in zip(wanted, given, strict=True)
        )
        if not same:
            raise CompileError(f"updates have shape {list(given)}, should have {list(wanted)}")
        return [self.data.type]

    def identity(self, b: ScalarBuilder) -> Sequence[SSAValue]:
        element = element_type(self.data)
        none = b.constant(-1, i64)
        neutral = b.constant(_neutral(self.reduction.data, element), compute_type(element))
        return [none, neutral]

    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        """The accumulators are the place of the last update (-1: none yet) and the value."""
        b = scope.b
        matches, update, place = self.matching_update(scope, index, reduction)
        none, neutral = self.identity(b)
        found = b.select(matches, scope.integer(place, i64), none)
        return [found, b.select(matches, update, neutral)]

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        last = b.maximum(left[0], right[0])
        if self.reduction.data == "none":
            return [last, b.select(b.compare("ge", left[0], right[0]), left[1], right[1])]
        return [last, self._combined(b, left[1], right[1])]

    def _combined(self, b: ScalarBuilder, left: SSAValue, right: SSAValue) -> SSAValue:
        element = element_type(self.data)
        return b.wrap(_COMBINATIONS[self.reduction.data](b.of(element), left, right), element)

    def finish(
        self, scope: Scope, index: Index, accumulators: Sequence[SSAValue], result: int = 0
    ) -> SSAValue:
        b = scope.b
        last, value = accumulators
        old = scope.read(self.data, index)
        if self.reduction.data != "none":
            value = self._combined(b, old, value)
        return b.select(b.compare("ge", last, b.constant(0, i64)), value, old)

    def put(self, data: Array, places: tuple[Array, ...], updates: Array) -> Array:
        """Return ``data`` with the updates at ``places``, one index tensor for each axis."""
        result = data.copy()
        inside = np.broadcast_to(True, updates.shape)
        for place, size in zip(places, data.shape, strict=True):
            inside = inside & (place >= 0) & (place < size)
        chosen = tuple(np.broadcast_to(place, updates.shape)[inside] for place in places)
        if self.reduction.data == "none":
            result[chosen] = updates[inside]
        else:
            _UFUNCS[self.reduction.data].at(result, chosen, updates[inside])
        return result


def _neutral(reduction: str, element: Attribute) -> float:
    """Return the value that changes nothing when it is combined with another."""
    if reduction in ("none", "add"):
        return 0
    if reduction == "mul":
        return 1
    sign = -1 if reduction == "max" else 1
    if is_float(element):
        return sign * float("inf")
    assert isinstance(element, IntegerType)
    limits = np.iinfo(numpy_dtype(element))
    return limits.min if reduction == "max" else limits.max


def _from_front(b: ScalarBuilder, position: SSAValue, size: int) -> SSAValue:
    wide = b.cast(position, i64)
    negative = b.compare("lt", wide, b.constant(0, i64))
    return b.select(negative, b.add(wide, b.constant(size, i64)), wide)


def _wrapped(indices: Array, size: int) -> Array:
    wide = indices.astype(np.int64)
    return np.where(wide < 0, wide + size, wide)


@irdl_op_definition
class ScatterElementsOp(ScatterOp):
    """``y[p with indices[p] at axis] = updates[p]`` for every ``p``, the rest as in ``data``."""

    name = "graph.scatter_elements"
    axis = prop_def(IntegerAttr)

    @property
    def index_limits(self) -> Mapping[int, IndexLimits]:
        return {1: axis_limits(shape(self.data)[self.axis.value.data])}

    def updates_shape(self) -> tuple[int, ...]:
        check_axis(self.axis.value.data, len(shape(self.data)))
        if len(shape(self.indices)) != len(shape(self.data)):
            raise CompileError("data and indices have different numbers of axes")
        return shape(self.indices)

    def candidates(self) -> tuple[int, ...]:
        return (shape(self.updates)[self.axis.value.data],)

    def matching_update(
        self, scope: Scope, index: Index, reduction: Index
    ) -> tuple[SSAValue, SSAValue, AffineExpr]:
        b, axis = scope.b, self.axis.value.data
        sizes, counts = shape(self.data), shape(self.updates)
        at = [*index[:axis], reduction[0], *index[axis + 1 :]]
        smaller = [
            a for a, (n, m) in enumerate(zip(sizes, counts, strict=True)) if a != axis and m < n
        ]
        # Where there is no update, the index read is one past the end, which matches nothing.
        position = scope.read(self.indices, at, smaller, float(sizes[axis]))
        wanted = scope.integer(index[axis], i64)
        matches = b.compare("eq", _from_front(b, position, sizes[axis]), wanted)
        return matches, scope.read(self.updates, at, smaller), reduction[0]

    def reference(self, *operands: Array) -> Array:
        data, indices, updates = operands
        axis = self.axis.value.data
        places: list[Array] = list(np.indices(indices.shape, sparse=True))
        places[axis] = _wrapped(indices, data.shape[axis])
        return self.put(data, tuple(places), updates)


@irdl_op_definition
class ScatterNdOp(ScatterOp):
    """``y[indices[q..., :], r...] = updates[q..., r...]`` for every ``q``, the rest as in ``data``.

    The last axis of ``indices`` holds one index for each of the first axes of ``data``.
    """

    name = "graph.scatter_nd"

    @property
    def index_limits(self) -> Mapping[int, IndexLimits]:
        return {1: axis_limits(shape(self.data)[: shape(self.indices)[-1]])}

    def updates_shape(self) -> tuple[int, ...]:
        sizes, counts = shape(self.data), shape(self.indices)
        if not counts or not 0 <= counts[-1] <= len(sizes):
            raise CompileError(f"indices of shape {list(counts)} do not fit {len(sizes)} axes")
        return (*counts[:-1], *sizes[counts[-1] :])

    def candidates(self) -> tuple[int, ...]:
        return shape(self.indices)[:-1]

    def matching_update(
        self, scope: Scope, index: Index, reduction: Index
    ) -> tuple[SSAValue, SSAValue, AffineExpr]:
        b, sizes, counts = scope.b, shape(self.data), shape(self.indices)
        matches = b.constant(True, i1)
        for axis in range(counts[-1]):
            position = scope.read(self.indices, [*reduction, AffineExpr.constant(axis)])
            found = b.compare(
                "eq", _from_front(b, position, sizes[axis]), scope.integer(index[axis], i64)
            )
            matches = b.logical("and", matches, found)
        place = AffineExpr.constant(0)
        for dim, stride in zip(reduction, strides_of(counts[:-1]), strict=True):
            place = place + dim * stride
        update = scope.read(self.updates, [*reduction, *index[counts[-1] :]])
        return matches, update, place

    def reference(self, *operands: Array) -> Array:
        data, indices, updates = operands
        depth = indices.shape[-1]
        rest = np.indices(data.shape[depth:], sparse=True)
        shape_of_place = (*indices.shape[:-1], *[1] * (data.ndim - depth))
        places = [
            _wrapped(indices[..., axis], data.shape[axis]).reshape(shape_of_place)
            for axis in range(depth)
        ]
        return self.put(data, (*places, *rest), updates)


OPERATIONS = [ScatterElementsOp, ScatterNdOp]
