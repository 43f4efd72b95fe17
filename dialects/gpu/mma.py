"""Matrix instructions, which a warp does together on fragments in registers."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import (
    AffineMapAttr,
    IntegerAttr,
    MemRefType,
    StringAttr,
    UnitAttr,
    f32,
    i64,
)
from xdsl.irdl import (
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    var_operand_def,
)
from xdsl.utils.exceptions import VerifyException

from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import (
    BuffersOp,
    Place,
    element_of,
    place_format,
    verify_same_element,
)
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.ir.access import INDEX, Access
from dlc.ir.instruction import instruction_of
from dlc.ir.order import OrderingOp
from dlc.ir.space import Space, space_of
from dlc.ir.tensor import element_bytes

MATRIX_ROW_BYTES = 16
"""One row of an 8x8 matrix of 16-bit elements (PTX ISA, "ldmatrix")."""
REGISTER_BYTES = 4
LOADED_MATRICES = (1, 2, 4)
"""How many matrices one ldmatrix loads (PTX ISA, "ldmatrix", ``.num``)."""


def verify_fragment(access: Access, what: str) -> None:
    """Raise VerifyException unless a lane's elements are neighbours in a register buffer."""
    if space_of(access.buffer) is not Space.REGISTER:
        raise VerifyException(f"{what} is a fragment in registers, got {access.type}")
    sizes = access.type.get_shape()
    if not sizes or sizes[-1] % access.elements:
        raise VerifyException(
            f"{what} has {access.elements} elements per lane; the last axis of {access.type} "
            "should be a multiple of it"
        )


@irdl_op_definition
class LdmatrixOp(BuffersOp, OrderingOp, NeedsCapability):
    """Load 1, 2 or 4 matrices of 8 rows of 16 bytes from shared memory into a fragment.

    The place in shared memory is one row: lane ``l`` names row ``l % 8`` of matrix ``l // 8``. Each
    matrix gives each lane 4 bytes (``ldmatrix_position`` in ``dlc/arch/fragments.py``), in
    neighbouring elements of the fragment. transpose (16-bit elements only): the 8x8 matrices.

    ``gpu.ldmatrix %s[%r, %c] to %a[0, 0] {matrices = 4 : i64} : memref<..>, memref<..>``
    """

    name = "gpu.ldmatrix"
    source = operand_def(MemRefType)
    source_indices = var_operand_def(INDEX)
    source_map = prop_def(AffineMapAttr)
    fragment = operand_def(MemRefType)
    fragment_indices = var_operand_def(INDEX)
    fragment_map = prop_def(AffineMapAttr)
    matrices = prop_def(IntegerAttr.constr(i64))
    transpose = opt_prop_def(UnitAttr)

    ROLES: ClassVar[tuple[str, ...]] = ("source", "fragment")
    assembly_format = (
        f"{place_format('source')} `to` {place_format('fragment')} "
        "attr-dict `:` type($source) `,` type($fragment)"
    )

    def __init__(self, source: Place, fragment: Place, matrices: int, transpose: bool = False):
        super().__init__(
            source,
            fragment,
            matrices=IntegerAttr(matrices, i64),
            transpose=UnitAttr() if transpose else None,
        )

    @property
    def together(self) -> Scope:
        return Scope.WARP

    @property
    def capability(self) -> str:
        return "ldmatrix"

    @property
    def pack(self) -> int:
        """Elements in one 32-bit register."""
        return REGISTER_BYTES // element_bytes(element_of(self.source))

    def accesses(self) -> Sequence[Access]:
        row = MATRIX_ROW_BYTES // element_bytes(element_of(self.source))
        count = self.matrices.value.data * self.pack
        return (
            self.access("source", row, reads=True, collective=True),
            self.access("fragment", count, writes=True),
        )

    def verify_(self) -> None:
        super().verify_()
        if element_bytes(element_of(self.source)) not in (1, 2, 4):
            raise VerifyException("loads elements of 8, 16 or 32 bits")
        source, fragment = self.accesses()
        verify_same_element(source, fragment, "load and convert instead")
        if space_of(self.source) is not Space.SHARED:
            raise VerifyException(f"loads from shared memory, got {self.source.type}")
        if self.matrices.value.data not in LOADED_MATRICES:
            raise VerifyException(f"loads 1, 2 or 4 matrices, not {self.matrices.value.data}")
        if self.transpose is not None and self.pack != 2:
            raise VerifyException("transposes elements of 16 bits only")
        verify_fragment(fragment, "the destination")


