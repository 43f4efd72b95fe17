"""Values that blocks of a launch hand to each other through global memory, while they run.

A buffer that the kernel names in ``filled`` holds the *mark* when the kernel begins: words of 4
bytes, all of whose bits are ones. Who publishes a value takes the mark away; who awaits it looks
until the mark is gone. So the value is its own signal, and one trip over the L2 cache brings both.

PTX leaves accesses of different sizes to one place undefined (PTX ISA, "Limitations on Mixed-size
Data-races"), and takes a vector for accesses of each of its elements, in any order ("Vector
Data-types"). So all of these go by words of 4 bytes, each with a mark of its own: of f16 and bf16
two neighbours at least are moved.
"""

from typing import ClassVar

from xdsl.dialects.builtin import (
    AffineMapAttr,
    BFloat16Type,
    Float16Type,
    Float32Type,
    IntegerAttr,
    MemRefType,
    UnitAttr,
    i64,
)
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import (
    FROM_TO,
    Place,
    VectorMoveOp,
    element_of,
    verify_bytes,
    verify_same_element,
    verify_spaces,
)
from dlc.dialects.gpu.kernel import kernel_around
from dlc.ir.access import INDEX, Access
from dlc.ir.order import OrderingOp, Token, TokenKind
from dlc.ir.space import Space

PUBLISHED_BYTES = (4, 8, 16)
"""What one instruction moves: a word, or a vector of words."""
MARK = 0xFFFFFFFF
"""A word that nobody has published."""
UNMARKED = 0x7FFF7FFF
"""What is published instead of it: NaN, like the mark, as one f32 and as two of 16 bits."""
_MARKED = Float16Type | BFloat16Type | Float32Type
"""Elements for which the mark is NaN, so that no number is mistaken for it."""


class PublishedMoveOp(VectorMoveOp):
    """A move between a thread's registers and a buffer of published values."""

    source = operand_def(MemRefType)
    source_indices = var_operand_def(INDEX)
    source_map = prop_def(AffineMapAttr)
    destination = operand_def(MemRefType)
    destination_indices = var_operand_def(INDEX)
    destination_map = prop_def(AffineMapAttr)

    MOVES: ClassVar[tuple[Space, Space]]
    assembly_format = f"{FROM_TO} attr-dict `:` type($source) `,` type($destination)"

    def __init__(self, source: Place, destination: Place, elements: int):
        super().__init__(source, destination, elements=IntegerAttr(elements, i64))

    def accesses(self) -> tuple[Access, Access]:
        count = self.elements.value.data
        atomic = [space is Space.GLOBAL for space in self.MOVES]
        return (
            self.access("source", count, reads=True, atomic=atomic[0]),
            self.access("destination", count, writes=True, atomic=atomic[1]),
        )

    def verify_(self) -> None:
        super().verify_()
        source, destination = self.accesses()
        verify_same_element(source, destination, "convert in registers")
        verify_spaces(self.source, self.destination, self.MOVES)
        if not isinstance(element_of(self.source), _MARKED):
            raise VerifyException(
                f"moves f16, bf16 or f32, not {element_of(self.source)}: the mark is a NaN of these"
            )
        verify_bytes(self.bytes, PUBLISHED_BYTES)
        kernel = kernel_around(self)
        if kernel is None:
            return
        if kernel.cooperative is None:
            raise VerifyException(
                "its kernel is not cooperative: a block may wait for one that has not begun"
            )
        (published,) = (access.buffer for access in (source, destination) if access.atomic)
        if published not in kernel.filled_buffers:
            raise VerifyException("the buffer holds no marks; name it in filled of the kernel")


@irdl_op_definition
class PublishOp(PublishedMoveOp):
    """Store values that others await (PTX ``st.relaxed.gpu``); a word that is the mark becomes
    another NaN.

    Each element is published once in a launch. It orders nothing else: what the thread has written
    before, others need not see when they see the values.

    ``gpu.publish %r[0] to %y[%i, 0] {elements = 2 : i64} : memref<2xf16, #..>, memref<4x8xf16>``
    """

    name = "gpu.publish"
    MOVES: ClassVar[tuple[Space, Space]] = (Space.REGISTER, Space.GLOBAL)


@irdl_op_definition
class PeekOp(PublishedMoveOp):
    """Begin to load values that others publish, without waiting (PTX ``ld.relaxed.gpu``).

    What is in the registers then is for the ``gpu.await`` with ``peeked`` of the same place alone,
    which asks again if it came too early. Several of these are under way together.

    ``gpu.peek %y[%i, 0] to %r[0] {elements = 8 : i64} : memref<4x8xf16>, memref<8xf16, #..>``
    """

    name = "gpu.peek"
    MOVES: ClassVar[tuple[Space, Space]] = (Space.GLOBAL, Space.REGISTER)


@irdl_op_definition
class AwaitOp(PublishedMoveOp, OrderingOp):
    """Load values once others have published all of them (PTX ``ld.relaxed.gpu``, in a loop).

    It brings these values and orders nothing else: other memory that the publisher has written need
    not be visible. Threads of a warp may leave it at different times.

    peeked: a ``gpu.peek`` has begun the load, into the same registers.

    ``gpu.await %y[%i, 0] to %r[0] {elements = 8 : i64} : memref<4x8xf16>, memref<8xf16, #..>``
    """

    name = "gpu.await"
    peeked = opt_prop_def(UnitAttr)
    MOVES: ClassVar[tuple[Space, Space]] = (Space.GLOBAL, Space.REGISTER)

    def __init__(self, source: Place, destination: Place, elements: int, peeked: bool = False):
        super().__init__(source, destination, elements)
        self.peeked = UnitAttr() if peeked else None

    @property
    def acquires(self) -> Token:
        return Token(TokenKind.VALUE, Scope.GRID, self.source)


OPERATIONS = [PublishOp, PeekOp, AwaitOp]
