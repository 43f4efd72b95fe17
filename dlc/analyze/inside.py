"""The multiply-adds of a contraction that do not meet padding."""

from itertools import product
from math import prod

from dlc.analysis.form import once_per_form
from dlc.dialects.graph.computed import ContractionOp
from dlc.ir.tensor import shape


@once_per_form
def points_inside(op: ContractionOp) -> int:
    """Return how many points of a contraction read its lhs inside of it: the others multiply the
    zeros of padding, which a kernel may leave out. Axes with padding share no loop.
    """
    lhs, _, _ = op.indexing_maps()
    sizes = (*op.domain.parallel, *op.domain.reduction)
    lengths = shape(op.operands[0])
    found = op.domain.points
    for axis in op.lhs_guard:
        place = lhs.results[axis]
        dims = sorted(place.used_dims())
        count = 0
        for point in product(*(range(sizes[dim]) for dim in dims)):
            at = dict(zip(dims, point, strict=True))
            count += 0 <= place.eval([at.get(d, 0) for d in range(len(sizes))], []) < lengths[axis]
        found = found * count // max(1, prod(sizes[dim] for dim in dims))
    return found
