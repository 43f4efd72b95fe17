"""Combination of the values of all lanes of a warp or block, by shuffles and shared memory."""

from collections.abc import Callable, Sequence

from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, MemRefType, i1, i32, i64
from xdsl.ir import Attribute, Block, Region, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.arch.fragments import WARP_LANES
from dlc.dialects import gpu
from dlc.dialects.loop.memory import IndexOp, LoadOp, StoreOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.ir.space import Space, SpaceAttr

Parts = Sequence[SSAValue]
Combine = Callable[[Parts, Parts], Parts]
"""Writes the combination of two lanes' values."""

_CARRIED: dict[Attribute, Attribute] = {i1: i32, IndexType(): i64}
"""How types that a shuffle cannot carry travel."""


def combine_over_warp(b: ScalarBuilder, parts: Parts, combine: Combine, lanes: int) -> Parts:
    """Return the total of the first ``lanes`` lanes (a power of two) in each of them.

    A butterfly: after the step of distance ``d``, lanes that differ in bits below ``d`` agree.
    """
    distance = lanes // 2
    while distance:
        parts = combine(parts, [_shuffle(b, part, distance) for part in parts])
        distance //= 2
    return parts


def _shuffle(b: ScalarBuilder, value: SSAValue, distance: int) -> SSAValue:
    carried = b.cast(value, _CARRIED.get(value.type, value.type))
    other = b.insert(gpu.ShuffleOp(gpu.ShuffleMode.XOR, carried, distance))
    return b.cast(other, value.type)


def combine_over_block(
    b: ScalarBuilder, parts: Parts, combine: Combine, thread: SSAValue, threads: int, entry: Block
) -> Parts:
    """Return the total over all threads of the block, in each of them.

    Each warp combines its lanes, puts its total in shared memory, and combines all warps' totals.
    threads: whole warps. entry: the kernel's block, where the shared buffers are allocated.
    """
    parts = combine_over_warp(b, parts, combine, WARP_LANES)
    warps = threads // WARP_LANES
    if warps == 1:
        return parts
    buffers = [_shared_buffer(entry, _CARRIED.get(p.type, p.type), warps) for p in parts]
    _store_by_first_lanes(b, parts, buffers, thread)
    types = [part.type for part in parts]
    if warps & (warps - 1) == 0:
        own = _load(b, buffers, types, [AffineExpr.dimension(0) % warps], [thread])
        return combine_over_warp(b, own, combine, warps)
    total = _load(b, buffers, types, [AffineExpr.constant(0)], [])
    for warp in range(1, warps):
        total = combine(total, _load(b, buffers, types, [AffineExpr.constant(warp)], []))
    return total


def _shared_buffer(entry: Block, element: Attribute, size: int) -> SSAValue:
    op = gpu.SharedAllocOp(MemRefType(element, [size], memory_space=SpaceAttr(Space.SHARED)))
    first = entry.first_op
    assert first is not None
    entry.insert_op_before(op, first)
    return op.output


def _store_by_first_lanes(
    b: ScalarBuilder, parts: Parts, buffers: Sequence[SSAValue], thread: SSAValue
) -> None:
    lane = b.insert(IndexOp(AffineExpr.dimension(0) % WARP_LANES, [thread]))
    first = b.compare("eq", lane, b.constant(0, IndexType()))
    taken = scf.IfOp(first, [], Region(Block()))
    values = [b.cast(p, _CARRIED.get(p.type, p.type)) for p in parts]
    b.builder.insert(taken)
    before = b.builder.insertion_point
    b.builder.insertion_point = InsertPoint.at_end(taken.true_region.block)
    for value, buffer in zip(values, buffers, strict=True):
        b.builder.insert(StoreOp(value, buffer, [AffineExpr.dimension(0) // WARP_LANES], [thread]))
    b.builder.insert(scf.YieldOp())
    b.builder.insertion_point = before


def _load(
    b: ScalarBuilder,
    buffers: Sequence[SSAValue],
    types: Sequence[Attribute],
    index: Sequence[AffineExpr],
    dims: Sequence[SSAValue],
) -> Parts:
    loaded = [b.insert(LoadOp(buffer, index, dims)) for buffer in buffers]
    return [b.cast(value, type) for value, type in zip(loaded, types, strict=True)]
