"""Combination of the values of all lanes of a warp or block, by shuffles and shared memory."""

from collections.abc import Callable, Sequence

from xdsl.dialects.builtin import IndexType, MemRefType, i1, i32, i64
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import WARP_LANES
from dlc.dialects import gpu
from dlc.dialects.loop.memory import IndexOp, LoadOp, StoreOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.ir.space import Space, SpaceAttr
from dlc.simt.thread_program import ThreadProgram

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


def combine_over_block(program: ThreadProgram, parts: Parts, combine: Combine) -> Parts:
    """Return the total over all threads of the block, in each of them.

    Each warp combines its lanes, puts its total in shared memory, and combines all warps' totals.
    """
    b, thread = program.b, program.thread
    parts = combine_over_warp(b, parts, combine, WARP_LANES)
    warps = program.threads // WARP_LANES
    if warps == 1:
        return parts
    types = [part.type for part in parts]
    buffers = _stored_by_first_lanes(program, parts, warps)
    if warps & (warps - 1) == 0:
        own = _load(b, buffers, types, [AffineExpr.dimension(0) % warps], [thread])
        return combine_over_warp(b, own, combine, warps)
    total = _load(b, buffers, types, [AffineExpr.constant(0)], [])
    for warp in range(1, warps):
        total = combine(total, _load(b, buffers, types, [AffineExpr.constant(warp)], []))
    return total


def _stored_by_first_lanes(program: ThreadProgram, parts: Parts, warps: int) -> list[SSAValue]:
    """Write the first lane of each warp's parts to shared buffers, an element per warp."""
    b, thread = program.b, program.thread
    values = [b.cast(part, _CARRIED.get(part.type, part.type)) for part in parts]
    buffers = [
        program.shared_buffer(
            MemRefType(value.type, [warps], memory_space=SpaceAttr(Space.SHARED))
        ).output
        for value in values
    ]
    lane = b.insert(IndexOp(AffineExpr.dimension(0) % WARP_LANES, [thread]))
    with program.where(b.compare("eq", lane, program.constant(0))):
        for value, buffer in zip(values, buffers, strict=True):
            own = [AffineExpr.dimension(0) // WARP_LANES]
            b.builder.insert(StoreOp(value, buffer, own, [thread]))
    return list(buffers)


def _load(
    b: ScalarBuilder,
    buffers: Sequence[SSAValue],
    types: Sequence[Attribute],
    index: Sequence[AffineExpr],
    dims: Sequence[SSAValue],
) -> Parts:
    loaded = [b.insert(LoadOp(buffer, index, dims)) for buffer in buffers]
    return [b.cast(value, type) for value, type in zip(loaded, types, strict=True)]
