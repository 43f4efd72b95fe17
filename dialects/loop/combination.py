"""Combinations of what threads hold."""

from abc import ABC
from collections.abc import Sequence
from typing import ClassVar, Self

from xdsl.dialects.builtin import MemRefType, i64
from xdsl.ir import Block, Region, SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    prop_def,
    region_def,
    result_def,
    traits_def,
    var_operand_def,
    var_result_def,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect, NoMemoryEffect
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.loop.attributes import CombineScope, CombineScopeAttr
from dlc.dialects.loop.structure import YieldOp
from dlc.ir.space import Space, SpaceAttr

_OBJECT = MemRefType(i64, [1], memory_space=SpaceAttr(Space.SHARED))


class CombiningOp(IRDLOperation, ABC):
    """Combines values of all threads of a block, of its cluster, or of the team of the loop with
    teams around. All lanes reach it. The region combines two lanes' values and is associative.

    LISTS: a thread gives so many lists of values of the same types, and gets as many.
    """

    LISTS: ClassVar[int]
    parts = var_operand_def()
    over = prop_def(CombineScopeAttr)
    totals = var_result_def()
    body = region_def("single_block")
    traits = traits_def(NoMemoryEffect())

    def __init__(self, parts: Sequence[SSAValue], over: CombineScope, body: Region | None = None):
        """body: its block takes the values of one lane, then those of another."""
        types = [value.type for value in parts]
        each = types[: len(types) // self.LISTS]
        super().__init__(
            operands=[parts],
            properties={"over": CombineScopeAttr(over)},
            result_types=[types],
            regions=[body or Region(Block(arg_types=[*each, *each]))],
        )

    @property
    def count(self) -> int:
        """The values that are combined with those of another lane."""
        return len(self.parts) // self.LISTS

    def verify_(self) -> None:
        types = tuple(self.parts.types[: self.count])
        if tuple(self.parts.types) != types * self.LISTS:
            raise VerifyException(f"takes {self.LISTS} lists of values of the same types")
        if tuple(self.totals.types) != types * self.LISTS:
            raise VerifyException("a combination has the types of its parts")
        if tuple(self.body.block.arg_types) != types + types:
            raise VerifyException("the body takes the values of two lanes")
        last = self.body.block.last_op
        if not isinstance(last, YieldOp) or tuple(last.arguments.types) != types:
            raise VerifyException("the body ends with loop.yield of the combined values")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        position = parser.pos
        operands = parser.parse_comma_separated_list(
            parser.Delimiter.NONE, parser.parse_unresolved_operand
        )
        parser.parse_keyword("over")
        over = parser.parse_str_enum(CombineScope)
        attributes = parser.parse_optional_attr_dict()
        parser.parse_punctuation(":")
        types = parser.parse_comma_separated_list(parser.Delimiter.NONE, parser.parse_type)
        parts = parser.resolve_operands(operands, types, position)
        op = cls(list(parts), over, parser.parse_region())
        op.attributes |= attributes
        return op

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        printer.print_list(self.parts, printer.print_ssa_value)
        printer.print_string(f" over {self.over.data.value}")
        printer.print_op_attributes(self.attributes)
        printer.print_string(" : ")
        printer.print_list(self.parts.types, printer.print_attribute)
        printer.print_string(" ")
        printer.print_region(self.body)


@irdl_op_definition
class CombineOp(CombiningOp):
    """The combination of the values that all threads of a block, of its cluster, or of the team of
    the loop with teams around, hold; each of them gets it.

    The region combines two lanes' values and is associative and commutative. All lanes reach it.

    ``%t = loop.combine %p over team : f32 { ^bb0(%l: f32, %r: f32): ... loop.yield %m : f32 }``
    """

    name = "loop.combine"
    LISTS: ClassVar[int] = 1


@irdl_op_definition
class MeetOp(IRDLOperation):
    """Wait until all blocks of the cluster have begun.

    One stands before what first sends to other blocks, such as a combination over the cluster. What
    a thread does before it, another block does not know of.

    ``loop.meet``
    """

    name = "loop.meet"
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict"


@irdl_op_definition
class ArrivalsOp(IRDLOperation):
    """An ``mbarrier`` object in the shared memory of each block of the cluster, at which arrives
    what blocks send to it. Its phases need one arrival of a thread, which says how many bytes.

    It stands behind ``loop.meet``, in no loop.

    ``%full = loop.arrivals : memref<1xi64, #loop.space<shared>>``
    """

    name = "loop.arrivals"
    object = result_def(MemRefType)
    traits = traits_def(MemoryReadEffect(), MemoryWriteEffect())
    assembly_format = "attr-dict `:` type($object)"

    def __init__(self) -> None:
        super().__init__(result_types=[_OBJECT])

    def verify_(self) -> None:
        if self.object.type != _OBJECT:
            raise VerifyException("gives a memref<1xi64, #loop.space<shared>>")


@irdl_op_definition
class PrefixOp(CombiningOp):
    """What the threads before a thread hold, combined, and what all threads hold.

    A thread gives its values, then what stands for the combination of nothing. It gets the
    combination of the values of the threads before it, of a block or of the team of the loop with
    teams around, then that of all of them. The region combines the values of threads with those of
    threads behind these, and is associative. All lanes reach it.

    ``%b, %t = loop.prefix %v, %none over team : f32, f32 { ^bb0(%l: f32, %r: f32): ... }``
    """

    name = "loop.prefix"
    LISTS: ClassVar[int] = 2

    def verify_(self) -> None:
        super().verify_()
        if self.over.data is CombineScope.CLUSTER:
            raise VerifyException("is over the threads of a team or of a block, not of a cluster")

    @property
    def values(self) -> Sequence[SSAValue]:
        """The values of this thread."""
        return self.parts[: self.count]

    @property
    def nothing(self) -> Sequence[SSAValue]:
        """What stands for the combination of nothing."""
        return self.parts[self.count :]
