"""Shared and register buffers, and how a shared one's bytes are permuted."""

from math import ceil, prod

from xdsl.dialects.builtin import IntegerAttr, MemRefType, i32, i64
from xdsl.ir import Attribute, Data
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_attr_definition,
    irdl_op_definition,
    opt_prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.traits import MemoryAllocEffect
from xdsl.utils.exceptions import VerifyException

from dlc.arch.matrix_descriptor import ROW_BYTES, swizzle_of_lines
from dlc.arch.memory import REGISTER_BYTES
from dlc.ir.space import Space, buffer_type, space_of
from dlc.ir.tensor import element_bytes


@irdl_attr_definition
class SwizzleAttr(Data[tuple[int, int, int]]):
    """A permutation of a shared buffer's bytes that spreads columns over the banks.

    ``#gpu.swizzle<bits, base, shift>``: bits ``base .. base+bits`` of the byte offset are xored
    with the same number of bits from ``base+shift`` on. ``<3, 4, 3>`` permutes the 16-byte pieces
    of 128-byte rows over 8 rows (CUTLASS's ``Swizzle<3, 4, 3>``, the hardware's 128-byte swizzle).
    """

    name = "gpu.swizzle"

    @staticmethod
    def of_lines(line_bytes: int) -> "SwizzleAttr":
        """Return the hardware's own swizzle of lines of 32, 64 or 128 bytes (PTX ISA, "Asynchronous
        Warpgroup Level Matrix Shared Memory Layout").
        """
        return SwizzleAttr(swizzle_of_lines(line_bytes))

    @property
    def line_bytes(self) -> int | None:
        """The bytes of the lines of which this is the hardware's swizzle, if it is one."""
        return next((n for n in ROW_BYTES if swizzle_of_lines(n) == self.data), None)

    @property
    def period_bytes(self) -> int:
        """The bytes after which the pattern repeats; the buffer starts at a multiple of it."""
        bits, base, shift = self.data
        return 1 << (bits + base + shift)

    def apply(self, offset: int) -> int:
        """Return where the byte at ``offset`` of the unswizzled buffer is."""
        bits, base, shift = self.data
        mask = (1 << bits) - 1
        return offset ^ (((offset >> (base + shift)) & mask) << base)

    def verify(self) -> None:
        bits, base, shift = self.data
        if bits < 1 or base < 0 or shift < bits:
            raise VerifyException(
                f"swizzle<{bits}, {base}, {shift}> needs bits >= 1, base >= 0 and shift >= bits"
            )

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> tuple[int, int, int]:
        with parser.in_angle_brackets():
            bits = parser.parse_integer()
            parser.parse_punctuation(",")
            base = parser.parse_integer()
            parser.parse_punctuation(",")
            return bits, base, parser.parse_integer()

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{', '.join(map(str, self.data))}>")


@irdl_op_definition
class SharedAllocOp(IRDLOperation):
    """A buffer shared by the threads of a block; its contents are undefined at first.

    offset: bytes from the start of the block's shared memory (``gpu-allocate-shared``). swizzle:
    how its bytes are permuted (``gpu-swizzle-shared``); indices stay logical.

    ``%s = gpu.shared_alloc {offset = 0 : i64} : memref<64x64xf16, #loop.space<shared>>``
    """

    name = "gpu.shared_alloc"
    offset = opt_prop_def(IntegerAttr.constr(i64))
    swizzle = opt_prop_def(SwizzleAttr)
    output = result_def(MemRefType)
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "attr-dict `:` type($output)"

    def __init__(self, type: MemRefType[Attribute]):
        super().__init__(result_types=[type])

    def verify_(self) -> None:
        if space_of(self.output) is not Space.SHARED:
            raise VerifyException("a shared buffer has the type memref<.., #loop.space<shared>>")


@irdl_op_definition
class RegisterAllocOp(IRDLOperation):
    """A buffer in the registers of each thread; its contents are undefined at first.

    Its indices must be constants once the loops marked ``unroll`` are unrolled, else the compiler
    would put it in memory.

    ``%r = gpu.register_alloc : memref<4x8xf32, #loop.space<register>>``
    """

    name = "gpu.register_alloc"
    output = result_def(MemRefType)
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "attr-dict `:` type($output)"

    def __init__(self, type: MemRefType[Attribute]):
        super().__init__(result_types=[type])

    @property
    def registers(self) -> int:
        """The registers of a thread that hold it."""
        type = buffer_type(self.output)
        return ceil(prod(type.get_shape()) * element_bytes(type.element_type) / REGISTER_BYTES)

    def verify_(self) -> None:
        if space_of(self.output) is not Space.REGISTER:
            raise VerifyException(
                "a register buffer has the type memref<.., #loop.space<register>>"
            )


@irdl_op_definition
class CounterAllocOp(IRDLOperation):
    """Counters in global memory that all blocks of all launches of the kernel share.

    They are zero when the kernel is loaded, and a launch that raises one sets it back to zero, so
    each launch finds zeros. Launches of one kernel do not overlap.

    ``%c = gpu.counter_alloc : memref<24xi32>``
    """

    name = "gpu.counter_alloc"
    output = result_def(MemRefType)
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "attr-dict `:` type($output)"

    def __init__(self, type: MemRefType[Attribute]):
        super().__init__(result_types=[type])

    def verify_(self) -> None:
        type = buffer_type(self.output)
        if space_of(type) is not Space.GLOBAL or type.element_type != i32:
            raise VerifyException("counters have the type memref<..xi32>")


OPERATIONS = [SharedAllocOp, RegisterAllocOp, CounterAllocOp]
ATTRIBUTES = [SwizzleAttr]
