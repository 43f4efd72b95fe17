"""Computes elements of a group's tensors inside loops: the ``Scope`` that graph ops write through.

A tensor of the group is either in a buffer, then reading it is a load, or it is computed in place
where it is read. A value is written once per index: at the outermost loop whose induction variables
it needs, so that what a loop does not change is computed before it.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Protocol

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineSymExpr
from xdsl.rewriter import InsertPoint

from dlc.analysis.index_range import range_of
from dlc.core.affine import (
    Interval,
    Ranges,
    extent,
    interval_of,
    linear_index,
    simplify,
    stride,
)
from dlc.dialects.graph.computed import ComputedOp, Index, ReductionOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.memory import IndexOp, LoadOp
from dlc.dialects.loop.scalar import Predicate, ScalarBuilder
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.errors import CompileError
from dlc.ir.tensor import compute_type, element_type, is_float, shape
from dlc.lowering.blocks import Blocks
from dlc.lowering.deciding import DecidingBuilder, decided, integer_constant


class Reducer(Protocol):
    """How a strategy loops over a reduction; the default is one serial loop per axis."""

    def __call__(
        self, scope: "LoopScope", op: ReductionOp, index: Index
    ) -> Sequence[SSAValue] | None:
        """Return the combined accumulators, or ``None`` to leave the reduction to the default."""
        ...


Place = tuple[SSAValue, Index]
"""A buffer and an index of it."""

Nearer = Callable[[SSAValue, Index], Place | None]
"""Where a copy of an element stands that is nearer than the tensor's buffer, if there is one."""


