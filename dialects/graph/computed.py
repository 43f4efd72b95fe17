"""How the elements of a graph op are computed; lowerings ask through these classes only."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import Literal, Protocol

from xdsl.dialects.builtin import i32
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import opt_prop_def

from dlc.dialects.graph.precision import PrecisionAttr
from dlc.dialects.graph.structure import GraphOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.errors import CompileError
from dlc.ir.tensor import (
    broadcast_shapes,
    compute_type,
    element_bytes,
    element_type,
    is_integer,
    shape,
)

Index = Sequence[AffineExpr]
"""One quasi-affine expression per axis. Dims are the loops that the lowering has opened, symbols
are integers that were computed (``Scope.symbol``); an op never looks inside, it only composes."""


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

    @property
    def row_rank(self) -> int | None:
        return 0

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

    @property
    def least_points(self) -> int:
        """The points that no code can leave out; fewer than all where results have parts of their
        reductions in common.
        """
        return self.domain.points

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

    def append(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        """Write the accumulators of a part, at first those of nothing, and of a point behind all of
        it: ``combine``, unless an op can do less. Who appends one point of a reduction, appends
        all.
        """
        return self.combine(b, left, right)

    def finish(
        self, scope: Scope, index: Index, accumulators: Sequence[SSAValue], result: int = 0
    ) -> SSAValue:
        """Write the result element from the accumulators of the whole reduction."""
        return accumulators[result]

    def element(self, scope: Scope, index: Index, result: int = 0) -> SSAValue:
        return self.finish(scope, index, scope.reduce(self, index), result)


class SummingOp(ReductionOp, ABC):
    """A reduction that adds contributions, in the compute type of the result."""

    def identity(self, b: ScalarBuilder) -> Sequence[SSAValue]:
        return [b.constant(0, compute_type(element_type(self.results[0])))]

    def combine(
        self, b: ScalarBuilder, left: Sequence[SSAValue], right: Sequence[SSAValue]
    ) -> Sequence[SSAValue]:
        return [b.add(left[0], right[0])]


WeightInner = Literal["n", "k"]


@dataclass(frozen=True)
class WeightOrder:
    """An order of a weight's axes: the transposition to it, and the properties that say so.

    A property of ``None`` is removed.
    """

    permutation: Sequence[int]
    properties: Mapping[str, Attribute | None]


class ContractionOp(SummingOp, ABC):
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

    def flops(self) -> int:
        return 2 * self.domain.points


def apply_map(map: AffineMap, dims: Index) -> list[AffineExpr]:
    """Return the results of ``map`` with its dims replaced by the expressions ``dims``."""
    return [e.replace_dims_and_symbols(dims, ()) for e in map.results]
