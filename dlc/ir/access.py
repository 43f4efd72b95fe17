"""How an operation says which elements of a buffer it touches, and how that is written.

``%x[%i * 2, %t]`` is the element of ``%x`` at row ``2 * %i`` and column ``%t``. Passes, printers
and the simulator ask ``MemoryOp.accesses``; they list no ops.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from xdsl.dialects.builtin import AffineMapAttr, IndexType, MemRefType
from xdsl.ir import Attribute, Operation, SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr, AffineMap
from xdsl.irdl import IRDLOperation
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    OperandVariable,
    OptionalOperandVariable,
    ParsingState,
    PrintingState,
    VariadicOperandVariable,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.utils.exceptions import VerifyException

from dlc.arch.scope import Scope
from dlc.core.affine_syntax import (
    parse_index_expressions,
    print_index_expressions,
    starts_index_expressions,
)
from dlc.core.tensor_map import TensorMap


@dataclass(frozen=True)
class Access:
    """The elements of a buffer that an operation touches, in each thread that runs it.

    map: dims -> one index per axis of the buffer; it has no symbols. operands: the values of the
    dims. elements: how many neighbours are touched from there on, in row-major
    order. box: where they are no neighbours but a tile, its extent along each of the last axes.
    asynchronous: it may happen until the thread waits for its copies or products.
    collective: a warp touches more than this thread's elements (matrix loads). atomic: reading and
    writing are one step, so that several such accesses need no order. region: where there is one,
    the elements are a box of it, and what is outside of it is not touched; the results of ``map``
    are the coordinates of the box, then its offsets. alignment: bytes that the place of the first
    element is a multiple of.
    """

    buffer: SSAValue
    map: AffineMap
    operands: tuple[SSAValue, ...]
    elements: int = 1
    box: tuple[int, ...] = ()
    reads: bool = False
    writes: bool = False
    asynchronous: bool = False
    collective: bool = False
    atomic: bool = False
    region: TensorMap | None = None
    alignment: int = 1

    @property
    def reach(self) -> tuple[int, ...]:
        """How many indices of each axis are touched, as far as no neighbour is in another row."""
        rank, extents = len(self.map.results), self.box or (self.elements,)
        return ((1,) * rank + extents)[-rank:] if rank else ()

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


class BoundedIndex(Operation, ABC):
    """An operation whose single result is an index of known range.

    SAME_IN: the largest group of threads that all get the same.
    """

    SAME_IN: ClassVar[Scope]

    @property
    @abstractmethod
    def bounds(self) -> tuple[int, int]:
        """The smallest value and the first one that is too large."""


def verify_access(access: Access, what: str) -> None:
    """Raise VerifyException when the map does not fit the buffer or the index operands."""
    if access.map.num_symbols:
        raise VerifyException(f"the index map of {what} has symbols; make every value a dim")
    if access.map.num_dims != len(access.operands):
        raise VerifyException(
            f"the index map of {what} has {access.map.num_dims} dims, "
            f"{len(access.operands)} values given"
        )
    rank, holder = len(access.type.get_shape()), "buffer"
    if access.region is not None:
        rank, holder = access.region.rank + access.region.offsets, "tensor map"
    if len(access.map.results) != rank:
        raise VerifyException(
            f"the index map of {what} has {len(access.map.results)} results, "
            f"the {holder} has {rank} axes"
        )


def canonical_access(
    exprs: Sequence[AffineExpr], dims: Sequence[SSAValue]
) -> tuple[AffineMapAttr, list[SSAValue]]:
    """Return the map and operands of ``exprs``, whose dims stand for the values ``dims``.

    Each dim of the map is used, in the order of its first use, and no value stands for two dims;
    this is also the form that the text gives back.
    """
    operands: list[SSAValue] = []
    renamed: dict[int, AffineExpr] = {}
    for expr in exprs:
        for leaf in expr.dfs():
            if isinstance(leaf, AffineDimExpr) and leaf.position not in renamed:
                value = dims[leaf.position]
                if value not in operands:
                    operands.append(value)
                renamed[leaf.position] = AffineExpr.dimension(operands.index(value))
    unused = AffineExpr.constant(0)
    new_dims = [renamed.get(i, unused) for i in range(max(renamed, default=-1) + 1)]
    results = tuple(e.replace_dims_and_symbols(new_dims, ()) for e in exprs)
    return AffineMapAttr(AffineMap(len(operands), 0, results)), operands


@irdl_custom_directive
class IndexedBuffer(CustomDirective):
    """``%buffer[%i * 2, %t + 1]``; the values in the index expressions are of type index."""

    buffer: OperandVariable
    indices: VariadicOperandVariable
    map: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.buffer.set(state, parser.parse_unresolved_operand())
        _parse_positions(parser, state, self.indices, self.map)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        _print_place(printer, state, self.buffer.get(op), self.map.get(op), self.indices.get(op))


@irdl_custom_directive
class IndexedTile(CustomDirective):
    """``%buffer[%k mod 4]``: the tile of a buffer that the leading indices name; ``%buffer`` where
    it has only one.
    """

    buffer: OperandVariable
    indices: VariadicOperandVariable
    map: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.buffer.set(state, parser.parse_unresolved_operand())
        _parse_positions(parser, state, self.indices, self.map, optional=True)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        place = self.buffer.get(op), self.map.get(op), self.indices.get(op)
        _print_place(printer, state, *place, optional=True)


@irdl_custom_directive
class ArrivalPlace(CustomDirective):
    """``at %buffer[%i]``, or nothing."""

    buffer: OptionalOperandVariable
    indices: VariadicOperandVariable
    map: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        self.buffer.set(state, None)
        self.indices.set(state, ())
        if parser.parse_optional_keyword("at") is not None:
            self.buffer.set(state, parser.parse_unresolved_operand())
            _parse_positions(parser, state, self.indices, self.map)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        buffer = self.buffer.get(op)
        if buffer is not None:
            state.print_whitespace(printer)
            printer.print_string("at")
            _print_place(printer, state, buffer, self.map.get(op), self.indices.get(op))


@irdl_custom_directive
class Positions(CustomDirective):
    """``[%i * 64, 0]``: positions, whatever they are in."""

    indices: VariadicOperandVariable
    map: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        _parse_positions(parser, state, self.indices, self.map)

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        map = self.map.get(op)
        assert isinstance(map, AffineMapAttr)
        print_index_expressions(printer, map.data, self.indices.get(op))


def _print_place(
    printer: Printer,
    state: PrintingState,
    buffer: SSAValue | None,
    map: Attribute | None,
    indices: Sequence[SSAValue],
    optional: bool = False,
) -> None:
    """Print a buffer with its index; where that is optional, an empty one is left out."""
    state.print_whitespace(printer)
    assert isinstance(map, AffineMapAttr)
    assert buffer is not None
    printer.print_ssa_value(buffer)
    if map.data.results or not optional:
        print_index_expressions(printer, map.data, indices)


def _parse_positions(
    parser: Parser,
    state: ParsingState,
    indices: VariadicOperandVariable,
    map: AttributeVariable,
    optional: bool = False,
) -> None:
    found, operands = AffineMap(0, 0, ()), []
    if not optional or starts_index_expressions(parser):
        found, operands = parse_index_expressions(parser)
    indices.set(state, operands)
    map.set(state, AffineMapAttr(found))


INDEX = IndexType()
"""The type of every index operand."""
