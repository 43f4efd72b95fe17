"""How many neighbours of a computed factor a thread computes together."""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import gcd

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.contraction import gemm
from dlc.analysis.dataflow import Cluster
from dlc.analysis.element_profile import profile
from dlc.arch.memory import ACCESS_BYTES
from dlc.core.affine import Ranges, divisor_of, extent, linear_index, simplify, stride
from dlc.dialects.graph.computed import ComputedOp, ContractionOp, apply_map
from dlc.ir.tensor import element_bytes, element_type, shape

Leaf = tuple[SSAValue, Sequence[AffineExpr]]
"""A tensor in memory, and the index of the element that is read."""


def computed_run(cluster: Cluster, op: ContractionOp) -> int:
    """Return how many neighbours of the lhs along the reduction are computed and stored together,
    where it is computed: as many as one store takes if all tensors that it is computed of have
    neighbours there, aligned, or one element for all of them; else 1.
    """
    count = ACCESS_BYTES // element_bytes(element_type(op.operands[0]))
    index = op.indexing_maps()[0].results
    leaves = elements_read(cluster, op.operands[0], index)
    if not leaves:
        return 1
    guarded = {dim for axis in op.lhs_guard for dim in index[axis].used_dims()}
    inner = gemm(op).k[-1] if gemm(op).k else None
    if inner is None or inner.dim in guarded or inner.step != 1 or inner.size % count:
        return 1
    ranges = Ranges([extent(n) for n in (*op.domain.parallel, *op.domain.reduction)])
    places = ((tuple(index), shape(value)) for value, index in leaves)
    return count if all(_is_together(*at, inner.dim, count, ranges) for at in places) else 1


def elements_read(cluster: Cluster, value: SSAValue, index: Sequence[AffineExpr]) -> Sequence[Leaf]:
    """Return the elements in memory that give the one of a value at an index; none where it is
    computed of many, or of one at a place that is computed.
    """
    try:
        return list(_leaves(cluster, value, index))
    except _NotElementwiseError:
        return ()


class _NotElementwiseError(Exception):
    """An element is computed of many, or of one at a place that is computed."""


def _leaves(cluster: Cluster, value: SSAValue, index: Sequence[AffineExpr]) -> Iterator[Leaf]:
    """Yield the reads from memory that give the element of a value at an index."""
    if not cluster.inner(value):
        yield value, index
        return
    owner = value.owner
    assert isinstance(owner, ComputedOp)
    for read in profile(owner).reads:
        if read.reduced or read.is_gather or read.guarded:
            raise _NotElementwiseError
        yield from _leaves(cluster, owner.operands[read.operand], apply_map(read.map, index))


@lru_cache(4096)  # ops before a product read alike, however many of them share its kernel
def _is_together(
    index: tuple[AffineExpr, ...], sizes: tuple[int, ...], dim: int, count: int, ranges: Ranges
) -> bool:
    """Return whether runs of ``count`` along a dim are aligned neighbours, or one element, at an
    index of a tensor of shape ``sizes``.
    """
    position = simplify(linear_index(index, sizes), ranges)
    step = stride(position, dim, ranges)
    steps = [0 if at == dim else 1 for at in range(dim + 1)]
    return step == 0 or (step == 1 and gcd(count, divisor_of(position, steps, ranges)) == count)
