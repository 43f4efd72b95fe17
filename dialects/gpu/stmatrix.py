"""Stores of matrices that the lanes of a warp hold together."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, UnitAttr, i64
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import (
    BuffersOp,
    Place,
    element_of,
    place_format,
    verify_same_element,
)
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.dialects.gpu.mma import (
    LOADED_MATRICES,
    MATRIX_ROW_BYTES,
    REGISTER_BYTES,
    verify_fragment,
)
from dlc.ir.access import INDEX, Access
from dlc.ir.order import OrderingOp
from dlc.ir.space import Space, space_of
from dlc.ir.tensor import element_bytes


@irdl_op_definition
class StmatrixOp(BuffersOp, OrderingOp, NeedsCapability):
    """Store 1, 2 or 4 matrices of 8 rows of 16 bytes from a fragment (PTX ISA, "stmatrix").

    It is ``gpu.ldmatrix`` the other way round: lane ``l`` names row ``l % 8`` of matrix ``l // 8``
    as the place in shared memory, and of each matrix a lane holds 4 bytes, in neighbouring elements
    of the fragment. transpose (16-bit elements only): the 8x8 matrices.

    ``gpu.stmatrix %c[0, 0] to %s[%r, %c] {matrices = 4 : i64} : memref<..>, memref<..>``
    """

    name = "gpu.stmatrix"
    fragment = operand_def(MemRefType)
    fragment_indices = var_operand_def(INDEX)
    fragment_map = prop_def(AffineMapAttr)
    destination = operand_def(MemRefType)
    destination_indices = var_operand_def(INDEX)
    destination_map = prop_def(AffineMapAttr)
    matrices = prop_def(IntegerAttr.constr(i64))
    transpose = opt_prop_def(UnitAttr)

    ROLES: ClassVar[tuple[str, ...]] = ("fragment", "destination")
    assembly_format = (
        f"{place_format('fragment')} `to` {place_format('destination')} "
        "attr-dict `:` type($fragment) `,` type($destination)"
    )

    def __init__(self, fragment: Place, destination: Place, matrices: int, transpose: bool = False):
        super().__init__(
            fragment,
            destination,
            matrices=IntegerAttr(matrices, i64),
            transpose=UnitAttr() if transpose else None,
        )

    @property
    def together(self) -> Scope:
        return Scope.WARP

    @property
    def capability(self) -> str:
        return "stmatrix"

    @property
    def pack(self) -> int:
        """Elements in one 32-bit register."""
        return REGISTER_BYTES // element_bytes(element_of(self.destination))

    def accesses(self) -> Sequence[Access]:
        row = MATRIX_ROW_BYTES // element_bytes(element_of(self.destination))
        count = self.matrices.value.data * self.pack
        return (
            self.access("fragment", count, reads=True, collective=True),
            self.access("destination", row, writes=True, collective=True),
        )

    def verify_(self) -> None:
        super().verify_()
        if element_bytes(element_of(self.destination)) not in (1, 2, 4):
            raise VerifyException("stores elements of 8, 16 or 32 bits")
        fragment, destination = self.accesses()
        verify_same_element(fragment, destination, "convert first")
        if space_of(self.destination) is not Space.SHARED:
            raise VerifyException(f"stores to shared memory, got {self.destination.type}")
        if self.matrices.value.data not in LOADED_MATRICES:
            raise VerifyException(f"stores 1, 2 or 4 matrices, not {self.matrices.value.data}")
        if self.transpose is not None and self.pack != 2:
            raise VerifyException("transposes elements of 16 bits only")
        verify_fragment(fragment, "the source")


OPERATIONS = [StmatrixOp]
