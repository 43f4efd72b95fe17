"""What every graph op says about itself; passes and lowerings ask through these classes only."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any, Literal, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from xdsl.dialects.builtin import NoneType, i32
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import IRDLOperation, opt_prop_def, traits_def
from xdsl.rewriter import Rewriter
from xdsl.traits import Pure
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.graph.precision import PrecisionAttr
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.tensor import (
    broadcast_shapes,
    element_bytes,
    element_count,
    element_type,
    is_empty,
    is_float,
    is_integer,
    shape,
)

Array = NDArray[Any]
Index = Sequence[AffineExpr]
"""One quasi-affine expression per axis. Dims are the loops that the lowering has opened, symbols
are integers that were computed (``Scope.symbol``); an op never looks inside, it only composes."""

VIEW_ALIGNMENT_BYTES = 16
"""What kernels expect of the buffers that they are given: their widest load and store."""


class Scope(Protocol):
    """What a lowering gives to ``element``: where to write, and how to read an operand."""

    b: ScalarBuilder

    def read(
        self, operand: SSAValue, index: Index, guard: Sequence[int] = (), fill: float = 0.0
    ) -> SSAValue:
        """Return the element of ``operand`` at ``index``, in its compute type.

        guard: axes whose index may be outside the operand; there the value is ``fill``.
        The operand may be a buffer or another op of the group, which is then computed in place.
        """
        ...

    def symbol(self, value: SSAValue) -> AffineExpr:
        """Return a computed integer as an index expression (gather)."""
        ...

    def integer(self, expr: AffineExpr, type: Attribute) -> SSAValue:
        """Return an index expression as a scalar of an integer or float type (range, arg-max)."""
        ...

    def reduce(self, op: "ReductionOp", index: Index) -> Sequence[SSAValue]:
        """Return the combined accumulators of ``op`` at one result index, by loops it opens."""
        ...


@dataclass(frozen=True)
class Domain:
    """An iteration space: one loop per size; ``parallel`` ones index the result."""

    parallel: tuple[int, ...]
    reduction: tuple[int, ...] = ()

    @property
    def points(self) -> int:
        """The number of points of the whole space."""
        return prod(self.parallel) * prod(self.reduction)


@dataclass(frozen=True)
class IndexLimits:
    """The least and the largest legal index; arrays of integers that broadcast to the operand.

    What an op computes with another one is inside its buffers, but has no meaning in the model.
    """

    least: Array
    largest: Array


def axis_limits(sizes: Sequence[int] | int) -> IndexLimits:
    """Return the limits of places along axes of these sizes; negative ones count from the end."""
    counts = np.asarray(sizes, np.int64)
    return IndexLimits(-counts, counts - 1)


class GraphOp(IRDLOperation, ABC):
    """An op on tensors, without side effects.

    ``infer`` is its shape rule, ``reference`` its meaning in numpy (the oracle), and a subclass
    below says how one element is computed.
    """

    traits = traits_def(Pure())

    @property
    def moves_data(self) -> bool:
        """Whether every result element is a copy of an operand element or a constant (transpose,
        slice, gather, pad): such an op is exact in every dtype.
        """
        return False

    @property
    def keeps_integers(self) -> bool:
        """Whether every result element is one of an operand, or a constant, as an integer of any
        width (a copy, a conversion between integers).
        """
        return self.moves_data

    @property
    def index_limits(self) -> "Mapping[int, IndexLimits]":
        """What operands that name places may hold, by the operand's number."""
        return {}

    @property
    def nonzero_operands(self) -> Sequence[int]:
        """The operands of integers whose zeros have no meaning in the model (divisors)."""
        return ()

    @property
    def finite_operands(self) -> Sequence[int]:
        """The operands of floats whose NaN and infinities have no meaning in the model (places)."""
        return ()

    @property
    def has_steps(self) -> bool:
        """Whether a result jumps where an operand crosses some value (rounding, comparison,
        arg-max): next to a step, the smallest error of the operand is one of a whole step.

        A function of floats whose values are integers or booleans has steps.
        """
        of_floats = any(is_float(element_type(x)) for x in self.operands)
        return of_floats and not all(is_float(element_type(x)) for x in self.results)

    @property
    def needs_elements(self) -> Sequence[int]:
        """The operands without which there is no result: one of their elements is chosen (gather,
        arg-max). Where such an operand is empty, so must be the results.
        """
        return ()

    @abstractmethod
    def infer(self) -> Sequence[Attribute]:
        """Return the result types from the operands and properties.

        Raises CompileError when they do not fit together.
        """

    @abstractmethod
    def reference(self, *operands: Array) -> Array | tuple[Array, ...]:
        """Return the results in numpy, computed in the dtypes of ``operands``.

        The oracle passes float64 for every float tensor and rounds what it gets to the result
        types.
        """

    @classmethod
    def make(
        cls,
        *operands: SSAValue,
        results: int = 1,
        **properties: Attribute | None,
    ) -> Self:
        """Build the op; its result types come from ``infer``; ``None`` properties are left out."""
        op = cls.create(
            operands=operands,
            properties={k: v for k, v in properties.items() if v is not None},
            result_types=[NoneType()] * results,
        )
        op.update_types()
        return op

    def update_types(self) -> None:
        """Set the result types to what ``infer`` says (after operand types have changed)."""
        for result, type in zip(tuple(self.results), self._checked_types(), strict=True):
            if result.type != type:
                Rewriter.replace_value_with_new_type(result, type)

    def _checked_types(self) -> Sequence[Attribute]:
        types = tuple(self.infer())
        for number in self.needs_elements:
            if is_empty(self.operands[number]) and not all(map(is_empty, types)):
                raise CompileError(f"operand {number} has no elements to choose from")
        return types

    def verify_(self) -> None:
        try:
            types = self._checked_types()
        except CompileError as error:
            raise VerifyException(f"{self.name}: {error.message}") from error
        for number, (result, type) in enumerate(zip(self.results, types, strict=True)):
            if result.type != type:
                raise VerifyException(
                    f"{self.name}: result {number} should be {type}, is {result.type}"
                )

    @property
    def is_constant(self) -> bool:
        """Whether the results are known at compile time (weight, constant, splat)."""
        return False

    @property
    def view_offset(self) -> int | None:
        """The element of operand 0 that is the result's first one, where the result is consecutive
        elements of operand 0 in the same order (a reshape, a slice of whole rows), else ``None``.

        Between kernels such an op costs nothing and shares the operand's buffer, from a multiple of
        ``VIEW_ALIGNMENT_BYTES`` on.
        """
        return None

    @property
    def is_view(self) -> bool:
        """Whether the result can share operand 0's buffer (``view_offset``)."""
        return self.view_offset is not None

    @property
    def operand_offsets(self) -> Sequence[int] | None:
        """The element of the result at which each operand begins, where the result is its operands
        one after the other in memory (a concatenation along the first axis), else ``None``.

        Between kernels such an op costs nothing if the operands are written there; each begins at a
        multiple of ``VIEW_ALIGNMENT_BYTES``.
        """
        return None

    def forwarded(self) -> SSAValue | None:
        """Return the operand that the result always equals (an identity), if there is one."""
        return None

    @property
    def permuted_operands(self) -> Sequence[int]:
        """The operands whose axes are those of the result, in their order (all, but for
        weights).
        """
        return range(len(self.operands))

    @property
    def preferred_permutation(self) -> Sequence[int] | None:
        """The order of axes in which the op runs best, where that is another than its own.

        ``permuted`` with it gives the op in that order.
        """
        return None

    def absorbed_transpose(
        self, number: int, permutation: Sequence[int], operand: SSAValue
    ) -> "GraphOp | None":
        """Return an op of the same result that reads ``operand`` instead of its transpose.

        Operand ``number`` is ``operand`` with axes permuted: its axis ``i`` is axis
        ``permutation[i]``. ``None`` where the op has no way to say so.
        """
        return None

    def permuted(
        self, permutation: Sequence[int], operands: Sequence[SSAValue]
    ) -> "GraphOp | None":
        """Return this op on operands whose axes were permuted, or ``None`` where it has no such
        form.

        Axis ``i`` of each operand in ``permuted_operands``, and of the new result, is axis
        ``permutation[i]`` of the old one. Only asked when these have the rank of the result.
        """
        return None

    def with_operands(self, operands: Sequence[SSAValue], **properties: Attribute | None) -> Self:
        """Return a copy on other operands; properties given replace its own, ``None`` removes one.

        The result types are inferred anew. The copy keeps the location.
        """
        merged = {**self.properties, **properties}
        copy = type(self).make(*operands, results=len(self.results), **merged)
        copy.attributes.update(self.attributes)
        copy.location = self.location
        return copy

    def flops(self) -> int:
        """Return the floating-point operations (one multiply-add counts 2); comparisons count 1."""
        return 0 if self.moves_data else sum(map(element_count, self.results))


