"""Values that blocks of a launch hand to each other through global memory, while they run.

A buffer that the kernel names in ``filled`` holds the *mark* when the kernel begins: words of 4
bytes, all of whose bits are ones. Who publishes a value takes the mark away; who awaits it looks
until the mark is gone. So the value is its own signal, and one trip over the L2 cache brings both.

PTX leaves accesses of different sizes to one place undefined (PTX ISA, "Limitations on Mixed-size
Data-races"), and takes a vector for accesses of each of its elements, in any order ("Vector
Data-types"). So all of these go by words of 4 bytes, each with a mark of its own: of f16 and bf16
two neighbours at least are moved.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import ClassVar

from xdsl.dialects.builtin import (
    AffineMapAttr,
    BFloat16Type,
    DenseArrayBase,
    Float16Type,
    Float32Type,
    IntegerAttr,
    MemRefType,
    i64,
)
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import (
    FROM_TO,
    BuffersOp,
    Place,
    element_of,
    verify_bytes,
    verify_same_element,
    verify_spaces,
)
from dlc.dialects.gpu.kernel import kernel_around
from dlc.ir.access import INDEX, Access, verify_access
from dlc.ir.order import OrderingOp, Token, TokenKind
from dlc.ir.space import Space, buffer_type
from dlc.ir.tensor import element_bytes

PUBLISHED_BYTES = (4, 8, 16)
"""What one instruction moves: a word, or a vector of words."""
MARK = 0xFFFFFFFF
"""A word that nobody has published."""
UNMARKED = 0x7FFF7FFF
"""What is published instead of it: NaN, like the mark, as one f32 and as two of 16 bits."""
_MARKED = Float16Type | BFloat16Type | Float32Type
"""Elements for which the mark is NaN, so that no number is mistaken for it."""


class PublishedMoveOp(BuffersOp):
    """A move between a thread's registers and a buffer of published values, with one instruction.

    elements: neighbours that it moves.
    """

    source = operand_def(MemRefType)
    source_indices = var_operand_def(INDEX)
    source_map = prop_def(AffineMapAttr)
    destination = operand_def(MemRefType)
    destination_indices = var_operand_def(INDEX)
    destination_map = prop_def(AffineMapAttr)
    elements = prop_def(IntegerAttr.constr(i64))

    ROLES: ClassVar[tuple[str, ...]] = ("source", "destination")
    MOVES: ClassVar[tuple[Space, Space]]
    assembly_format = f"{FROM_TO} attr-dict `:` type($source) `,` type($destination)"

    @property
    def published(self) -> SSAValue:
        """The buffer of published values."""
        return self.source if self.MOVES[0] is Space.GLOBAL else self.destination

    @property
    def bytes(self) -> int:
        """The bytes that one instruction moves."""
        return self.elements.value.data * element_bytes(element_of(self.published))

    def verify_(self) -> None:
        for access in self.accesses():
            verify_access(access, "the source" if access.reads else "the destination")
        verify_same_element(
            self.access("source", 1), self.access("destination", 1), "convert in registers"
        )
        verify_spaces(self.source, self.destination, self.MOVES)
        if not isinstance(element_of(self.published), _MARKED):
            raise VerifyException(
                f"moves f16, bf16 or f32, not {element_of(self.source)}: the mark is a NaN of these"
            )
        verify_bytes(self.bytes, PUBLISHED_BYTES)
        kernel = kernel_around(self)
        if kernel is not None and kernel.cooperative is None:
            raise VerifyException(
                "its kernel is not cooperative: a block may wait for one that has not begun"
            )
        if kernel is not None and self.published not in kernel.filled_buffers:
            raise VerifyException("the buffer holds no marks; name it in filled of the kernel")


@irdl_op_definition
class PublishOp(PublishedMoveOp):
    """Store values that others await (PTX ``st.relaxed.gpu``); a word that is the mark becomes
    another NaN.

    Each element is published once in a launch. It orders nothing else: what the thread has written
    before, others need not see when they see the values. It is not to be moved over a wait,
    repeated or merged.

    ``gpu.publish %r[0] to %y[%i, 0] {elements = 2 : i64} : memref<2xf16, #..>, memref<4x8xf16>``
    """

    name = "gpu.publish"
    MOVES: ClassVar[tuple[Space, Space]] = (Space.REGISTER, Space.GLOBAL)

    def __init__(self, source: Place, destination: Place, elements: int):
        super().__init__(source, destination, elements=IntegerAttr(elements, i64))

    def accesses(self) -> Sequence[Access]:
        count = self.elements.value.data
        return (
            self.access("source", count, reads=True),
            self.access("destination", count, writes=True, atomic=True),
        )


@irdl_op_definition
class AwaitOp(PublishedMoveOp, OrderingOp):
    """Load values once others have published all of them (PTX ``ld.relaxed.gpu``, in a loop).

    It brings these values and orders nothing else: other memory that the publisher has written need
    not be visible. Threads of a warp may leave it at different times. What it loads changes while
    the kernel runs: it is not to be moved, repeated or merged.

    pieces: how often ``elements`` neighbours are loaded, all under way together; each piece begins
    ``stride`` behind the one before it, indices by axis of the buffer. In the registers they follow
    each other.

    ``gpu.await %y[%i, %j] to %r[0] {elements = 8 : i64, pieces = 2 : i64, stride = array<i64: 0,
    32>} : memref<4x64xf16>, memref<16xf16, #..>``
    """

    name = "gpu.await"
    pieces = opt_prop_def(IntegerAttr.constr(i64))
    stride = opt_prop_def(DenseArrayBase.constr(i64))
    MOVES: ClassVar[tuple[Space, Space]] = (Space.GLOBAL, Space.REGISTER)

    def __init__(
        self,
        source: Place,
        destination: Place,
        elements: int,
        pieces: int = 1,
        stride: Sequence[int] = (),
    ):
        super().__init__(source, destination, elements=IntegerAttr(elements, i64))
        if pieces > 1:
            self.pieces = IntegerAttr(pieces, i64)
            self.stride = DenseArrayBase.from_list(i64, list(stride))

    @property
    def acquires(self) -> Token:
        return Token(TokenKind.VALUE, Scope.GRID, self.source)

    @property
    def piece_count(self) -> int:
        """How many pieces there are."""
        return 1 if self.pieces is None else self.pieces.value.data

    @property
    def strides(self) -> tuple[int, ...]:
        """How far a piece begins behind the one before it, by axis."""
        rank = len(buffer_type(self.source).get_shape())
        return (0,) * rank if self.stride is None else tuple(map(int, self.stride.get_values()))

    @property
    def stride_bytes(self) -> int:
        """The bytes from one piece to the next."""
        step = 0
        for size, stride in zip(buffer_type(self.source).get_shape(), self.strides, strict=True):
            step = step * size + stride
        return step * element_bytes(element_of(self.source))

    def accesses(self) -> Sequence[Access]:
        count, pieces = self.elements.value.data, self.piece_count
        first = self.access("source", count, reads=True, atomic=True)
        return (
            *(replace(first, map=_shifted(first.map, self.strides, n)) for n in range(pieces)),
            self.access("destination", count * pieces, writes=True),
        )

    def verify_(self) -> None:
        if (self.pieces is None) != (self.stride is None) or self.piece_count < 1:
            raise VerifyException("pieces, at least 1, and their stride come together")
        if len(self.strides) != len(buffer_type(self.source).get_shape()):
            raise VerifyException(
                f"stride = {list(self.strides)} has one number for each axis of {self.source.type}"
            )
        super().verify_()


def _shifted(map: AffineMap, by: Sequence[int], times: int) -> AffineMap:
    results = (expr + step * times for expr, step in zip(map.results, by, strict=True))
    return AffineMap(map.num_dims, map.num_symbols, tuple(results))


OPERATIONS = [PublishOp, AwaitOp]