@irdl_op_definition
class MmaOp(BuffersOp, OrderingOp, NeedsCapability):
    """``c += a @ b`` by the lanes of a warp, on fragments in registers.

    shape and the types of the elements name one of ``dlc/arch/instructions``, which says what lane
    holds what. With ``m16n8k8`` on f32 the lower 13 bits of the factors are ignored: see
    ``gpu.round_tf32``. The places are the first elements of the fragments.

    ``gpu.mma %a[0], %b[0], %c[0] {shape = "m16n8k16"} : memref<..>, memref<..>, memref<..>``
    """

    name = "gpu.mma"
    a = operand_def(MemRefType)
    a_indices = var_operand_def(INDEX)
    a_map = prop_def(AffineMapAttr)
    b = operand_def(MemRefType)
    b_indices = var_operand_def(INDEX)
    b_map = prop_def(AffineMapAttr)
    c = operand_def(MemRefType)
    c_indices = var_operand_def(INDEX)
    c_map = prop_def(AffineMapAttr)
    shape = prop_def(StringAttr)

    ROLES: ClassVar[tuple[str, ...]] = ("a", "b", "c")
    assembly_format = (
        f"{place_format('a')} `,` {place_format('b')} `,` {place_format('c')} "
        "attr-dict `:` type($a) `,` type($b) `,` type($c)"
    )

    def __init__(self, a: Place, b: Place, c: Place, shape: str):
        super().__init__(a, b, c, shape=StringAttr(shape))

    @property
    def together(self) -> Scope:
        return self.instruction.scope

    @property
    def capability(self) -> str:
        capability = self.instruction.capability
        assert capability is not None
        return capability

    @property
    def instruction(self) -> Instruction:
        """The row of the shape and the types; raises VerifyException if there is none."""
        return instruction_of(f"mma.{self.shape.data}", self.a, self.b, self.c)

    def accesses(self) -> Sequence[Access]:
        a, b, c = (fragment.slots for fragment in self.instruction.fragments)
        return (
            self.access("a", a, reads=True, collective=True),
            self.access("b", b, reads=True, collective=True),
            self.access("c", c, reads=True, writes=True, collective=True),
        )

    def verify_(self) -> None:
        super().verify_()
        for role, access in zip(self.ROLES, self.accesses(), strict=True):
            verify_fragment(access, role)


@irdl_op_definition
class RoundTf32Op(BuffersOp, NeedsCapability):
    """Round neighbouring f32 elements in registers to tf32 in place (to nearest, ties away).

    tf32 keeps 10 bits of the mantissa. Without it the matrix instruction cuts the rest off, which
    doubles the error and biases it.

    ``gpu.round_tf32 %a[0, 0] {elements = 4 : i64} : memref<2x4xf32, #loop.space<register>>``
    """

    name = "gpu.round_tf32"
    fragment = operand_def(MemRefType)
    fragment_indices = var_operand_def(INDEX)
    fragment_map = prop_def(AffineMapAttr)
    elements = prop_def(IntegerAttr.constr(i64))

    ROLES: ClassVar[tuple[str, ...]] = ("fragment",)
    assembly_format = f"{place_format('fragment')} attr-dict `:` type($fragment)"

    def __init__(self, fragment: Place, elements: int):
        super().__init__(fragment, elements=IntegerAttr(elements, i64))

    @property
    def capability(self) -> str:
        return "mma.sync.tf32"

    def accesses(self) -> Sequence[Access]:
        return (self.access("fragment", self.elements.value.data, reads=True, writes=True),)

    def verify_(self) -> None:
        super().verify_()
        (access,) = self.accesses()
        verify_fragment(access, "the operand")
        if element_of(self.fragment) != f32:
            raise VerifyException(f"rounds f32, got {element_of(self.fragment)}")


OPERATIONS = [LdmatrixOp, MmaOp, RoundTf32Op]
