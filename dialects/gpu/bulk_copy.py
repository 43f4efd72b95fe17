"""Copies of whole rows that the hardware does beside the threads."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from dlc.arch.memory import PIECE_BYTES
from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import (
    FROM_TO,
    BuffersOp,
    Place,
    element_of,
    place_format,
    verify_same_element,
    verify_spaces,
)
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.dialects.gpu.mbarrier import MOST_ARRIVALS, verify_barrier
from dlc.ir.access import INDEX, Access
from dlc.ir.order import OrderingOp, Token, TokenKind
from dlc.ir.space import Space
from dlc.ir.tensor import element_bytes


@irdl_op_definition
class BulkCopyOp(BuffersOp, OrderingOp, NeedsCapability):
    """Start a copy of neighbouring elements from global to shared memory (PTX ``cp.async.bulk``).

    One thread starts it. Its bytes arrive at the ``mbarrier`` object, whose phase expects them; who
    has waited for the phase finds the elements. No lowering uses it: slices are boxes of a tensor,
    with a swizzle and zeros outside, which ``gpu.tensor_copy`` brings.

    ``gpu.bulk_copy %x[%k, 0] to %s[%i, 0] at %full[%i] {elements = 512 : i64} : memref<..>, ...``
    """

    name = "gpu.bulk_copy"
    source = operand_def(MemRefType)
    source_indices = var_operand_def(INDEX)
    source_map = prop_def(AffineMapAttr)
    destination = operand_def(MemRefType)
    destination_indices = var_operand_def(INDEX)
    destination_map = prop_def(AffineMapAttr)
    barrier = operand_def(MemRefType)
    barrier_indices = var_operand_def(INDEX)
    barrier_map = prop_def(AffineMapAttr)
    elements = prop_def(IntegerAttr.constr(i64))

    ROLES: ClassVar[tuple[str, ...]] = ("source", "destination", "barrier")
    assembly_format = (
        f"{FROM_TO} `at` {place_format('barrier')} "
        "attr-dict `:` type($source) `,` type($destination) `,` type($barrier)"
    )

    def __init__(self, source: Place, destination: Place, barrier: Place, elements: int):
        super().__init__(source, destination, barrier, elements=IntegerAttr(elements, i64))

    @property
    def capability(self) -> str:
        return "tma"

    @property
    def releases(self) -> Token:
        return Token(TokenKind.PHASE, Scope.BLOCK, self.barrier)

    @property
    def bytes(self) -> int:
        """The bytes that arrive."""
        return self.elements.value.data * element_bytes(element_of(self.source))

    def accesses(self) -> Sequence[Access]:
        count = self.elements.value.data
        return (
            self.access("source", count, reads=True, asynchronous=True),
            self.access("destination", count, writes=True, asynchronous=True),
            self.access("barrier", 1, reads=True, writes=True, atomic=True),
        )

    def verify_(self) -> None:
        super().verify_()
        source, destination, _ = self.accesses()
        verify_same_element(source, destination, "load, convert and store instead")
        verify_barrier(self.barrier)
        verify_spaces(self.source, self.destination, (Space.GLOBAL, Space.SHARED))
        if self.bytes % PIECE_BYTES or not 0 < self.bytes <= MOST_ARRIVALS:
            raise VerifyException(
                f"moves {self.bytes} bytes; should be a multiple of {PIECE_BYTES} up to "
                f"{MOST_ARRIVALS}"
            )


OPERATIONS = [BulkCopyOp]
