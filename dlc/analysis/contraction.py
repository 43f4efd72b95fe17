"""A contraction as a batched matrix product: which loops are M, N, K and batch."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import prod

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineMap,
)

from dlc.analysis.form import once_per_form
from dlc.core.affine import unflatten
from dlc.dialects.graph.computed import ContractionOp


@dataclass(frozen=True)
class GemmLoop:
    """A loop of ``size`` iterations over ``step``, ``2 * step``, ... of dim ``dim`` of the op's
    maps.

    A dim is one loop of step 1, or two: grouped channels are ``group * step + channel``.
    """

    dim: int
    size: int
    step: int = 1


@dataclass(frozen=True)
class Gemm:
    """``result[batch, m, n] += lhs[batch, m, k] * rhs[batch, k, n]``; each of the four is a loop
    nest.

    Loops of size 1 are left out. The order within each is the order of the op's dims. beside: the
    loop over products whose columns stand beside each other; its iterations are the first ones of
    ``n``.
    """

    batch: tuple[GemmLoop, ...]
    m: tuple[GemmLoop, ...]
    n: tuple[GemmLoop, ...]
    k: tuple[GemmLoop, ...]
    dim_count: int
    beside: tuple[GemmLoop, ...] = ()

    @property
    def batch_size(self) -> int:
        """The number of independent products."""
        return _points(self.batch)

    @property
    def m_size(self) -> int:
        """The rows of one product."""
        return _points(self.m)

    @property
    def n_size(self) -> int:
        """The columns of one product."""
        return _points(self.n)

    @property
    def k_size(self) -> int:
        """The length of the reduction."""
        return _points(self.k)

    @property
    def points(self) -> int:
        """The multiply-adds of all products."""
        return self.batch_size * self.m_size * self.n_size * self.k_size

    def joined(self, count: int) -> "Gemm":
        """Return it with the columns of ``count`` neighbouring products of the batch in one; the
        innermost loop of the batch has a multiple of them.
        """
        if count == 1:
            return self
        *outer, inner = self.batch
        beside = replace(inner, size=count)
        rest = replace(inner, size=inner.size // count, step=inner.step * count)
        return replace(self, batch=(*outer, rest), n=(beside, *self.n), beside=(beside,))

    def dims(
        self, batch: AffineExpr, m: AffineExpr, n: AffineExpr, k: AffineExpr
    ) -> list[AffineExpr]:
        """Return the op's dims at a point of the product, each of the four counted row by row."""
        values = [AffineExpr.constant(0)] * self.dim_count
        for loops, flat in ((self.batch, batch), (self.m, m), (self.n, n), (self.k, k)):
            for loop, at in zip(loops, unflatten(flat, [x.size for x in loops]), strict=True):
                values[loop.dim] = values[loop.dim] + at * loop.step
        return values


@once_per_form
def gemm(op: ContractionOp) -> Gemm:
    """Return the loops of ``op``: dims of the result and one factor are M or N, of the result
    and both factors batch, of the factors only K.

    A dim that one factor sees through a floor division only (the channels of a grouped
    convolution) is cut in a batch loop over the quotients and a loop over the rest.
    """
    lhs, rhs, result = op.indexing_maps()
    sizes = (*op.domain.parallel, *op.domain.reduction)
    nests: dict[str, list[GemmLoop]] = {"batch": [], "m": [], "n": [], "k": []}
    for dim, size in enumerate(sizes):
        if size == 1:
            continue
        if not _uses(result, dim):
            nests["k"].append(GemmLoop(dim, size))
            continue
        left, right = _quotient(lhs, dim, size), _quotient(rhs, dim, size)
        group = max(left, right)
        if _uses(lhs, dim) and _uses(rhs, dim):
            nests["batch"].append(GemmLoop(dim, size // group, group))
            rest = "n" if left > 1 else "m"
            if group > 1:
                nests[rest].append(GemmLoop(dim, group))
        else:
            nests["n" if _uses(rhs, dim) else "m"].append(GemmLoop(dim, size))
    return Gemm(*(tuple(nests[name]) for name in ("batch", "m", "n", "k")), dim_count=len(sizes))


def _points(loops: Sequence[GemmLoop]) -> int:
    return prod(loop.size for loop in loops)


def _uses(map: AffineMap, dim: int) -> bool:
    return any(dim in expr.used_dims() for expr in map.results)


def _quotient(map: AffineMap, dim: int, size: int) -> int:
    """Return ``c`` when ``map`` sees ``dim`` as ``dim floordiv c`` only and ``c`` divides its
    size, else 1.
    """
    divisors = {d for expr in map.results for d in _divisors(expr, dim)}
    divisor = divisors.pop() if len(divisors) == 1 else 1
    return divisor if size % divisor == 0 else 1


def _divisors(expr: AffineExpr, dim: int) -> set[int]:
    """Return what ``dim`` is divided by wherever it stands in ``expr``; 1 where it is not
    divided.
    """
    match expr:
        case AffineDimExpr():
            return {1} if expr.position == dim else set()
        case AffineBinaryOpExpr(
            AffineBinaryOpKind.FloorDiv, AffineDimExpr(at), AffineConstantExpr(c)
        ):
            return {c} if at == dim else set()
        case AffineBinaryOpExpr():
            return _divisors(expr.lhs, dim) | _divisors(expr.rhs, dim)
        case _:
            return set()
