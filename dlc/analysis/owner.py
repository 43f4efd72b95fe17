"""Whether an element of global memory that two accesses touch belongs to one block or one thread.

An index that is ``64 * block + x``, ``x`` below 64, gives the block away: its quotient by 64. Such
quotients of the axes and of the row-major position are the *marks* of an access. Where two blocks
never have the same marks, no element is touched by both. Where blocks take the iterations of a loop
in rounds, the remainder of a quotient by the number of blocks is a mark.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineBinaryOpExpr, AffineBinaryOpKind, AffineConstantExpr, AffineExpr

from dlc.analysis.index_expression import IndexExpressions
from dlc.analysis.rounds import taken_in_rounds
from dlc.arch.scope import Scope
from dlc.core.affine import Ranges, extent, linear_index, simplify, uses_symbols
from dlc.dialects.gpu import BlockIdOp, KernelOp, ThreadIdOp
from dlc.dialects.gpu.kernel import IdOp
from dlc.ir.access import Access, MemoryOp
from dlc.ir.space import Space, space_of


def global_accesses(op: Operation) -> list[Access]:
    """Return what one operation itself touches in global memory."""
    if not isinstance(op, MemoryOp):
        return []
    return [a for a in op.accesses() if space_of(a.buffer) is Space.GLOBAL]


def exchanged_buffers(kernel: KernelOp) -> set[SSAValue]:
    """Return the global buffers that a kernel both writes and reads."""
    accesses = [a for op in kernel.walk() for a in global_accesses(op)]
    return {a.buffer for a in accesses if a.reads} & {a.buffer for a in accesses if a.writes}


def is_owned(kernel: KernelOp, first: Access, later: Access, by: Scope) -> bool:
    """Return whether surely no element is touched by both accesses in two blocks (``Scope.BLOCK``),
    in two clusters (``Scope.CLUSTER``), or in two threads of one block (``Scope.THREAD``).
    """
    owners = _Owners(kernel, by)
    if owners.is_one:
        return True
    left, right = owners.marks(first), owners.marks(later)
    common = [key for key in left if key in right and left[key].rest == right[key].rest]
    pairs = [(left[key].own, right[key].own) for key in common]
    return bool(pairs) and owners.differ(*zip(*pairs, strict=True))


@dataclass(frozen=True)
class _Mark:
    """An expression of the owner's ids only, and the terms beside it, the same for all owners."""

    own: AffineExpr
    rest: frozenset[AffineExpr]


