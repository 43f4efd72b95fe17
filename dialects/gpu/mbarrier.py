"""Barriers that stand in shared memory: some threads arrive, others wait, in phases."""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr, MemRefType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import BuffersOp, Place, element_of, place_format
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.dialects.gpu.cluster import verify_cluster
from dlc.ir.access import INDEX, Access
from dlc.ir.order import OrderingOp, Token, TokenKind
from dlc.ir.space import Space, space_of

MOST_ARRIVALS = (1 << 20) - 1
"""Of one phase; of bytes too (PTX ISA, "Contents of the mbarrier object")."""


def verify_barrier(barrier: SSAValue) -> None:
    """Raise VerifyException unless a buffer holds ``mbarrier`` objects."""
    if space_of(barrier) is not Space.SHARED or element_of(barrier) != i64:
        raise VerifyException(f"mbarrier objects are i64 in shared memory, got {barrier.type}")


class MbarrierOp(BuffersOp, NeedsCapability):
    """An operation on one ``mbarrier`` object: an ``i64`` in shared memory (PTX ISA, "mbarrier").

    It counts arrivals. When those of a phase are complete, and the bytes that it expects are there,
    the next phase begins. Phases have numbers from 0 on; the parity of one is that of its number.
    """

    ROLES: ClassVar[tuple[str, ...]] = ("barrier",)
    assembly_format = f"{place_format('barrier')} attr-dict `:` type($barrier)"

    barrier = operand_def(MemRefType)
    barrier_indices = var_operand_def(INDEX)
    barrier_map = prop_def(AffineMapAttr)

    @property
    def capability(self) -> str:
        return "mbarrier"

    @property
    def token(self) -> Token:
        """The phases of the objects in the buffer."""
        return Token(TokenKind.PHASE, Scope.BLOCK, self.barrier)

    def accesses(self) -> Sequence[Access]:
        return (self.access("barrier", 1, reads=True, writes=True, atomic=True),)

    def verify_(self) -> None:
        super().verify_()
        verify_barrier(self.barrier)


@irdl_op_definition
class MbarrierInitOp(MbarrierOp):
    """Make an object whose phases need so many ``arrivals`` (PTX ``mbarrier.init``).

    One thread does it; others use the object after a barrier of the block, those of other blocks
    after one of the cluster.

    ``gpu.mbarrier_init %full[%i] {arrivals = 1 : i64} : memref<4xi64, #loop.space<shared>>``
    """

    name = "gpu.mbarrier_init"
    arrivals = prop_def(IntegerAttr.constr(i64))

    def __init__(self, barrier: Place, arrivals: int):
        super().__init__(barrier, arrivals=IntegerAttr(arrivals, i64))

    def accesses(self) -> Sequence[Access]:
        return (self.access("barrier", 1, writes=True),)

    def verify_(self) -> None:
        super().verify_()
        if not 1 <= self.arrivals.value.data <= MOST_ARRIVALS:
            raise VerifyException(
                f"arrivals = {self.arrivals.value.data} should be in 1..{MOST_ARRIVALS}"
            )


@irdl_op_definition
class MbarrierArriveOp(MbarrierOp, OrderingOp):
    """Arrive at the phase under way, without waiting (PTX ``mbarrier.arrive``).

    bytes: the phase also expects so many bytes of asynchronous copies that name the object
    (``mbarrier.arrive.expect_tx``). rank: at the same object of this block of the cluster (PTX ISA,
    "mapa", and ``mbarrier.arrive.release.cluster`` with ``.shared::cluster``), which no lowering
    gives.

    ``gpu.mbarrier_arrive %full[%i] {bytes = 4096 : i64} : memref<4xi64, #loop.space<shared>>``

    ``gpu.mbarrier_arrive %empty[%i] of %rank : memref<4xi64, #loop.space<shared>>``
    """

    name = "gpu.mbarrier_arrive"
    barrier = operand_def(MemRefType)  # again: what a class defines itself comes first
    barrier_indices = var_operand_def(INDEX)
    rank = opt_operand_def(IndexType())
    bytes = opt_prop_def(IntegerAttr.constr(i64))
    assembly_format = f"{place_format('barrier')} (`of` $rank^)? attr-dict `:` type($barrier)"

    def __init__(self, barrier: Place, bytes: int | None = None, rank: SSAValue | None = None):
        super().__init__(
            barrier,
            more=[[] if rank is None else [rank]],
            bytes=None if bytes is None else IntegerAttr(bytes, i64),
        )

    @property
    def expected_bytes(self) -> int:
        """The bytes that the phase waits for on behalf of this arrival."""
        return 0 if self.bytes is None else self.bytes.value.data

    @property
    def releases(self) -> Token:
        return self.token if self.rank is None else replace(self.token, scope=Scope.CLUSTER)

    def verify_(self) -> None:
        super().verify_()
        if self.rank is not None:
            verify_cluster(self)
            if self.bytes is not None:
                raise VerifyException("expects bytes at an object of its own block only")
        if self.bytes is not None and not 1 <= self.expected_bytes <= MOST_ARRIVALS:
            raise VerifyException(f"bytes = {self.expected_bytes} should be in 1..{MOST_ARRIVALS}")


@irdl_op_definition
class MbarrierWaitOp(MbarrierOp, OrderingOp):
    """Wait until the phase under way or the one before, whichever has this parity, is complete (PTX
    ``mbarrier.try_wait.parity``, again and again).

    So a wait for parity 1 of a new object returns at once. parity: 0 or 1. Where other blocks of
    the cluster arrive at objects of the buffer, or send bytes there, the thread sees what they did
    before (``.acquire.cluster``).

    ``gpu.mbarrier_wait %full[%i] parity %p : memref<4xi64, #loop.space<shared>>``
    """

    name = "gpu.mbarrier_wait"
    barrier = operand_def(MemRefType)  # again: what a class defines itself comes first
    barrier_indices = var_operand_def(INDEX)
    parity = operand_def(IndexType())
    assembly_format = f"{place_format('barrier')} `parity` $parity attr-dict `:` type($barrier)"

    def __init__(self, barrier: Place, parity: SSAValue):
        super().__init__(barrier, more=[[parity]])

    @property
    def acquires(self) -> Token:
        others = (use.operation for use in self.barrier.uses)
        released = (other.releases for other in others if isinstance(other, OrderingOp))
        of_cluster = any(token and token.scope is Scope.CLUSTER for token in released)
        return replace(self.token, scope=Scope.CLUSTER) if of_cluster else self.token


@irdl_op_definition
class CpAsyncArriveOp(MbarrierOp, OrderingOp):
    """Arrive once all copies are done that this thread has started before with ``gpu.cp_async``,
    without waiting for them (PTX ``cp.async.mbarrier.arrive.noinc``).

    It is one of the ``arrivals`` of the object, as any other. Who has waited for the phase finds
    the elements; no ``cp_async_commit`` and no ``cp_async_wait`` is needed.

    ``gpu.cp_async_arrive %full[%i] : memref<4xi64, #loop.space<shared>>``
    """

    name = "gpu.cp_async_arrive"

    def __init__(self, barrier: Place):
        super().__init__(barrier)

    @property
    def releases(self) -> Token:
        return self.token


OPERATIONS = [MbarrierInitOp, MbarrierArriveOp, MbarrierWaitOp, CpAsyncArriveOp]
