"""Products that the four warps of a warpgroup start together and wait for later."""

from collections.abc import Sequence
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, IntegerAttr, MemRefType, StringAttr, UnitAttr, i64
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    traits_def,
    var_operand_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from dlc.arch.instruction import Instruction
from dlc.arch.matrix_descriptor import MatrixDescriptor
from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import BuffersOp, Place, place_format
from dlc.dialects.gpu.capability import NeedsCapability
from dlc.dialects.gpu.fragment import verify_fragment
from dlc.dialects.gpu.shared_tile import SharedTile
from dlc.ir.access import INDEX, Access
from dlc.ir.instruction import instruction_of
from dlc.ir.order import OrderingOp, Token, TokenKind
from dlc.ir.space import Space, space_of

_TOKEN = Token(TokenKind.PRODUCTS, Scope.WARPGROUP)


class WarpgroupOp(OrderingOp, NeedsCapability):
    """What all threads of a warpgroup do together: 128 threads from a multiple of 128 on."""

    @property
    def together(self) -> Scope:
        return Scope.WARPGROUP

    @property
    def capability(self) -> str:
        return "wgmma"


@irdl_op_definition
class WgmmaOp(BuffersOp, WarpgroupOp):
    """Start ``c += a @ b`` by the warps of a warpgroup (PTX ISA, "wgmma.mma_async").

    shape and the types of the elements name one of ``dlc/arch/instructions``. It is done when the
    threads have waited for its group (``gpu.wgmma_commit``, ``gpu.wgmma_wait``). Until then nobody
    writes the factors and nobody touches ``c``, except for further products of the same shape.

    a: a tile of 64 rows in shared memory, or a fragment in registers of which each warp has 16
    rows. b: a tile in shared memory. c: a fragment of which each warp has 16 rows, in the layout
    of ``gpu.mma``. The place of a tile is the same in all threads.

    Tiles in shared memory lie in rows of 32, 64 or 128 bytes, the last axis, with the swizzle of
    these rows. The last two axes are (rows, depth), for ``b`` (columns, depth). transpose_a,
    transpose_b (16-bit elements only): they are (depth, rows); a tile of more rows than the axis
    has takes several indices of the axis before.

    ``gpu.wgmma %a[0, 0], %b[0, 0], %c[0] {shape = "m64n128k16"} : memref<..>, memref<..>, ...``
    """

    name = "gpu.wgmma"
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
    transpose_a = opt_prop_def(UnitAttr)
    transpose_b = opt_prop_def(UnitAttr)

    ROLES: ClassVar[tuple[str, ...]] = ("a", "b", "c")
    assembly_format = (
        f"{place_format('a')} `,` {place_format('b')} `,` {place_format('c')} "
        "attr-dict `:` type($a) `,` type($b) `,` type($c)"
    )

    def __init__(
        self,
        a: Place,
        b: Place,
        c: Place,
        shape: str,
        transpose_a: bool = False,
        transpose_b: bool = False,
    ):
        super().__init__(
            a,
            b,
            c,
            shape=StringAttr(shape),
            transpose_a=UnitAttr() if transpose_a else None,
            transpose_b=UnitAttr() if transpose_b else None,
        )

    @property
    def instruction(self) -> Instruction:
        """The row of the shape and the types; raises VerifyException if there is none."""
        return instruction_of(f"wgmma.{self.shape.data}", self.a, self.b, self.c)

    @property
    def has_a_in_registers(self) -> bool:
        """Whether ``a`` is a fragment."""
        return space_of(self.a) is Space.REGISTER

    @property
    def tile_a(self) -> SharedTile:
        """The lhs, where it is in shared memory."""
        it = self.instruction
        return SharedTile(self.a, self.a_map.data, it.m, it.k, self.transpose_a is not None)

    @property
    def tile_b(self) -> SharedTile:
        """The rhs; its rows are the columns of the result."""
        it = self.instruction
        return SharedTile(self.b, self.b_map.data, it.n, it.k, self.transpose_b is not None)

    def accesses(self) -> Sequence[Access]:
        return (self._access_of_a(), self._access_of_tile("b", self.tile_b), self._access_of_c())

    def _access_of_a(self) -> Access:
        place = self.instruction.a.place
        if self.has_a_in_registers and place is not None:
            return self.access("a", place.slots, reads=True, asynchronous=True, collective=True)
        return self._access_of_tile("a", self.tile_a)

    def _access_of_c(self) -> Access:
        place = self.instruction.c.place
        assert place is not None
        facts = {"reads": True, "writes": True, "asynchronous": True, "collective": True}
        return self.access("c", place.slots, **facts)

    def _access_of_tile(self, role: str, tile: SharedTile) -> Access:
        return self.access_of_box(role, tile.box, reads=True, asynchronous=True, collective=True)

    def descriptors(self) -> tuple[MatrixDescriptor | None, MatrixDescriptor]:
        """Return those of ``a``, where it is in shared memory, and of ``b``."""
        a = None if self.has_a_in_registers else self.tile_a.descriptor
        return a, self.tile_b.descriptor

    def verify_(self) -> None:
        if self.has_a_in_registers and self.transpose_a is not None:
            raise VerifyException("a in registers is not transposed")
        if not self.has_a_in_registers:
            self.tile_a.verify("a")
        self.tile_b.verify("b")
        super().verify_()
        a, _, c = self.accesses()
        verify_fragment(c, "c")
        if self.has_a_in_registers:
            verify_fragment(a, "a")


@irdl_op_definition
class WgmmaFenceOp(IRDLOperation, WarpgroupOp):
    """Let products see what the threads did with registers before (PTX ISA, "wgmma.fence").

    It stands before the first product on registers that anything else has touched; further products
    of the same shape on the same sums need none.
    """

    name = "gpu.wgmma_fence"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"


@irdl_op_definition
class WgmmaCommitOp(IRDLOperation, WarpgroupOp):
    """Close the group of the products since the last commit (PTX ISA, "wgmma.commit_group")."""

    name = "gpu.wgmma_commit"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    @property
    def releases(self) -> Token:
        return _TOKEN


@irdl_op_definition
class WgmmaWaitOp(IRDLOperation, WarpgroupOp):
    """Wait until at most ``outstanding`` groups of products are under way (PTX ISA,
    "wgmma.wait_group").

    The sums of the others may then be touched by the thread that holds them, and their factors
    written, by other threads after a barrier.
    """

    name = "gpu.wgmma_wait"
    outstanding = prop_def(IntegerAttr.constr(i64))
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"

    def __init__(self, outstanding: int):
        super().__init__(properties={"outstanding": IntegerAttr(outstanding, i64)})

    @property
    def acquires(self) -> Token:
        return _TOKEN

    def verify_(self) -> None:
        if not 0 <= self.outstanding.value.data <= MOST_OUTSTANDING:
            raise VerifyException(
                f"outstanding = {self.outstanding.value.data} should be in 0..{MOST_OUTSTANDING}"
            )


MOST_OUTSTANDING = 7
"""Groups of products that a wait can leave (PTX ISA, "wgmma.wait_group")."""

OPERATIONS = [WgmmaOp, WgmmaFenceOp, WgmmaCommitOp, WgmmaWaitOp]
