"""Totals of whole rows of a product, which its threads have together before they finish a row."""

from collections.abc import Sequence

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from dlc.analysis.element_profile import profile
from dlc.analysis.epilogue import Place
from dlc.dialects.graph.computed import ComputedOp, ElementwiseOp, Index, ReductionOp
from dlc.dialects.loop import MapAccumulatorOp, MeetOp, TotalRowsOp, YieldOp
from dlc.dialects.loop.memory import AllocOp, buffer_shape
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type, element_type
from dlc.lowering.product import At, Product
from dlc.lowering.product_drain import element_of
from dlc.lowering.tile_scope import TileScope


def total_rows(
    scope: TileScope,
    product: Product,
    batch: At,
    first: Sequence[AffineExpr],
    sums: SSAValue,
    in_cluster: bool,
) -> None:
    """Write the totals of rows that the group needs, one after the other; ``scope`` knows them.

    What all of them are computed from takes the place of the sums. first: the row and the column of
    the tile. in_cluster: the blocks of the cluster have the columns of a row.
    """
    if not scope.rows.totals:
        return
    if in_cluster:
        scope.b.builder.insert(MeetOp())
    _hold(scope, product, batch, first, sums)
    for op in scope.rows.totals:
        scope.totals[op] = _total(scope, product, batch, first, sums, op, in_cluster)


def _hold(
    scope: TileScope, product: Product, batch: At, first: Sequence[AffineExpr], sums: SSAValue
) -> None:
    """Write to the tile what a chain of ops makes of its elements, of which nothing else reads one:
    what follows needs it several times.
    """
    held = scope.root
    while (op := _only_reader(scope, held)) is not None:
        held = op.results[0]
    if held is scope.root:
        return
    flat, dims = scope.resolve(first)
    limits = product.gemm.m_size, product.gemm.n_size
    op = MapAccumulatorOp(sums, flat, dims, limits)
    scope.b.builder.insert(op)
    with element_of(scope, product, batch, first[0], op) as (index, load):
        with scope.holding(load):
            element = scope.read(held, _at(scope.places[held], index))
        scope.b.builder.insert(YieldOp(element))
    scope.held = held


def _only_reader(scope: TileScope, value: SSAValue) -> ComputedOp | None:
    """Return the op that alone reads a tensor, where it computes element by element, in one type,
    and needs no totals.
    """
    users = {use.operation for use in value.uses}
    op = next(iter(users))
    if len(users) > 1 or not isinstance(op, ElementwiseOp) or op.results[0] not in scope.places:
        return None
    types = {compute_type(element_type(v)) for v in (value, op.results[0])}
    return None if len(types) > 1 or scope.rows.values.intersection(op.operands) else op


def _total(
    scope: TileScope,
    product: Product,
    batch: At,
    first: Sequence[AffineExpr],
    sums: SSAValue,
    op: ReductionOp,
    in_cluster: bool,
) -> SSAValue:
    """Write one total of each row; return the buffer that has it."""
    (nothing,) = op.identity(scope.b)
    rows = buffer_shape(sums)[0]
    space = SpaceAttr(Space.SHARED)
    totals = scope.b.insert(AllocOp(MemRefType(nothing.type, [rows], memory_space=space)))
    flat, dims = scope.resolve(first)
    limits = product.gemm.m_size, product.gemm.n_size
    total = TotalRowsOp(sums, totals, nothing, flat, dims, limits, in_cluster)
    scope.b.builder.insert(total)
    with element_of(scope, product, batch, first[0], total) as (index, load):
        with scope.holding(load):
            parts = op.contribution(scope, *_point(scope, op, index))
        scope.b.builder.insert(YieldOp(*parts))
    each = total.combination.block
    with scope.region(each, ()):
        scope.b.builder.insert(YieldOp(*op.combine(scope.b, [each.args[0]], [each.args[1]])))
    return totals


def _point(scope: TileScope, op: ReductionOp, index: Index) -> tuple[Index, Index]:
    """Return where the element at an index of the root is in the space of a reduction."""
    found = profile(op)
    (read,) = (each for each in found.reads if each.reduced)
    place = scope.places[op.operands[read.operand]]
    rank = len(found.parallel)
    dims = [AffineExpr.constant(0)] * (rank + len(found.reduction))
    for expr, at in zip(read.map.results, _at(place, index), strict=True):
        if isinstance(expr, AffineDimExpr):
            dims[expr.position] = at
    return dims[:rank], dims[rank:]


def _at(place: Place, index: Index) -> list[AffineExpr]:
    return [expr.replace_dims_and_symbols(index, ()) for expr in place.index]
