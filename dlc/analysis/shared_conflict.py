"""Whether two accesses by different threads of a block need a barrier between them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from xdsl.ir import Block, Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr

from dlc.analysis.index_range import range_of
from dlc.analysis.uniformity import is_uniform
from dlc.arch.scope import Scope
from dlc.core.affine import Interval, Ranges, divisor_of, interval_of, linear_index, simplify
from dlc.ir.access import Access, MemoryOp
from dlc.ir.order import BETWEEN_THREADS, OrderingOp
from dlc.ir.space import Space, space_of


def shared_accesses(op: Operation) -> list[Access]:
    """Return what one operation itself touches in shared memory."""
    if not isinstance(op, MemoryOp):
        return []
    return [a for a in op.accesses() if space_of(a.buffer) is Space.SHARED]


def is_block_barrier(op: Operation) -> bool:
    """Return whether all threads of a block wait for each other at ``op``."""
    return isinstance(op, OrderingOp) and op.is_barrier(Scope.BLOCK)


def waits_for_a_token(op: Operation) -> bool:
    """Return whether a thread waits at ``op`` for what others of its block have released."""
    token = op.acquires if isinstance(op, OrderingOp) else None
    return token is not None and token.kind in BETWEEN_THREADS


Touched = Callable[[Operation], Sequence[Access]]
"""Gives the accesses of one operation that matter."""


def exposed_accesses(op: Operation, touched: Touched) -> list[Access]:
    """Return what ``op`` and its regions touch before the first barrier inside, or before the first
    wait for a token, which orders what comes after it.
    """
    inside = (a for r in op.regions for b in r.blocks for a in _exposed(b, touched))
    return [*touched(op), *inside]


def _exposed(block: Block, touched: Touched) -> Iterator[Access]:
    for op in block.ops:
        if is_block_barrier(op):
            return
        yield from exposed_accesses(op, touched)
        if waits_for_a_token(op):
            return


@dataclass(frozen=True)
class Pending:
    """An access since the last barrier. past: the values in its place that a loop has given others
    since, in a later iteration.
    """

    access: Access
    past: frozenset[SSAValue] = frozenset()

    @property
    def key(self) -> tuple[int, frozenset[SSAValue]]:
        """What tells it from others, where equal accesses are one object."""
        return id(self.access), self.past


class Conflicts:
    """Which accesses of one kernel need a barrier between them, while its values are what they are.

    Bodies of loops are gone through several times, so what was asked and what is known of values
    is kept. Equal accesses are one object (``one``).
    """

    def __init__(self) -> None:
        self._answers: dict[tuple[int, frozenset[SSAValue], int], bool] = {}
        self._accesses: dict[Access, Access] = {}
        self._uniform: dict[SSAValue, bool] = {}
        self._ranges: dict[SSAValue, Interval] = {}

    def one(self, access: Access) -> Access:
        """Return the object that stands for all accesses that equal this one."""
        return self._accesses.setdefault(access, access)

    def needs_barrier(self, earlier: Pending, later: Access) -> bool:
        """Return whether another thread's ``later`` must wait for ``earlier``; both are ``one``.

        A write does not wait for itself: what a loop writes again, the same thread writes.
        """
        first = earlier.access
        if first.buffer is not later.buffer or not (first.writes or later.writes):
            return False
        if (first is later and not first.reads) or (first.atomic and later.atomic):
            return False
        key = (*earlier.key, id(later))
        if key not in self._answers:
            self._answers[key] = not self._are_disjoint(first, later, earlier.past)
        return self._answers[key]

    def _are_disjoint(self, first: Access, later: Access, past: frozenset[SSAValue]) -> bool:
        """Return whether the places differ along an axis, or counted through, for any two threads.

        What is the same in all threads, and still what it was, may be compared; what is not has any
        value of its range in each.
        """
        reaches = [max(pair) for pair in zip(first.reach, later.reach, strict=True)]
        if reaches[-1] > first.type.get_shape()[-1]:
            return False
        values = list(dict.fromkeys((*first.operands, *later.operands)))
        uniform = [v not in past and self._is_uniform(v) for v in values]
        ranges = Ranges([self._range_of(v) for v in values] * 2)
        for axis, reach in enumerate(reaches):
            left, right = (_over(a, axis, values) for a in (first, later))
            if _differ_for_any_threads(left, right, uniform, ranges, reach):
                return True
        left, right = (_position(a, values) for a in (first, later))
        return _differ_for_any_threads(left, right, uniform, ranges, reaches[-1])

    def _is_uniform(self, value: SSAValue) -> bool:
        if value not in self._uniform:
            self._uniform[value] = is_uniform(value)
        return self._uniform[value]

    def _range_of(self, value: SSAValue) -> Interval:
        if value not in self._ranges:
            self._ranges[value] = range_of(value)
        return self._ranges[value]


def _differ_for_any_threads(
    left: AffineExpr, right: AffineExpr, uniform: list[bool], ranges: Ranges, reach: int
) -> bool:
    """Return whether two indices are always at least ``reach`` apart, each in a thread of its own.

    uniform: by dim, whether it is the same in all threads.
    """
    others = _in_another_thread(right, uniform)
    gap = left - others
    if _is_outside(interval_of(gap, ranges), reach) or _never_meet(gap, ranges, reach):
        return True
    is_same = others == right and all(uniform[dim] for dim in left.used_dims())
    return is_same and _differ(left, right, ranges, reach)


def _in_another_thread(expr: AffineExpr, uniform: list[bool]) -> AffineExpr:
    """Return an expression over other dims for what another thread has another value of."""
    count = len(uniform)
    dims = [AffineExpr.dimension(i if same else count + i) for i, same in enumerate(uniform)]
    return expr.replace_dims_and_symbols(dims, ())


def _is_outside(gap: Interval, reach: int) -> bool:
    """Return whether every integer of an interval is at least ``reach`` away from 0."""
    below = gap.high is not None and gap.high <= -reach
    return below or (gap.low is not None and gap.low >= reach)


def _never_meet(gap: AffineExpr, ranges: Ranges, reach: int) -> bool:
    """Return whether all values of ``gap`` leave the same remainder of some number, and one that is
    at least ``reach`` away from 0.
    """
    dims = 1 + max(gap.used_dims(), default=-1)
    start = gap.eval([0] * dims, ())
    step = divisor_of(gap - start, ranges=ranges)
    return step > 0 and reach <= start % step <= step - reach


def _over(access: Access, axis: int, values: list[SSAValue]) -> AffineExpr:
    dims = [AffineExpr.dimension(values.index(v)) for v in access.operands]
    return access.map.results[axis].replace_dims_and_symbols(dims, ())


def _position(access: Access, values: list[SSAValue]) -> AffineExpr:
    """Return the position in its buffer of what an access touches first."""
    sizes = access.type.get_shape()
    index = [_over(access, axis, values) for axis in range(len(sizes))]
    return simplify(linear_index(index, sizes), Ranges())


def _differ(left: AffineExpr, right: AffineExpr, ranges: Ranges, reach: int) -> bool:
    """Return whether two indices are always at least ``reach`` apart."""
    gap = _constant(simplify(left - right, ranges))
    if gap is not None:
        return abs(gap) >= reach
    pair = [simplify(e, ranges) for e in (left, right)]
    (x, n), (y, m) = map(_remainder, pair)
    # An index that is below the other's divisor anyway has lost its remainder.
    n = n or (m if interval_of(x, ranges).within(0, m - 1) else 0)
    m = m or (n if interval_of(y, ranges).within(0, n - 1) else 0)
    gap = _constant(simplify(x - y, ranges))
    return reach == 1 and n == m != 0 and gap is not None and gap % n != 0


def _remainder(expr: AffineExpr) -> tuple[AffineExpr, int]:
    """Return ``(x, n)`` for ``x mod n``, and ``(expr, 0)`` for another expression."""
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.Mod:
        divisor = _constant(expr.rhs)
        if divisor is not None:
            return expr.lhs, divisor
    return expr, 0


def _constant(expr: AffineExpr) -> int | None:
    return expr.value if isinstance(expr, AffineConstantExpr) else None