class _Owners:
    """The blocks or the clusters of a grid, or the threads of a block, by the ids of blocks or
    threads.
    """

    def __init__(self, kernel: KernelOp, by: Scope):
        kind, self._sizes = (BlockIdOp, kernel.grid_size)
        if by is Scope.THREAD:
            kind, self._sizes = (ThreadIdOp, kernel.block_size)
        self._group = kernel.cluster_size if by is Scope.CLUSTER else (1, 1, 1)
        self._expressions = IndexExpressions()
        ids: list[IdOp] = [op for op in kernel.walk() if isinstance(op, IdOp)]
        for op in ids:
            self._expressions.of(op.output)
        self._axes = {number: op.axis for number, op in enumerate(ids) if isinstance(op, kind)}
        shared = self._of_threads = by is Scope.THREAD
        self._shared = {n for n in range(len(ids)) if n not in self._axes} if shared else set()

    @property
    def is_one(self) -> bool:
        """Whether there is one block, one cluster, one thread."""
        return prod(self._sizes) == prod(self._group)

    def marks(self, access: Access) -> dict[tuple[int, int, int], _Mark]:
        """Return the marks of an access by axis, the position as one more, divisor, and by what it
        is a remainder, or 0; none for the box of a tensor map, whose coordinates are not the
        buffer's.
        """
        if access.region is not None:
            return {}
        sizes = access.type.get_shape()
        axes = [self._expressions.index(access, axis) for axis in range(len(sizes))]
        if axes:
            axes[-1] += AffineExpr.symbol(0)  # the element of the vector
        ranges = Ranges(self._expressions.ranges.dims, [extent(access.elements)])
        found: dict[tuple[int, int, int], _Mark] = {}
        for number, index in enumerate([*axes, linear_index(axes, sizes)]):
            for divisor in self._divisors(simplify(index, ranges)):
                quotient, by = self._without_rounds(simplify(index // divisor, ranges))
                mark = self._mark(quotient)
                if mark is not None:
                    found[number, divisor, by] = mark
        return found

    def _divisors(self, index: AffineExpr) -> set[int]:
        """Return by what an index is divided: the factors of its terms, and so many times the
        blocks of a cluster, whose blocks have the elements of each other.
        """
        factors, size = {1, *_factors(index)}, prod(self._group)
        return factors | {factor * size for factor in factors}

    def _without_rounds(self, expr: AffineExpr) -> tuple[AffineExpr, int]:
        """Return what an expression is, or its remainder and by what where blocks take rounds."""
        taken = None if self._of_threads else taken_in_rounds(expr, self._expressions)
        return (expr, 0) if taken is None else taken

    def _mark(self, expr: AffineExpr) -> _Mark | None:
        own, rest = AffineExpr.constant(0), set[AffineExpr]()
        for term in _terms(expr):
            dims = term.used_dims()
            if uses_symbols(term) or not dims <= {*self._axes, *self._shared}:
                return None
            if dims <= self._axes.keys():
                own += term
            elif dims <= self._shared:
                rest.add(term)
            else:
                return None
        return _Mark(own, frozenset(rest))

    def differ(self, left: Sequence[AffineExpr], right: Sequence[AffineExpr]) -> bool:
        """Return whether no owner's marks on the left are another one's on the right."""
        count, owner = prod(self._sizes), self._owner()
        table = np.concatenate([self._table(left), self._table(right)])
        _, numbers = np.unique(table, axis=0, return_inverse=True)
        lefts, rights = numbers.reshape(2, count)
        first, last = np.full(2 * count, count), np.full(2 * count, -1)
        np.minimum.at(first, lefts, owner)
        np.maximum.at(last, lefts, owner)
        is_own = (first[rights] == owner) & (last[rights] == owner)
        return bool(((last[rights] == -1) | is_own).all())

    def _ids(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return x, y and z of all blocks, or threads."""
        x, y, _ = self._sizes
        number = np.arange(prod(self._sizes))
        return number % x, number // x % y, number // (x * y)

    def _owner(self) -> np.ndarray:
        """Return the number of the owner that each block, or thread, is or belongs to."""
        x, y, z = (at // by for at, by in zip(self._ids(), self._group, strict=True))
        return x + (y + z * self._sizes[1]) * self._sizes[0]

    def _table(self, exprs: Sequence[AffineExpr]) -> np.ndarray:
        """Return the values of expressions for all owners: owners x expressions."""
        ids = self._ids()
        last = max(self._axes, default=-1)
        dims: list[Any] = [ids[self._axes.get(dim, 0)] for dim in range(last + 1)]
        columns = [expr.eval(dims, ()) + np.zeros_like(ids[0]) for expr in exprs]
        return np.stack(columns, axis=1)


def _terms(expr: AffineExpr) -> Iterator[AffineExpr]:
    """Give the terms of a sum."""
    if isinstance(expr, AffineBinaryOpExpr) and expr.kind is AffineBinaryOpKind.Add:
        yield from _terms(expr.lhs)
        yield from _terms(expr.rhs)
    else:
        yield expr


def _factors(expr: AffineExpr) -> set[int]:
    """Return the factors above 1 of the terms of a sum."""
    found: set[int] = set()
    for term in _terms(expr):
        if isinstance(term, AffineBinaryOpExpr) and isinstance(term.rhs, AffineConstantExpr):
            found.add(abs(term.rhs.value) if term.kind is AffineBinaryOpKind.Mul else 1)
    return found - {0, 1}
