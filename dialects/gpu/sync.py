"""What orders the memory accesses of different threads."""

from typing import ClassVar

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.irdl import IRDLOperation, ParsePropInAttrDict, irdl_op_definition, prop_def, traits_def
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from dlc.arch.scope import Scope
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.ir.order import OrderingOp, Token, TokenKind


class MeetingOp(IRDLOperation, OrderingOp):
    """All threads of ``SCOPE`` arrive before any goes on, and see what the others wrote before.

    Every thread of the group must get there (no barrier under a condition that differs).
    """

    SCOPE: ClassVar[Scope]
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    @property
    def together(self) -> Scope:
        return self.SCOPE

    @property
    def releases(self) -> Token:
        return Token(TokenKind.MEETING, self.SCOPE)

    @property
    def acquires(self) -> Token:
        return Token(TokenKind.MEETING, self.SCOPE)


@irdl_op_definition
class BarrierOp(MeetingOp):
    """Wait for all threads of the block (PTX ``bar.sync 0``)."""

    name = "gpu.barrier"
    SCOPE: ClassVar[Scope] = Scope.BLOCK


@irdl_op_definition
class WarpBarrierOp(MeetingOp):
    """Wait for all lanes of the warp (PTX ``bar.warp.sync``)."""

    name = "gpu.warp_barrier"
    SCOPE: ClassVar[Scope] = Scope.WARP


@irdl_op_definition
class FenceOp(IRDLOperation, OrderingOp):
    """Order this thread's accesses to global memory for the whole device (PTX ``membar.gl``).

    It waits for nobody; used before a counter is raised that tells other blocks to read.
    """

    name = "gpu.fence"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    @property
    def releases(self) -> Token:
        return Token(TokenKind.COUNTER, Scope.GRID)


@irdl_op_definition
class AsyncFenceOp(IRDLOperation, OrderingOp, NeedsCapability):
    """Let products of warpgroups and bulk copies see what this thread wrote to shared memory, by
    stores and by copies that it has waited for (PTX ISA, "membar/fence": ``fence.proxy.async``).

    It waits for nobody: others start such operations after a barrier that follows.
    """

    name = "gpu.async_fence"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    @property
    def capability(self) -> str:
        return "tma"


@irdl_op_definition
class CpAsyncCommitOp(IRDLOperation, OrderingOp, NeedsCapability):
    """Close the group of this thread's ``cp_async`` copies since the last commit (PTX ISA,
    "cp.async.commit_group").
    """

    name = "gpu.cp_async_commit"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    @property
    def capability(self) -> str:
        return "cp.async"

    @property
    def releases(self) -> Token:
        return Token(TokenKind.COPIES, Scope.THREAD)


@irdl_op_definition
class CpAsyncWaitOp(IRDLOperation, OrderingOp, NeedsCapability):
    """Wait until at most ``outstanding`` groups of this thread's copies are under way (PTX ISA,
    "cp.async.wait_group").

    Other threads see the copies after a barrier only.
    """

    name = "gpu.cp_async_wait"
    outstanding = prop_def(IntegerAttr.constr(i64))
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    def __init__(self, outstanding: int):
        super().__init__(properties={"outstanding": IntegerAttr(outstanding, i64)})

    @property
    def capability(self) -> str:
        return "cp.async"

    @property
    def acquires(self) -> Token:
        return Token(TokenKind.COPIES, Scope.THREAD)

    def verify_(self) -> None:
        if self.outstanding.value.data < 0:
            raise VerifyException(
                f"outstanding = {self.outstanding.value.data} should be at least 0"
            )


OPERATIONS = [
    BarrierOp,
    WarpBarrierOp,
    FenceOp,
    AsyncFenceOp,
    CpAsyncCommitOp,
    CpAsyncWaitOp,
]
