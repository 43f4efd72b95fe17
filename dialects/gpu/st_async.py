"""Stores to another block's shared memory that say there when they have arrived."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, IndexType, IntegerAttr, MemRefType, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_operand_def

from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import (
    FROM_TO,
    BuffersOp,
    Place,
    element_of,
    place_format,
    verify_bytes,
    verify_same_element,
    verify_spaces,
)
from dlc.dialects.gpu.cluster import REMOTE_BYTES, RemoteOp, verify_cluster
from dlc.dialects.gpu.mbarrier import verify_barrier
from dlc.ir.access import INDEX, Access
from dlc.ir.order import OrderingOp, Token, TokenKind
from dlc.ir.space import Space
from dlc.ir.tensor import element_bytes


@irdl_op_definition
class StAsyncOp(BuffersOp, OrderingOp, RemoteOp):
    """Store neighbouring elements to the same buffer of block ``rank`` of the cluster, without
    waiting (PTX ``st.async``).

    The bytes arrive at the same ``mbarrier`` object of that block, whose phase expects them; who
    has waited there for the phase finds the elements. So nobody waits for a barrier of the cluster,
    which also waits for all that its threads have under way.

    ``gpu.st_async %r[0] to %s[%i] at %full[0] of %rank {elements = 1 : i64} : memref<..>, ...``
    """

    name = "gpu.st_async"
    source = operand_def(MemRefType)
    source_indices = var_operand_def(INDEX)
    source_map = prop_def(AffineMapAttr)
    destination = operand_def(MemRefType)
    destination_indices = var_operand_def(INDEX)
    destination_map = prop_def(AffineMapAttr)
    barrier = operand_def(MemRefType)
    barrier_indices = var_operand_def(INDEX)
    barrier_map = prop_def(AffineMapAttr)
    rank = operand_def(IndexType())
    elements = prop_def(IntegerAttr.constr(i64))

    ROLES: ClassVar[tuple[str, ...]] = ("source", "destination", "barrier")
    assembly_format = (
        f"{FROM_TO} `at` {place_format('barrier')} `of` $rank "
        "attr-dict `:` type($source) `,` type($destination) `,` type($barrier)"
    )

    def __init__(
        self, source: Place, destination: Place, barrier: Place, rank: SSAValue, elements: int
    ):
        count = IntegerAttr(elements, i64)
        super().__init__(source, destination, barrier, more=[[rank]], elements=count)

    @property
    def releases(self) -> Token:
        return Token(TokenKind.PHASE, Scope.CLUSTER, self.barrier)

    @property
    def bytes(self) -> int:
        """The bytes that arrive."""
        return self.elements.value.data * element_bytes(element_of(self.source))

    def accesses(self) -> Sequence[Access]:
        count = self.elements.value.data
        return (
            self.access("source", count, reads=True),
            self.access("destination", count, writes=True, asynchronous=True),
            self.access("barrier", 1, reads=True, writes=True, atomic=True),
        )

    def verify_(self) -> None:
        super().verify_()
        verify_cluster(self)
        source, destination, _ = self.accesses()
        verify_same_element(source, destination, "convert before")
        verify_barrier(self.barrier)
        verify_spaces(self.source, self.destination, (Space.REGISTER, Space.SHARED))
        verify_bytes(self.bytes, REMOTE_BYTES)


OPERATIONS = [StAsyncOp]
