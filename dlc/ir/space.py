"""Where a buffer lives: the memory space of a ``memref``."""

from enum import auto
from math import prod

from xdsl.dialects.builtin import MemRefType, NoneAttr
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_attr_definition
from xdsl.parser import AttrParser
from xdsl.printer import Printer
from xdsl.utils.str_enum import StrEnum

from dlc.errors import CompileError
from dlc.ir.tensor import element_bytes


class Space(StrEnum):
    """A memory space, from far to near."""

    GLOBAL = auto()
    """Seen by all threads of all kernels."""
    SHARED = auto()
    """Seen by the threads of one block (GPU)."""
    REGISTER = auto()
    """One copy per thread; on the CPU, a local array."""


@irdl_attr_definition
class SpaceAttr(EnumAttribute[Space]):
    """``#loop.space<shared>``; a memref without one is global."""

    name = "loop.space"

    @classmethod
    def parse_parameter(cls, parser: AttrParser) -> Space:
        with parser.in_angle_brackets():
            return parser.parse_str_enum(Space)

    def print_parameter(self, printer: Printer) -> None:
        printer.print_string(f"<{self.data}>")


def buffer_type(value: SSAValue | Attribute) -> MemRefType[Attribute]:
    """Return the memref type of a buffer; raises CompileError when it is no memref."""
    type = value.type if isinstance(value, SSAValue) else value
    if not isinstance(type, MemRefType):
        raise CompileError(f"expected a memref, got {type}")
    return type


def buffer_bytes(value: SSAValue | Attribute) -> int:
    """Return the bytes of a buffer or of one of a type."""
    type = buffer_type(value)
    return prod(type.get_shape()) * element_bytes(type.element_type)


def space_of(value: SSAValue | Attribute) -> Space:
    """Return the memory space of a buffer or of its type."""
    space = buffer_type(value).memory_space
    if isinstance(space, NoneAttr):
        return Space.GLOBAL
    if not isinstance(space, SpaceAttr):
        raise CompileError(f"{space} is no memory space; use #loop.space<global|shared|register>")
    return space.data
