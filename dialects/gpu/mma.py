"""Products that a warp computes together, on fragments in registers."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, MemRefType, StringAttr
from xdsl.irdl import irdl_op_definition, operand_def, prop_def, var_operand_def

from dlc.arch.instruction import Instruction
from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import BuffersOp, Place, place_format
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
    ``gpu.cvt_tf32``. The places are the first elements of the fragments.

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


OPERATIONS = [MmaOp]