class LoopScope(Blocks):
    """Writes elements at an insertion point; implements ``graph.structure.Scope``.

    buffers: the tensors of the group that stand in a buffer. nearer: asked before an element is
    loaded from there.
    """

    def __init__(
        self,
        builder: Builder,
        buffers: Mapping[SSAValue, SSAValue],
        reducer: Reducer | None = None,
        nearer: Nearer | None = None,
    ):
        super().__init__(builder)
        self.b: ScalarBuilder = DecidingBuilder(builder, self)
        self.buffers = dict(buffers)
        self._reducer = reducer
        self._nearer = nearer
        self._dims: list[SSAValue] = []
        self._dim_ranges: list[Interval] = []
        self._ranges = Ranges()
        self._dim_levels: list[int] = []
        self._meanings: dict[int, AffineExpr] = {}
        self._symbols: list[SSAValue] = []
        self._symbol_sources: list[SSAValue] = []
        self._symbol_levels: list[int] = []
        self.integers: dict[SSAValue, AffineExpr] = {}
        """The values that are index expressions."""
        self.undecided: list[tuple[AffineExpr, int]] = []
        """The comparisons of an index expression with a constant that its range leaves open."""

    # Index expressions --------------------------------------------------------------------------

    @property
    def ranges(self) -> Ranges:
        """The ranges of the dims that have been opened so far."""
        if len(self._ranges.dims) < len(self._dim_ranges):
            self._ranges = Ranges(self._dim_ranges)
        return self._ranges

    def dim(
        self, value: SSAValue, range: Interval, meaning: AffineExpr | None = None
    ) -> AffineExpr:
        """Return an index value of the current block as a dim with values in ``range``.

        meaning: an expression that has the same value and takes longer to compute. It is taken
        where a position in a buffer is a sum of multiples by it.
        """
        if meaning is not None:
            self._meanings[len(self._dims)] = meaning
        self._dims.append(value)
        self._dim_ranges.append(range)
        self._dim_levels.append(self.depth)
        return AffineExpr.dimension(len(self._dims) - 1)

    def symbol(self, value: SSAValue) -> AffineExpr:
        if value not in self._symbol_sources:
            self._symbol_sources.append(value)
            self._symbols.append(self.b.cast(value, IndexType()))
            self._symbol_levels.append(self.depth)
        return AffineExpr.symbol(self._symbol_sources.index(value))

    def integer(self, expr: AffineExpr, type: Attribute) -> SSAValue:
        value = self.b.cast(self.index_value(expr), type)
        if not is_float(type):
            self.integers[value] = expr
        return value

    def index_value(self, expr: AffineExpr) -> SSAValue:
        """Return an index expression as an index value."""
        (flat,), values = self.resolve([expr])
        if isinstance(flat, AffineDimExpr):
            return values[flat.position]
        return self.b.insert(IndexOp(flat, values))

    def not_negative(self, expr: AffineExpr) -> AffineExpr:
        """Return an index of which only the caller knows that it is not negative as one that all
        know it of: divisions of it take less.
        """
        (plain,), values = self.resolve([expr])
        if isinstance(plain, AffineDimExpr):
            at = range_of(values[plain.position])
            if at.low is None or at.low < 0:
                value = self.b.maximum(values[plain.position], self.b.constant(0, IndexType()))
                return self.dim(value, self.interval(expr))
        return expr

    def resolve(self, exprs: Sequence[AffineExpr]) -> tuple[list[AffineExpr], list[SSAValue]]:
        """Return simplified expressions without symbols and the values of their dims."""
        flat = [simplify(e, self.ranges) for e in exprs]
        if self._symbols:
            own = range(len(self._dims), len(self._dims) + len(self._symbols))
            symbols = [AffineExpr.dimension(i) for i in own]
            flat = [e.replace_dims_and_symbols((), symbols) for e in flat]
        return flat, [*self._dims, *self._symbols]

    # Elements -----------------------------------------------------------------------------------

    def read(
        self, operand: SSAValue, index: Index, guard: Sequence[int] = (), fill: float = 0.0
    ) -> SSAValue:
        at = [simplify(e, self.ranges) for e in index]
        sizes = shape(operand)
        guard = [a for a in guard if not self.is_inside(at[a], sizes[a])]
        key = (operand, tuple(at), tuple(guard), fill if guard else None)
        return self.once(key, self._needed(at), lambda: [self._read(operand, at, guard, fill)])[0]

    def _read(self, operand: SSAValue, at: Index, guard: Sequence[int], fill: float) -> SSAValue:
        buffer = self.buffers.get(operand)
        near = self._nearer(operand, at) if self._nearer and not guard else None
        if near is not None:
            flat, values = self.resolve(near[1])
            return self.b.insert(LoadOp(near[0], flat, values))
        if buffer is not None:
            flat, values = self.resolve(at if guard else self.straight(at, shape(operand)))
            return self.b.insert(LoadOp(buffer, flat, values, guard, fill))
        if not guard:
            return self.compute(operand, at)
        type = compute_type(element_type(operand))
        return self.b.branch(
            self.inside(at, shape(operand), guard),
            lambda: [self.compute(operand, at)],
            lambda: [self.b.constant(fill, type)],
        )[0]

    def straight(self, at: Index, sizes: Sequence[int]) -> Index:
        """Return an index by the meanings of its dims, where these give a position in the buffer
        that each of what they are made of moves by one stride.
        """
        used = {i for expr in at for i in expr.used_dims()} & self._meanings.keys()
        if not used:
            return at
        dims = [self._meanings.get(i, AffineExpr.dimension(i)) for i in range(len(self._dims))]
        symbols = [AffineExpr.symbol(i) for i in range(len(self._symbols))]
        meant = [expr.replace_dims_and_symbols(dims, symbols) for expr in at]
        position = simplify(linear_index(meant, sizes), self.ranges)
        made_of = {i for dim in used for i in self._meanings[dim].used_dims()}
        is_straight = all(stride(position, i, self.ranges) is not None for i in made_of)
        return meant if is_straight else at

    def compute(self, value: SSAValue, index: Index) -> SSAValue:
        """Write the element of a tensor that an op of the group makes, and return its value."""
        op = value.owner
        if not isinstance(op, ComputedOp):
            name = "a group argument without a buffer" if isinstance(op, Block) else op.name
            raise CompileError(f"{name} cannot be computed inside a group; run graph-decompose")
        return op.element(self, index, op.results.index(value))

    def inside(self, index: Index, sizes: Sequence[int], axes: Sequence[int]) -> SSAValue:
        """Return as ``i1`` whether ``index`` is inside ``sizes`` along ``axes`` (at least one)."""
        conditions: list[SSAValue] = []
        for axis in axes:
            position = self.index_value(index[axis])
            zero, size = (self.b.constant(n, IndexType()) for n in (0, sizes[axis]))
            conditions += [self.b.compare("ge", position, zero)]
            conditions += [self.b.compare("lt", position, size)]
        result = conditions[0]
        for condition in conditions[1:]:
            result = self.b.logical("and", result, condition)
        return result

    def decide(self, predicate: Predicate, x: SSAValue, y: SSAValue) -> bool | None:
        """Return what comparing two integers gives, ``None`` where that is not known."""
        expr, limit = self.integers.get(x), integer_constant(y)
        if expr is None or limit is None:
            return None
        found = decided(predicate, interval_of(expr - limit, self.ranges))
        if found is not None:
            return found
        self.undecided.append((expr, limit + (predicate in ("gt", "le"))))
        return None

    def narrowed(self, x: SSAValue, y: SSAValue) -> tuple[SSAValue, SSAValue]:
        """Return two integers as indices where one is an index expression and one a constant: an
        index has no more bits than its range needs.
        """
        expr, limit = self.integers.get(x), integer_constant(y)
        if expr is None or limit is None:
            return x, y
        return self.index_value(expr), self.b.constant(limit, IndexType())

    def count_until(self, last: AffineExpr, size: int, count: int) -> SSAValue:
        """Return how many of ``count`` parts of ``size`` positions have one up to ``last``."""
        parts = last // size + 1
        until = self.index_value(parts)
        if not self.is_inside(parts, count + 1):
            until = self.b.minimum(until, self.b.constant(count, IndexType()))
        until.name_hint = "until"
        return until

    def where_below(self, expr: AffineExpr, limit: int, write: Callable[[], None]) -> None:
        """Write code that only runs where ``expr < limit``; no condition where it always is."""
        high = self.interval(expr).high
        if high is not None and high < limit:
            write()
            return
        position, size = self.index_value(expr), self.b.constant(limit, IndexType())
        self.where(self.b.compare("lt", position, size), write)

    def where_reached(self, expr: AffineExpr, loop: ForOp, write: Callable[[], None]) -> None:
        """Write code that only runs where a loop has the iteration of a number."""
        if loop.until is None:
            self.where_below(expr, loop.range.stop, write)
        else:
            self.where(self.b.compare("lt", self.index_value(expr), loop.until), write)

    def where_inside(self, index: Index, sizes: Sequence[int], write: Callable[[], None]) -> None:
        """Write code that only runs where ``index`` is inside ``sizes`` along every axis."""
        self.where(self.inside(index, sizes, range(len(sizes))), write)

    def where(self, condition: SSAValue, write: Callable[[], None]) -> None:
        """Write code that only runs where an ``i1`` holds."""
        taken = scf.IfOp(condition, [], Region(Block()))
        self.b.builder.insert(taken)
        with self.enter(taken.true_region.block, None):
            write()
            self.b.builder.insert(scf.YieldOp())

    def interval(self, expr: AffineExpr) -> Interval:
        """Return an interval that holds every value of an index expression."""
        return interval_of(expr, self.ranges)

    def is_inside(self, expr: AffineExpr, size: int) -> bool:
        """Return whether an index is inside an axis, whatever the dims are."""
        return self.interval(expr).within(0, size - 1)

    # Reductions ---------------------------------------------------------------------------------

    def reduce(self, op: ReductionOp, index: Index) -> Sequence[SSAValue]:
        at = [simplify(e, self.ranges) for e in index]
        return self.once((op, tuple(at)), self._needed(at), lambda: self._reduce(op, at))

    def _reduce(self, op: ReductionOp, index: Index) -> Sequence[SSAValue]:
        if self._reducer is not None:
            totals = self._reducer(self, op, index)
            if totals is not None:
                return totals
        return self.reduce_serially(op, index, op.domain.reduction, op.identity(self.b), [])

    def reduce_serially(
        self,
        op: ReductionOp,
        index: Index,
        sizes: Sequence[int],
        totals: Sequence[SSAValue],
        outer: Index,
    ) -> Sequence[SSAValue]:
        """Loop over the reduction axes ``sizes`` that follow the opened ones ``outer``."""
        if not sizes:
            return op.append(self.b, totals, op.contribution(self, index, outer))
        loop = ForOp(0, sizes[0], kind=LoopKind.REDUCTION, iter_args=totals)
        with self.loop(loop) as dim:
            carried = loop.carried_arguments
            inner = self.reduce_serially(op, index, sizes[1:], carried, [*outer, dim])
            self.b.builder.insert(YieldOp(*inner))
        return loop.results

    # Blocks -------------------------------------------------------------------------------------

    @contextmanager
    def loop(self, loop: ForOp, stay: bool = False) -> Generator[AffineExpr]:
        """Insert a loop and write into its body; gives its induction variable as a dim.

        stay: nothing is written before the loop that its body asks for.
        """
        self.b.builder.insert(loop)
        values = loop.range
        # What a loop that never runs would read may not be there.
        leave = InsertPoint.before(loop) if len(values) and not stay else None
        with self.enter(loop.body.block, leave):
            last = values[-1] if len(values) else values.start
            yield self.dim(loop.induction, Interval(values.start, last))

    def parallel_loop(self, size: int, map: LoopMap, write: Callable[[AffineExpr], None]) -> ForOp:
        """Insert a parallel loop whose body ``write`` writes."""
        loop = ForOp(0, size, kind=LoopKind.PARALLEL, map=map)
        with self.loop(loop) as dim:
            write(dim)
            self.b.builder.insert(YieldOp())
        return loop

    def named(self, name: str, expr: AffineExpr) -> AffineExpr:
        """Return an expression as a value that is computed once."""
        interval = self.interval(expr)
        if interval.low is not None and interval.low == interval.high:
            return AffineExpr.constant(interval.low)
        value = self.index_value(expr)
        if value.name_hint is None:
            value.name_hint = name
        return self.dim(value, interval)

    def named_loop(
        self, name: str, size: int, map: LoopMap, write: Callable[[AffineExpr], None]
    ) -> None:
        """Insert a parallel loop, over blocks or threads, whose body ``write`` writes."""
        self.parallel_loop(size, map, write).induction.name_hint = name

    @contextmanager
    def region(self, block: Block, sizes: Sequence[int]) -> Generator[list[AffineExpr]]:
        """Write into a block that nothing moves out of; gives its arguments as dims.

        sizes: the first value that each index is too large for; other arguments come after.
        """
        with self.enter(block, None):
            yield [self.dim(a, extent(n)) for a, n in zip(block.args, sizes, strict=False)]

    def _needed(self, index: Index) -> int:
        """Return the depth of the outermost block where all values in ``index`` exist."""
        needed = 0
        for leaf in (leaf for expr in index for leaf in expr.dfs()):
            if isinstance(leaf, AffineDimExpr):
                needed = max(needed, self._dim_levels[leaf.position])
            elif isinstance(leaf, AffineSymExpr):
                needed = max(needed, self._symbol_levels[leaf.position])
        return needed