class SteppedOp(GraphOp, ABC):
    """An op whose results jump though they are floats (rounding, sign, thresholds)."""

    @property
    def has_steps(self) -> bool:
        return any(is_float(element_type(x)) for x in self.operands)


class ComputedOp(GraphOp, ABC):
    """An op each of whose result elements is a formula of operand elements."""

    @property
    def domain(self) -> Domain:
        """The iteration space of one result."""
        return Domain(shape(self.results[0]))

    @property
    def compares_elements(self) -> bool:
        """Whether elements of an operand are compared with each other (an order).

        They must then be read from memory: an element that is computed where it is read may come
        out different at two places, by rounding, and the order contradict itself.
        """
        return False

    @abstractmethod
    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        """Write the code of the element at ``index`` of result number ``result``; return its value.

        The value has the compute type of the result's element type.
        """


class ElementwiseOp(ComputedOp, ABC):
    """``y[i] = f(a[i], b[i], ...)``, operands broadcast by numpy's rule."""

    @abstractmethod
    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        """Write the formula on scalars in compute types; ``b`` is the first operand's builder."""

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        values = [scope.read(x, broadcast_index(x, index)) for x in self.operands]
        return self.scalar(scope.b.of(element_type(self.operands[0])), *values)

    def permuted(
        self, permutation: Sequence[int], operands: Sequence[SSAValue]
    ) -> "GraphOp | None":
        return self.with_operands(operands)

    def broadcast_shape(self) -> tuple[int, ...]:
        """Return the common shape of the operands."""
        return broadcast_shapes(*map(shape, self.operands))


