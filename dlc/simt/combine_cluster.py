"""Combination of the totals of the blocks of a cluster, through each other's shared memory."""

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects.loop.memory import LoadOp, StoreOp
from dlc.ir.space import Space, SpaceAttr
from dlc.simt.combine import CARRIED, Combine, Parts
from dlc.simt.thread_program import ThreadProgram

_FIRST = AffineExpr.constant(0)
_DIM = AffineExpr.dimension(0)


def combine_over_cluster(
    program: ThreadProgram, parts: Parts, combine: Combine, blocks: int
) -> Parts:
    """Return the total over the blocks of a cluster, in each thread of them.

    parts: the totals of the block. Each block sends them to all, one thread to one block, so that
    after the barrier a block reads its own memory only, and may end when it wants. The blocks must
    have met before, so that all of them have begun. (Totals of warps, sent to all blocks, save the
    barrier of the block, but take 3 % longer: so many more are sent and added up.)
    """
    b, types = program.b, [part.type for part in parts]
    rooms = [_sent(program, b.cast(p, CARRIED.get(p.type, p.type)), blocks) for p in parts]
    b.builder.insert(gpu.ClusterBarrierOp())

    def load(rank: int) -> Parts:
        found = [b.insert(LoadOp(room, [AffineExpr.constant(rank)], [])) for room in rooms]
        return [b.cast(value, type) for value, type in zip(found, types, strict=True)]

    total = load(0)
    for rank in range(1, blocks):
        total = combine(total, load(rank))
    return total


def _sent(program: ThreadProgram, value: SSAValue, blocks: int) -> SSAValue:
    """Write what sends a value to each block; return where those of all blocks are."""
    b, type = program.b, value.type
    room = program.shared_buffer(MemRefType(type, [blocks], memory_space=SpaceAttr(Space.SHARED)))
    own = gpu.RegisterAllocOp(MemRefType(type, [1], memory_space=SpaceAttr(Space.REGISTER)))
    rank = b.insert(gpu.ClusterRankOp())
    with program.where(b.compare("lt", program.thread, program.constant(blocks))):
        b.builder.insert(own)
        b.builder.insert(StoreOp(value, own.output, [_FIRST], []))
        source, destination = (own.output, [_FIRST], []), (room.output, [_DIM], [rank])
        b.builder.insert(gpu.ClusterStoreOp(source, destination, program.thread, 1))
    return room.output
