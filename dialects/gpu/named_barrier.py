"""The numbered barriers of a block: some of its warps arrive, some of them wait."""

from xdsl.dialects.builtin import IndexType, IntegerAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    prop_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from dlc.arch.fragments import WARP_LANES
from dlc.arch.scope import BLOCK_THREADS, Scope
from dlc.ir.order import OrderingOp, Token, TokenKind

BARRIERS = 16
"""Of a block; number 0 is that of ``gpu.barrier`` (PTX ISA, "bar")."""


class NamedBarrierOp(IRDLOperation, OrderingOp):
    """An operation on the barrier ``number`` (1 to 15) of the block.

    A round of it is complete when ``threads`` threads have arrived, those that wait included; then
    the next one begins. Whole warps come to it.
    """

    number = operand_def(IndexType())
    threads = prop_def(IntegerAttr.constr(i64))
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "$number attr-dict"

    def __init__(self, number: SSAValue, threads: int):
        super().__init__(operands=[number], properties={"threads": IntegerAttr(threads, i64)})

    @property
    def together(self) -> Scope:
        return Scope.WARP

    @property
    def releases(self) -> Token:
        return Token(TokenKind.NAMED, Scope.BLOCK, self.number)

    def verify_(self) -> None:
        threads = self.threads.value.data
        if threads % WARP_LANES or not 1 <= threads <= BLOCK_THREADS:
            raise VerifyException(
                f"threads = {threads} should be a multiple of {WARP_LANES} up to {BLOCK_THREADS}"
            )


@irdl_op_definition
class BarSyncOp(NamedBarrierOp):
    """Arrive, and wait until the round is complete (PTX ``bar.sync a, b``).

    ``gpu.bar_sync %number {threads = 64 : i64}``
    """

    name = "gpu.bar_sync"

    @property
    def acquires(self) -> Token:
        return self.releases


@irdl_op_definition
class BarArriveOp(NamedBarrierOp):
    """Arrive without waiting (PTX ``bar.arrive a, b``).

    No lowering uses it: roles wait for each other by ``mbarrier`` objects, and threads of one role
    by ``gpu.bar_sync``.

    ``gpu.bar_arrive %number {threads = 64 : i64}``
    """

    name = "gpu.bar_arrive"


OPERATIONS = [BarSyncOp, BarArriveOp]
