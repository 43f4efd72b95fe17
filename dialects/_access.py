"""How an operation says which elements of a buffer it touches, and how that is written.

``%x[affine_map<(d0)[s0] -> (d0 * 2, s0)>(%i)[%t]]`` is the element of ``%x`` at row ``2 * %i`` and
column ``%t``. Passes, printers and the simulator ask ``MemoryOp.accesses``; they list no ops.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineMap
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OperandVariable,
    ParsingState,
    PrintingState,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser, UnresolvedOperand
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException


@dataclass(frozen=True)
class Access:
    """The elements of a buffer that an operation touches, in each thread that runs it.

    map: dims and symbols -> one index per axis of the buffer. operands: the values of the dims,
    then of the symbols. elements: how many neighbours are touched from there on, in row-major
    order. asynchronous: it may happen until the thread waits for its copies.
    collective: a warp touches more than this thread's elements (matrix loads).
    """

    buffer: SSAValue
    map: AffineMap
    operands: tuple[SSAValue, ...]
    elements: int = 1
    reads: bool = False
    writes: bool = False
    asynchronous: bool = False
    collective: bool = False

    @property
    def type(self) -> MemRefType[Attribute]:
        """The type of the buffer."""
        assert isinstance(self.buffer.type, MemRefType)
        return self.buffer.type


class MemoryOp(Operation, ABC):
    """An operation that reads or writes elements of buffers."""

    @abstractmethod
    def accesses(self) -> Sequence[Access]:
        """Return every access, in the order in which it happens (reads before writes)."""


def verify_access(access: Access, what: str) -> None:
    """Raise VerifyException when the map does not fit the buffer or the index operands."""
    needed = access.map.num_dims + access.map.num_symbols
    if needed != len(access.operands):
        raise VerifyException(
            f"the index map of {what} has {needed} dims and symbols, {len(access.operands)} given"
        )
    rank = len(access.type.get_shape())
    if len(access.map.results) != rank:
        raise VerifyException(
            f"the index map of {what} has {len(access.map.results)} results, "
            f"the buffer has {rank} axes"
        )


@irdl_custom_directive
class IndexedBuffer(CustomDirective):
    """``%buffer[affine_map<...>(%dims)[%symbols]]``; dims and symbols are of type index."""

    buffer: OperandVariable
    indices: VariadicOperandVariable
    map: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.buffer.set(state, parser.parse_unresolved_operand())
        parser.parse_punctuation("[")
        map = parser.parse_attribute()
        if not isinstance(map, AffineMapAttr):
            parser.raise_error("expected an affine_map with one result per axis of the buffer")
        dims = _parse_values(parser, Parser.Delimiter.PAREN)
        symbols = _parse_values(parser, Parser.Delimiter.SQUARE)
        parser.parse_punctuation("]")
        if (len(dims), len(symbols)) != (map.data.num_dims, map.data.num_symbols):
            parser.raise_error(
                f"the index map has {map.data.num_dims} dims and {map.data.num_symbols} symbols, "
                f"got ({len(dims)})[{len(symbols)}]"
            )
        self.indices.set(state, [*dims, *symbols])
        self.map.set(state, map)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        map = self.map.get(op)
        assert isinstance(map, AffineMapAttr)
        indices = self.indices.get(op)
        dims, symbols = indices[: map.data.num_dims], indices[map.data.num_dims :]
        buffer = self.buffer.get(op)
        assert buffer is not None
        printer.print_ssa_value(buffer)
        printer.print_string("[")
        printer.print_attribute(map)
        if dims or symbols:
            _print_values(printer, "(", dims, ")")
        if symbols:
            _print_values(printer, "[", symbols, "]")
        printer.print_string("]")


INDEX = IndexType()
"""The type of every index operand."""


def _parse_values(parser: Parser, delimiter: Parser.Delimiter) -> Sequence[UnresolvedOperand]:
    values = parser.parse_optional_comma_separated_list(delimiter, parser.parse_unresolved_operand)
    return values or ()


def _print_values(printer: Printer, left: str, values: Sequence[SSAValue], right: str) -> None:
    printer.print_string(left)
    printer.print_list(values, printer.print_ssa_value)
    printer.print_string(right)
