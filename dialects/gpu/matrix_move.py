"""8x8 matrices that the lanes of a warp move between shared memory and their registers."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, UnitAttr, i64
from xdsl.ir import SSAValue
from xdsl.irdl import irdl_op_definition, operand_def, opt_prop_def, prop_def, var_operand_def
from xdsl.utils.exceptions import VerifyException

from dlc.arch.memory import PIECE_BYTES, REGISTER_BYTES
from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import (
    BuffersOp,
    Place,
    element_of,
    place_format,
    verify_same_element,
)
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.dialects.gpu.fragment import verify_fragment
from dlc.ir.access import INDEX, Access
from dlc.ir.order import OrderingOp
from dlc.ir.space import Space, space_of
from dlc.ir.tensor import element_bytes

MOVED_MATRICES = (1, 2, 4)
"""How many matrices one instruction moves (PTX ISA, "ldmatrix" and "stmatrix", ``.num``)."""


class MatrixMoveOp(BuffersOp, OrderingOp, NeedsCapability, ABC):
    """A move of matrices between shared memory and a fragment, one way or the other."""

    CAPABILITY: ClassVar[str]

    matrices = prop_def(IntegerAttr.constr(i64))
    transpose = opt_prop_def(UnitAttr)

    def __init__(self, source: Place, destination: Place, matrices: int, transpose: bool = False):
        super().__init__(
            source,
            destination,
            matrices=IntegerAttr(matrices, i64),
            transpose=UnitAttr() if transpose else None,
        )

    @property
    @abstractmethod
    def shared(self) -> SSAValue:
        """The buffer in shared memory."""

    @property
    def together(self) -> Scope:
        return Scope.WARP

    @property
    def capability(self) -> str:
        return self.CAPABILITY

    @property
    def pack(self) -> int:
        """Elements in one 32-bit register."""
        return REGISTER_BYTES // element_bytes(element_of(self.shared))

    @property
    def row_elements(self) -> int:
        """Elements in the row that a lane names."""
        return PIECE_BYTES // element_bytes(element_of(self.shared))

    @property
    def lane_elements(self) -> int:
        """Elements that a lane holds of all matrices."""
        return self.matrices.value.data * self.pack

    def _verify(self, verb: str, preposition: str, instead: str) -> None:
        """Raise VerifyException unless an instruction moves it; the words are those of the text."""
        super().verify_()
        if element_bytes(element_of(self.shared)) not in (1, 2, 4):
            raise VerifyException(f"{verb} elements of 8, 16 or 32 bits")
        source, destination = self.accesses()
        verify_same_element(source, destination, instead)
        if space_of(self.shared) is not Space.SHARED:
            raise VerifyException(f"{verb} {preposition} shared memory, got {self.shared.type}")
        if self.matrices.value.data not in MOVED_MATRICES:
            raise VerifyException(f"{verb} 1, 2 or 4 matrices, not {self.matrices.value.data}")
        if self.transpose is not None and self.pack != 2:
            raise VerifyException("transposes elements of 16 bits only")


@irdl_op_definition
class LdmatrixOp(MatrixMoveOp):
    """Load 1, 2 or 4 matrices of 8 rows of 16 bytes from shared memory into a fragment (PTX ISA,
    "ldmatrix").

    The place in shared memory is one row: lane ``l`` names row ``l % 8`` of matrix ``l // 8``. Each
    matrix gives each lane 4 bytes (``ldmatrix_position`` in ``dlc/arch/fragments.py``), in
    neighbouring elements of the fragment. transpose (16-bit elements only): the 8x8 matrices.

    ``gpu.ldmatrix %s[%r, %c] to %a[0, 0] {matrices = 4 : i64} : memref<..>, memref<..>``
    """

    name = "gpu.ldmatrix"
    CAPABILITY: ClassVar[str] = "ldmatrix"
    source = operand_def(MemRefType)
    source_indices = var_operand_def(INDEX)
    source_map = prop_def(AffineMapAttr)
    fragment = operand_def(MemRefType)
    fragment_indices = var_operand_def(INDEX)
    fragment_map = prop_def(AffineMapAttr)

    ROLES: ClassVar[tuple[str, ...]] = ("source", "fragment")
    assembly_format = (
        f"{place_format('source')} `to` {place_format('fragment')} "
        "attr-dict `:` type($source) `,` type($fragment)"
    )

    @property
    def shared(self) -> SSAValue:
        return self.source

    def accesses(self) -> Sequence[Access]:
        return (
            self.access("source", self.row_elements, reads=True, collective=True),
            self.access("fragment", self.lane_elements, writes=True),
        )

    def verify_(self) -> None:
        self._verify("loads", "from", "load and convert instead")
        _, fragment = self.accesses()
        verify_fragment(fragment, "the destination")


@irdl_op_definition
class StmatrixOp(MatrixMoveOp):
    """Store 1, 2 or 4 matrices of 8 rows of 16 bytes from a fragment (PTX ISA, "stmatrix").

    It is ``gpu.ldmatrix`` the other way round: lanes name rows, and hold elements, as there.

    No lowering uses it: measured on products, it takes as long as 4-byte stores
    (``docs/performance.md``, "forms of products by warpgroups").

    ``gpu.stmatrix %c[0, 0] to %s[%r, %c] {matrices = 4 : i64} : memref<..>, memref<..>``
    """

    name = "gpu.stmatrix"
    CAPABILITY: ClassVar[str] = "stmatrix"
    fragment = operand_def(MemRefType)
    fragment_indices = var_operand_def(INDEX)
    fragment_map = prop_def(AffineMapAttr)
    destination = operand_def(MemRefType)
    destination_indices = var_operand_def(INDEX)
    destination_map = prop_def(AffineMapAttr)

    ROLES: ClassVar[tuple[str, ...]] = ("fragment", "destination")
    assembly_format = (
        f"{place_format('fragment')} `to` {place_format('destination')} "
        "attr-dict `:` type($fragment) `,` type($destination)"
    )

    @property
    def shared(self) -> SSAValue:
        return self.destination

    def accesses(self) -> Sequence[Access]:
        return (
            self.access("fragment", self.lane_elements, reads=True, collective=True),
            self.access("destination", self.row_elements, writes=True, collective=True),
        )

    def verify_(self) -> None:
        self._verify("stores", "to", "convert first")
        fragment, _ = self.accesses()
        verify_fragment(fragment, "the source")


OPERATIONS = [LdmatrixOp, StmatrixOp]
