"""Barriers between the stages of a kernel."""

from xdsl.dialects.builtin import IntegerAttr, MemRefType, i32, i64
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    opt_operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from dlc.arch.scope import Scope
from dlc.dialects.loop.attributes import BarrierScope, BarrierScopeAttr
from dlc.dialects.loop.kernel import KernelOp
from dlc.ir.cooperation import verify_grid_barrier
from dlc.ir.order import OrderingOp, Token, TokenKind

COUNTER = MemRefType(i32, [1])
"""The type of the buffer in which the blocks of a grid count their arrivals."""
_SCOPES = {
    BarrierScope.BLOCK: Scope.BLOCK,
    BarrierScope.CLUSTER: Scope.CLUSTER,
    BarrierScope.GRID: Scope.GRID,
}


@irdl_op_definition
class BarrierOp(IRDLOperation, OrderingOp):
    """All threads of a block, of all blocks of its cluster, or of the grid meet: what they have
    stored before, in global and in shared memory, all of them see behind it.

    It stands between the stages of a kernel, in none of its loops. A barrier of the grid has a
    counter: a scratch buffer that the kernel wants ``filled``, and that nothing else uses.
    ``number`` counts the barriers of the counter from 1, in the order of the text. The kernel is
    ``cooperative``.

    ``loop.barrier over block``, ``loop.barrier over cluster``,
    ``loop.barrier %counter over grid {number = 1 : i64} : memref<1xi32>``
    """

    name = "loop.barrier"
    counter = opt_operand_def(MemRefType)
    over = prop_def(BarrierScopeAttr)
    number = opt_prop_def(IntegerAttr.constr(i64))
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "($counter^)? `over` $over attr-dict (`:` type($counter)^)?"

    def __init__(self, scope: BarrierScope, counter: SSAValue | None = None, number: int = 0):
        super().__init__(operands=[counter], properties={"over": BarrierScopeAttr(scope)})
        if number:
            self.number = IntegerAttr(number, i64)

    @property
    def together(self) -> Scope:
        return _SCOPES[self.over.data]

    @property
    def releases(self) -> Token:
        return Token(TokenKind.MEETING, self.together)

    @property
    def acquires(self) -> Token:
        return Token(TokenKind.MEETING, self.together)

    @property
    def count(self) -> int:
        """The number of a barrier of the grid, 0 of another one."""
        return self.number.value.data if self.number is not None else 0

    def verify_(self) -> None:
        if not isinstance(self.parent_op(), KernelOp):
            raise VerifyException(
                "a barrier between stages stands in no loop; end the loops before it"
            )
        if self.over.data is not BarrierScope.GRID:
            if self.counter is not None or self.number is not None:
                raise VerifyException("only a barrier over the grid has a counter and a number")
            return
        if self.counter is None or self.counter.type != COUNTER:
            raise VerifyException(f"a barrier over the grid has a counter: {COUNTER}")
        if self.count < 1:
            raise VerifyException("the barriers over the grid have numbers, from 1 on")
        verify_grid_barrier(self, self.counter, self.count)
