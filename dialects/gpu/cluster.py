"""Blocks that run at the same time beside each other, and reach each other's shared memory."""

from collections.abc import Iterator
from itertools import takewhile
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr, MemRefType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import (
    Place,
    VectorMoveOp,
    place_format,
    verify_bytes,
    verify_same_element,
    verify_spaces,
)
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.dialects.gpu.kernel import kernel_around
from dlc.dialects.gpu.sync import MeetingOp
from dlc.ir.access import INDEX, BoundedIndex, MemoryOp
from dlc.ir.cluster import ClusteredKernel
from dlc.ir.order import OrderingOp
from dlc.ir.space import Space, space_of

REMOTE_BYTES = (4, 8, 16)
"""What one load or store of another block's shared memory moves here."""


class ClusterOp(NeedsCapability):
    """What only a kernel can do whose blocks run in clusters (``cluster`` of ``gpu.kernel``)."""

    @property
    def capability(self) -> str:
        return "cluster"

    @property
    def blocks(self) -> int:
        """Blocks in a cluster."""
        kernel = ClusteredKernel.around(self)
        return 1 if kernel is None else kernel.cluster_blocks


def verify_cluster(op: Operation) -> None:
    """Raise VerifyException where an op reaches other blocks and the kernel has no clusters."""
    kernel = kernel_around(op)
    if kernel is not None and kernel.cluster is None:
        raise VerifyException("stands in a kernel without clusters; give it the key cluster")


@irdl_op_definition
class ClusterRankOp(IRDLOperation, BoundedIndex, ClusterOp):
    """The number of the block in its cluster, x first (PTX ISA, "%cluster_ctarank").

    ``%r = gpu.cluster_rank : index``
    """

    name = "gpu.cluster_rank"
    output = result_def(IndexType())
    traits = traits_def(Pure())
    assembly_format = "attr-dict `:` type($output)"
    SAME_IN: ClassVar[Scope] = Scope.BLOCK

    def __init__(self) -> None:
        super().__init__(result_types=[IndexType()])

    @property
    def bounds(self) -> tuple[int, int]:
        return 0, self.blocks

    def verify_(self) -> None:
        verify_cluster(self)


@irdl_op_definition
class ClusterBarrierOp(MeetingOp, ClusterOp):
    """Wait for all threads of the cluster, and see what they wrote to shared and to global memory
    (PTX ISA, "barrier.cluster": the arrival releases, the wait acquires).

    It stands between stages (``loop.barrier``). One stands before blocks first touch each other's
    shared memory, one before a block ends whose memory others may still touch; who sends without
    waiting (``gpu.st_async``) needs neither.
    """

    name = "gpu.cluster_barrier"
    SCOPE: ClassVar[Scope] = Scope.CLUSTER

    def verify_(self) -> None:
        verify_cluster(self)


class RemoteOp(ClusterOp):
    """What touches the same buffer of another block: no other buffer may share its bytes."""


@irdl_op_definition
class ClusterArriveOp(IRDLOperation, OrderingOp, ClusterOp):
    """Tell the blocks of the cluster that this thread has begun, without waiting (PTX ISA,
    "barrier.cluster", ``arrive.relaxed``).

    It comes first in a kernel: others learn of ``mbarrier`` objects that were made before it, and
    of nothing else, so nothing else is touched before.

    ``gpu.cluster_arrive``
    """

    name = "gpu.cluster_arrive"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    @property
    def together(self) -> Scope:
        return Scope.WARP

    def verify_(self) -> None:
        verify_cluster(self)
        if any(not _touches_objects(op) for op in _before(self) if isinstance(op, MemoryOp)):
            raise VerifyException("nothing but mbarrier objects is touched before it")


@irdl_op_definition
class ClusterWaitOp(IRDLOperation, OrderingOp, ClusterOp):
    """Wait until all threads of the cluster have come to ``gpu.cluster_arrive`` (PTX ISA,
    "barrier.cluster", ``wait.acquire``).

    It is no barrier: what threads do between the two, others do not wait for.

    ``gpu.cluster_wait``
    """

    name = "gpu.cluster_wait"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    @property
    def together(self) -> Scope:
        return Scope.CLUSTER

    def verify_(self) -> None:
        verify_cluster(self)
        kinds = [type(op) for op in _before(self)]
        if kernel_around(self) is not None and kinds.count(ClusterArriveOp) != 1:
            raise VerifyException("one gpu.cluster_arrive comes before it, for all that wait")
        if ClusterWaitOp in kinds:
            raise VerifyException("each thread waits once")


def _before(op: Operation) -> Iterator[Operation]:
    """Yield what comes before an operation in the text of its kernel."""
    kernel = kernel_around(op)
    yield from takewhile(lambda other: other is not op, kernel.walk() if kernel else ())


def _touches_objects(op: MemoryOp) -> bool:
    """Whether an operation touches nothing but ``mbarrier`` objects."""
    return all(
        space_of(a.buffer) is Space.SHARED and a.type.element_type == i64 for a in op.accesses()
    )


class RemoteMoveOp(VectorMoveOp, RemoteOp):
    """A vector that a thread moves between its registers and the shared memory of a block."""

    source = operand_def(MemRefType)
    source_indices = var_operand_def(INDEX)
    source_map = prop_def(AffineMapAttr)
    destination = operand_def(MemRefType)
    destination_indices = var_operand_def(INDEX)
    destination_map = prop_def(AffineMapAttr)
    rank = operand_def(IndexType())

    def __init__(self, source: Place, destination: Place, rank: SSAValue, elements: int):
        super().__init__(source, destination, more=[[rank]], elements=IntegerAttr(elements, i64))

    MOVES: ClassVar[tuple[Space, Space]]

    def verify_(self) -> None:
        super().verify_()
        verify_cluster(self)
        source, destination = self.accesses()
        verify_same_element(source, destination, "load and convert instead")
        verify_spaces(self.source, self.destination, self.MOVES)
        verify_bytes(self.bytes, REMOTE_BYTES)


@irdl_op_definition
class ClusterLoadOp(RemoteMoveOp):
    """Load neighbouring elements of the same buffer of block ``rank`` of the cluster (PTX ISA,
    "mapa" and "ld.shared::cluster"). No lowering uses it: who sends need not wait before it ends.

    ``gpu.cluster_load %s[%i] of %rank to %r[0] {elements = 4 : i64} : memref<..>, memref<..>``
    """

    name = "gpu.cluster_load"
    MOVES: ClassVar[tuple[Space, Space]] = (Space.SHARED, Space.REGISTER)
    assembly_format = (
        f"{place_format('source')} `of` $rank `to` {place_format('destination')} "
        "attr-dict `:` type($source) `,` type($destination)"
    )


@irdl_op_definition
class ClusterStoreOp(RemoteMoveOp):
    """Store neighbouring elements to the same buffer of block ``rank`` of the cluster (PTX ISA,
    "mapa" and "st.shared::cluster"). No lowering uses it: ``gpu.st_async`` says when it has come.

    ``gpu.cluster_store %r[0] to %s[%i] of %rank {elements = 4 : i64} : memref<..>, memref<..>``
    """

    name = "gpu.cluster_store"
    MOVES: ClassVar[tuple[Space, Space]] = (Space.REGISTER, Space.SHARED)
    assembly_format = (
        f"{place_format('source')} `to` {place_format('destination')} `of` $rank "
        "attr-dict `:` type($source) `,` type($destination)"
    )


OPERATIONS = [
    ClusterRankOp,
    ClusterBarrierOp,
    ClusterArriveOp,
    ClusterWaitOp,
    ClusterLoadOp,
    ClusterStoreOp,
]
