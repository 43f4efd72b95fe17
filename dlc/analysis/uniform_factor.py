"""What is left of a contraction where the elements of one factor are all equal."""

from collections.abc import Sequence

from xdsl.ir.affine import AffineDimExpr, AffineExpr

from dlc.core.affine import Ranges, extent, interval_of
from dlc.dialects.graph.computed import ContractionOp
from dlc.ir.tensor import shape


def uniform_shape(op: ContractionOp, number: int) -> list[int]:
    """Return the smallest shape of a factor of equal elements with which ``op`` has every sum that
    it has with one of the whole shape: those along axes that only this factor has are the same.

    Where a window may reach into the padding, all its positions stay.
    """
    maps, sizes = op.indexing_maps(), shape(op.operands[number])
    guarded = () if number else op.lhs_guard
    parallel = len(op.domain.parallel)
    others = {dim for expr in maps[1 - number].results for dim in expr.used_dims()}
    free = {dim for dim in range(parallel) if dim not in others}
    extents = (*op.domain.parallel, *op.domain.reduction)
    ranges = Ranges([extent(1 if dim in free else n) for dim, n in enumerate(extents)])

    def size(axis: int, expr: AffineExpr) -> int:
        high = interval_of(expr, ranges).high
        if axis in guarded or high is None or not set(expr.used_dims()) & free:
            return sizes[axis]
        return high + 1

    return [size(axis, expr) for axis, expr in enumerate(maps[number].results)]


def against_result(op: ContractionOp, number: int, sizes: Sequence[int]) -> list[int] | None:
    """Return the shape in which a tensor of ``sizes``, which broadcasts against a factor,
    broadcasts against the result; ``None`` where it varies along the reduction, or the order of the
    axes is another.
    """
    maps = op.indexing_maps()
    factor, result = maps[number].results, maps[2].results
    found, last = [1] * len(result), -1
    for expr, size in zip(factor[len(factor) - len(sizes) :], sizes, strict=True):
        if size == 1:
            continue
        if not isinstance(expr, AffineDimExpr) or expr not in result or _users(factor, expr) > 1:
            return None
        axis = result.index(expr)
        if axis < last:
            return None
        found[axis], last = size, axis
    return found


def _users(exprs: Sequence[AffineExpr], dim: AffineDimExpr) -> int:
    return sum(dim.position in expr.used_dims() for expr in exprs)
