"""Copies between memory spaces, and atomic updates."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, i1, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from dlc.arch.memory import MOVED_BYTES
from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import (
    FROM_TO,
    SCALAR,
    BuffersOp,
    Place,
    VectorMoveOp,
    element_of,
    verify_bytes,
    verify_same_element,
    verify_scalar,
    verify_spaces,
)
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.ir.access import (
    INDEX,
    Access,
    IndexedBuffer,
    MemoryOp,
    canonical_access,
    verify_access,
)
from dlc.ir.order import OrderingOp, Token, TokenKind
from dlc.ir.space import Space, space_of
from dlc.ir.tensor import element_bytes

CP_ASYNC_BYTES = (4, 8, 16)
"""What one cp.async moves (PTX ISA, "cp.async", cp-size)."""


@irdl_op_definition
class CopyOp(VectorMoveOp):
    """Copy neighbouring elements, bit by bit, with one vector load and one vector store.

    Both places must be aligned to the bytes that are moved.

    ``gpu.copy %x[%i, 0] to %r[0] {elements = 8 : i64} : memref<4x8xf16>, memref<8xf16, #..>``
    """

    name = "gpu.copy"
    source = operand_def(MemRefType)
    source_indices = var_operand_def(INDEX)
    source_map = prop_def(AffineMapAttr)
    destination = operand_def(MemRefType)
    destination_indices = var_operand_def(INDEX)
    destination_map = prop_def(AffineMapAttr)

    assembly_format = f"{FROM_TO} attr-dict `:` type($source) `,` type($destination)"

    def __init__(self, source: Place, destination: Place, elements: int):
        super().__init__(source, destination, elements=IntegerAttr(elements, i64))

    def verify_(self) -> None:
        super().verify_()
        source, destination = self.accesses()
        verify_same_element(source, destination, "use loop.load and loop.store")
        verify_bytes(self.bytes, MOVED_BYTES)


@irdl_op_definition
class CpAsyncOp(BuffersOp, NeedsCapability):
    """Start a copy from global to shared memory that bypasses the registers (PTX ``cp.async``).

    bytes: 4, 8 or 16; both places are aligned to it. Where ``inside`` is false, nothing is read and
    zeros are written. The copy is done after ``cp_async_commit`` and ``cp_async_wait``, or for who
    waits where ``cp_async_arrive`` says so.

    ``gpu.cp_async %x[%i, 0] to %s[%j, 0] if %p {bytes = 16 : i64} : memref<..>, memref<..>``
    """

    name = "gpu.cp_async"
    source = operand_def(MemRefType)
    source_indices = var_operand_def(INDEX)
    source_map = prop_def(AffineMapAttr)
    destination = operand_def(MemRefType)
    destination_indices = var_operand_def(INDEX)
    destination_map = prop_def(AffineMapAttr)
    inside = opt_operand_def(i1)
    bytes = prop_def(IntegerAttr.constr(i64))

    ROLES: ClassVar[tuple[str, ...]] = ("source", "destination")
    assembly_format = (
        f"{FROM_TO} (`if` $inside^)? attr-dict `:` type($source) `,` type($destination)"
    )

    def __init__(
        self, source: Place, destination: Place, bytes: int, inside: SSAValue | None = None
    ):
        super().__init__(
            source,
            destination,
            more=[[] if inside is None else [inside]],
            bytes=IntegerAttr(bytes, i64),
        )

    @property
    def capability(self) -> str:
        return "cp.async"

    def accesses(self) -> Sequence[Access]:
        count = self.bytes.value.data // element_bytes(element_of(self.source))
        return (
            self.access("source", count, reads=True, asynchronous=True),
            self.access("destination", count, writes=True, asynchronous=True),
        )

    def verify_(self) -> None:
        super().verify_()
        source, destination = self.accesses()
        verify_same_element(source, destination, "load, convert and store instead")
        verify_spaces(self.source, self.destination, (Space.GLOBAL, Space.SHARED))
        verify_bytes(self.bytes.value.data, CP_ASYNC_BYTES)


@irdl_op_definition
class AtomicAddOp(IRDLOperation, MemoryOp, OrderingOp):
    """``old = buffer[..]; buffer[..] += value``, as one step; gives ``old`` (PTX ISA, "atom").

    In global memory, who has seen another thread's addition sees what that thread wrote before its
    last ``gpu.fence``.

    ``%o = gpu.atomic_add %v, %buffer[%i] : i32, memref<4xi32> -> i32``
    """

    name = "gpu.atomic_add"
    value = operand_def(SCALAR)
    buffer = operand_def(MemRefType)
    indices = var_operand_def(INDEX)
    map = prop_def(AffineMapAttr)
    output = result_def(SCALAR)
    irdl_options = (ParsePropInAttrDict(),)
    custom_directives = (IndexedBuffer,)
    assembly_format = (
        "$value `,` custom<IndexedBuffer>($buffer, $indices, $map) "
        "attr-dict `:` type($value) `,` type($buffer) `->` type($output)"
    )
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())

    def __init__(
        self,
        value: SSAValue,
        buffer: SSAValue,
        exprs: Sequence[AffineExpr],
        dims: Sequence[SSAValue],
    ):
        map, indices = canonical_access(exprs, dims)
        super().__init__(
            operands=[value, buffer, indices],
            properties={"map": map},
            result_types=[value.type],
        )

    def accesses(self) -> Sequence[Access]:
        place = self.buffer, self.map.data, tuple(self.indices)
        return (Access(*place, reads=True, writes=True, atomic=True),)

    @property
    def acquires(self) -> Token | None:
        is_global = space_of(self.buffer) is Space.GLOBAL
        return Token(TokenKind.COUNTER, Scope.GRID) if is_global else None

    def verify_(self) -> None:
        verify_access(self.accesses()[0], "the buffer")
        verify_scalar(self.value.type)
        element = element_of(self.buffer)
        if not element == self.value.type == self.output.type:
            raise VerifyException(f"adds {self.value.type} to {element}; the types must agree")
        if space_of(self.buffer) is Space.REGISTER:
            raise VerifyException("registers belong to one thread; add without an atomic")


OPERATIONS = [CopyOp, CpAsyncOp, AtomicAddOp]
