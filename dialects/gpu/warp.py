"""Exchange between the lanes of a warp."""

from enum import auto

from xdsl.dialects.builtin import IntegerAttr, i64
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import SpacedOpaqueSyntaxAttribute, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_attr_definition,
    irdl_op_definition,
    operand_def,
    prop_def,
    result_def,
    traits_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect
from xdsl.utils.exceptions import VerifyException
from xdsl.utils.str_enum import StrEnum

from dlc.arch.fragments import WARP_LANES
from dlc.arch.scope import Scope
from dlc.dialects.gpu.buffers import SCALAR, verify_scalar
from dlc.ir.order import OrderingOp


class ShuffleMode(StrEnum):
    """Which lane a lane reads from (PTX ISA, "shfl.sync")."""

    XOR = auto()
    """Lane ``self ^ offset``."""
    UP = auto()
    """Lane ``self - offset``; its own value where there is none."""
    DOWN = auto()
    """Lane ``self + offset``; its own value where there is none."""
    INDEX = auto()
    """Lane ``offset``: a broadcast."""


@irdl_attr_definition
class ShuffleModeAttr(EnumAttribute[ShuffleMode], SpacedOpaqueSyntaxAttribute):
    """``xor``, ``up``, ``down`` or ``index``."""

    name = "gpu.shuffle_mode"


@irdl_op_definition
class ShuffleOp(IRDLOperation, OrderingOp):
    """Read another lane's value; all 32 lanes take part (PTX ISA, "shfl.sync").

    ``%v = gpu.shuffle xor %x, 16 : f32``
    """

    name = "gpu.shuffle"
    mode = prop_def(ShuffleModeAttr)
    value = operand_def(SCALAR)
    offset = prop_def(IntegerAttr.constr(i64))
    output = result_def(SCALAR)
    # The other lanes' registers are read: it must not move into or out of a condition.
    traits = traits_def(MemoryReadEffect())

    def __init__(self, mode: ShuffleMode, value: SSAValue, offset: int):
        super().__init__(
            operands=[value],
            properties={"mode": ShuffleModeAttr(mode), "offset": IntegerAttr(offset, i64)},
            result_types=[value.type],
        )

    @property
    def together(self) -> Scope:
        return Scope.WARP

    def verify_(self) -> None:
        verify_scalar(self.value.type)
        if not 0 <= self.offset.value.data < WARP_LANES:
            raise VerifyException(f"offset {self.offset.value.data} should be in 0..31")
        if self.value.type != self.output.type:
            raise VerifyException(f"reads {self.value.type}, gives {self.output.type}")

    @classmethod
    def parse(cls, parser: Parser) -> "ShuffleOp":
        mode = parser.parse_str_enum(ShuffleMode)
        value = parser.parse_unresolved_operand()
        parser.parse_punctuation(",")
        offset = parser.parse_integer()
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        op = cls(mode, parser.resolve_operand(value, parser.parse_type()), offset)
        op.attributes.update(attributes)
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(f" {self.mode.data} ")
        printer.print_ssa_value(self.value)
        printer.print_string(f", {self.offset.value.data}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_attribute(self.value.type)


OPERATIONS = [ShuffleOp]
ATTRIBUTES = [ShuffleModeAttr]