def broadcast_index(operand: SSAValue, index: Index) -> list[AffineExpr]:
    """Return the index into an operand that is broadcast to the space of ``index``."""
    sizes = shape(operand)
    tail = index[len(index) - len(sizes) :]
    return [AffineExpr.constant(0) if n == 1 else i for n, i in zip(sizes, tail, strict=True)]


class ReductionOp(ComputedOp, ABC):
    """An op whose result elements combine contributions over a reduction space.

    ``y[p] = finish(combine over r of contribution(p, r))``. ``combine`` is associative and
    commutative, so a lowering may split the reduction over lanes, warps or blocks.
    """

    @abstractmethod
    def identity(self, b: ScalarBuilder) -> Sequence[SSAValue]:
        """Write the accumulators of nothing."""

    @abstractmethod
    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        """Write the accumulators of the single point (``index``, ``reduction``)."""

    @abstractmethod
    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Write the accumulators of two disjoint parts together."""

    def finish(
        self, scope: Scope, index: Index, accumulators: Sequence[SSAValue], result: int = 0
    ) -> SSAValue:
        """Write the result element from the accumulators of the whole reduction."""
        return accumulators[result]

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        return self.finish(scope, index, scope.reduce(self, index), result)


WeightInner = Literal["n", "k"]


@dataclass(frozen=True)
class WeightOrder:
    """An order of a weight's axes: the transposition to it, and the properties that say so.

    A property of ``None`` is removed.
    """

    permutation: Sequence[int]
    properties: Mapping[str, Attribute | None]


class ContractionOp(ReductionOp, ABC):
    """``y[p] = sum over r of lhs[L(p, r)] * rhs[R(p, r)]`` in ``f32`` (``f64`` for ``f64``, ``i32``
    for integers of at most 32 bits).

    Operands 0 and 1 are the factors. A factor index may leave the tensor along the axes of
    ``lhs_guard`` (convolution padding) and is 0 there; the rhs is always inside.
    """

    precision = opt_prop_def(PrecisionAttr)

    def sum_type(self) -> Attribute:
        """Return the type of the result's elements: that of the factors, ``i32`` for integers of 8
        bits, of which one may have a sign and the other none. Raises CompileError for other
        factors that differ.
        """
        lhs, rhs = map(element_type, self.operands[:2])
        if all(is_integer(x) and element_bytes(x) == 1 for x in (lhs, rhs)):
            return i32
        if lhs != rhs:
            raise CompileError("the factors have different element types")
        return lhs

    @property
    def lhs_guard(self) -> Sequence[int]:
        """The axes of the lhs whose index may be outside it."""
        return ()

    def weight_order(self, inner: "WeightInner") -> "WeightOrder | None":
        """Return how to store the rhs so that axis ``inner`` is consecutive.

        ``n``: the result's axis, ``k``: the reduction's. ``None`` where it is already so.
        """
        return None

    @abstractmethod
    def indexing_maps(self) -> tuple[AffineMap, AffineMap, AffineMap]:
        """Return the maps of lhs, rhs and result over (parallel..., reduction...) dims."""

    def contribution(self, scope: Scope, index: Index, reduction: Index) -> Sequence[SSAValue]:
        dims = [*index, *reduction]
        lhs_map, rhs_map, _ = self.indexing_maps()
        lhs = scope.read(self.operands[0], apply_map(lhs_map, dims), guard=self.lhs_guard)
        rhs = scope.read(self.operands[1], apply_map(rhs_map, dims))
        return [scope.b.mul(lhs, rhs)]

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        return [b.add(x, y) for x, y in zip(left, right, strict=True)]

    def flops(self) -> int:
        return 2 * self.domain.points


def apply_map(map: AffineMap, dims: Index) -> list[AffineExpr]:
    """Return the results of ``map`` with its dims replaced by the expressions ``dims``."""
    return [e.replace_dims_and_symbols(dims, ()) for e in map.results]


class CompositeOp(GraphOp, ABC):
    """An op that means a small graph of others (softmax, layer norm, attention, a recurrent cell).

    A lowering without a kernel of its own for it runs ``graph-decompose`` first.
    """

    @abstractmethod
    def decompose(self, insert: Callable[[GraphOp], SSAValue]) -> Sequence[SSAValue]:
        """Insert the ops that compute the results and return their values.

        insert: places an op before this one and returns its first result.
        """
