"""Products that a warp computes together, on fragments in registers."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, StringAttr, f32, i64
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import BuffersOp, Place, element_of, place_format
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.dialects.gpu.fragment import verify_fragment
from dlc.ir.access import INDEX, Access
from dlc.ir.instruction import instruction_of
from dlc.ir.order import OrderingOp


@irdl_op_definition
class MmaOp(BuffersOp, OrderingOp, NeedsCapability):
    """``c += a @ b`` by the lanes of a warp, on fragments in registers (PTX ISA, "mma").

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
    """Round neighbouring f32 elements in registers to tf32 in place, to nearest, ties away from
    zero (PTX ISA, "cvt": ``cvt.rna.tf32.f32``).

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


OPERATIONS = [MmaOp, RoundTf32Op]
