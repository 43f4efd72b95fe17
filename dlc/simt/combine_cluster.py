"""Combination of the totals of the blocks of a cluster, through each other's shared memory."""

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop.memory import LoadOp, StoreOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import element_bytes
from dlc.simt.cluster_start import ClusterStart
from dlc.simt.combine import CARRIED, Combine, Parts
from dlc.simt.thread_program import ThreadProgram

_FIRST = AffineExpr.constant(0)
_DIM = AffineExpr.dimension(0)


def combine_over_cluster(
    program: ThreadProgram, start: ClusterStart, parts: Parts, combine: Combine, blocks: int
) -> Parts:
    """Return the total over the blocks of a cluster, in each thread of them.

    parts: the totals of the block. Each block sends them to all, one thread to one block, and waits
    for those of all to arrive at its own ``mbarrier`` object: so a block reads its own memory only,
    may end when it wants, and waits for nothing else that threads have under way. The blocks must
    have met before, so that all of them have begun. (Totals of warps, sent to all blocks, save the
    barrier of the block, but take 3 % longer: so many more are sent and added up.)
    """
    b, types = program.b, [part.type for part in parts]
    carried = [b.cast(part, CARRIED.get(part.type, part.type)) for part in parts]
    bytes = blocks * sum(element_bytes(value.type) for value in carried)
    arrived = start.arrivals()
    rooms = [_sent(program, value, arrived, blocks) for value in carried]
    with program.where(b.compare("eq", program.thread, program.constant(0))):
        b.builder.insert(gpu.MbarrierArriveOp(arrived, bytes))
    b.builder.insert(gpu.MbarrierWaitOp(arrived, program.constant(0)))
    b.builder.insert(gpu.BarrierOp())  # behind a wait, accesses to other buffers have no order

    def load(rank: int) -> Parts:
        found = [b.insert(LoadOp(room, [AffineExpr.constant(rank)], [])) for room in rooms]
        return [b.cast(value, type) for value, type in zip(found, types, strict=True)]

    total = load(0)
    for rank in range(1, blocks):
        total = combine(total, load(rank))
    return total


def _sent(program: ThreadProgram, value: SSAValue, arrived: Place, blocks: int) -> SSAValue:
    """Write what sends a value to each block; return where those of all blocks are."""
    b, type = program.b, value.type
    room = program.shared_buffer(MemRefType(type, [blocks], memory_space=SpaceAttr(Space.SHARED)))
    own = gpu.RegisterAllocOp(MemRefType(type, [1], memory_space=SpaceAttr(Space.REGISTER)))
    rank = b.insert(gpu.ClusterRankOp())
    with program.where(b.compare("lt", program.thread, program.constant(blocks))):
        b.builder.insert(own)
        b.builder.insert(StoreOp(value, own.output, [_FIRST], []))
        source, destination = (own.output, [_FIRST], []), (room.output, [_DIM], [rank])
        b.builder.insert(gpu.StAsyncOp(source, destination, arrived, program.thread, 1))
    return room.output
