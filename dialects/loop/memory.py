"""Buffers: allocation, loads that widen, stores that round."""

from abc import ABC
from collections.abc import Sequence
from typing import Self

from xdsl.dialects.builtin import (
    AffineMapAttr,
    DenseArrayBase,
    FloatAttr,
    IndexType,
    IntegerAttr,
    IntegerType,
    MemRefType,
    i64,
)
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr, AffineMap
from xdsl.irdl import (
    IRDLOperation,
    ParsePropInAttrDict,
    irdl_op_definition,
    operand_def,
    opt_prop_def,
    prop_def,
    result_def,
    traits_def,
    var_operand_def,
)
from xdsl.irdl.declarative_assembly_format import (
    AttributeVariable,
    CustomDirective,
    ParsingState,
    PrintingState,
    irdl_custom_directive,
)
from xdsl.parser import Parser
from xdsl.printer import Printer
from xdsl.traits import MemoryAllocEffect, MemoryReadEffect, MemoryWriteEffect, Pure
from xdsl.utils.exceptions import VerifyException

from dlc.core.affine_syntax import parse_index_expressions, print_index_expressions
from dlc.dialects.gpu.alloc import SwizzleAttr
from dlc.ir.access import (
    Access,
    IndexedBuffer,
    MemoryOp,
    canonical_access,
    verify_access,
)
from dlc.ir.space import Space, buffer_type, space_of
from dlc.ir.tensor import compute_type, is_float


def buffer_shape(value: SSAValue | Attribute) -> tuple[int, ...]:
    """Return the sizes of a buffer value or type."""
    return tuple(buffer_type(value).get_shape())


def buffer_element(value: SSAValue | Attribute) -> Attribute:
    """Return the stored element type of a buffer value or type."""
    return buffer_type(value).element_type


@irdl_op_definition
class AllocOp(IRDLOperation):
    """A buffer for the time of the enclosing block; its contents are undefined at first.

    swizzle: how the bytes of a shared buffer are permuted, where what reads it asks for that;
    indices stay logical.

    ``%b = loop.alloc {swizzle = #gpu.swizzle<3, 4, 3>} : memref<64x64xf16, #loop.space<shared>>``
    """

    name = "loop.alloc"
    buffer = result_def(MemRefType)
    swizzle = opt_prop_def(SwizzleAttr)
    irdl_options = (ParsePropInAttrDict(),)
    traits = traits_def(MemoryAllocEffect())
    assembly_format = "attr-dict `:` type($buffer)"

    def __init__(self, type: MemRefType[Attribute], swizzle: SwizzleAttr | None = None):
        super().__init__(result_types=[type], properties={"swizzle": swizzle})

    def verify_(self) -> None:
        if self.swizzle is not None and space_of(self.buffer) is not Space.SHARED:
            raise VerifyException("only a buffer in shared memory is swizzled")


@irdl_op_definition
class IndexOp(IRDLOperation):
    """The value of an index expression.

    ``%n = loop.index [%i * 2 + 1]``
    """

    name = "loop.index"
    map = prop_def(AffineMapAttr)
    indices = var_operand_def(IndexType)
    value = result_def(IndexType)
    traits = traits_def(Pure())

    def __init__(self, expr: AffineExpr, dims: Sequence[SSAValue]):
        """Compute ``expr``, whose dims stand for the index values ``dims``."""
        map, indices = canonical_access([expr], dims)
        super().__init__(operands=[indices], properties={"map": map}, result_types=[IndexType()])

    @property
    def expr(self) -> AffineExpr:
        """The expression; its dims stand for ``indices``."""
        return self.map.data.results[0]

    def verify_(self) -> None:
        map = self.map.data
        if map.num_symbols or map.num_dims != len(self.indices) or len(map.results) != 1:
            raise VerifyException("loop.index has one expression with one value per dim")

    @classmethod
    def parse(cls, parser: Parser) -> Self:
        map, operands = parse_index_expressions(parser)
        return cls.build(
            operands=[[parser.resolve_operand(v, IndexType()) for v in operands]],
            properties={"map": AffineMapAttr(map)},
            attributes=parser.parse_optional_attr_dict(),
            result_types=[IndexType()],
        )

    def print(self, printer: Printer) -> None:
        printer.print_string(" ")
        print_index_expressions(printer, self.map.data, self.indices)
        printer.print_op_attributes(self.attributes)


class ElementOp(IRDLOperation, MemoryOp, ABC):
    """An op that touches one element of a buffer, or some neighbours from there on."""

    buffer = operand_def(MemRefType)
    map = prop_def(AffineMapAttr)
    indices = var_operand_def(IndexType)

    @property
    def affine_map(self) -> AffineMap:
        """The map from the values ``indices`` to one index per axis of the buffer."""
        return self.map.data

    def access(self, elements: int = 1, *, reads: bool = False, writes: bool = False) -> Access:
        """Return the access of ``elements`` neighbours."""
        values = tuple(self.indices)
        return Access(self.buffer, self.affine_map, values, elements, reads=reads, writes=writes)


@irdl_custom_directive
class IntegerList(CustomDirective):
    """``[0, 1]``: an array of integers."""

    integers: AttributeVariable

    def parse(self, parser: Parser, state: ParsingState) -> None:
        found = parser.parse_comma_separated_list(parser.Delimiter.SQUARE, parser.parse_integer)
        self.integers.set(state, DenseArrayBase.from_list(i64, found))

    def print(self, printer: Printer, state: PrintingState, op: IRDLOperation) -> None:
        state.print_whitespace(printer)
        array = self.integers.get(op)
        assert isinstance(array, DenseArrayBase)
        printer.print_string(str(list(map(int, array.get_values()))))

    def is_anchorable(self) -> bool:
        return True

    def is_present(self, op: IRDLOperation) -> bool:
        return self.integers.get(op) is not None

    def set_empty(self, state: ParsingState) -> None:
        self.integers.set_empty(state)


@irdl_op_definition
class LoadOp(ElementOp):
    """Read one element in its compute type.

    ``guard`` lists the axes along which the index may be outside the buffer; there the value is
    ``fill`` and nothing is read.

    ``%v = loop.load %x[%i + %k - 1, 0] guard [0] fill 0.000000e+00 : f32 : memref<8x4xf16> -> f32``
    """

    name = "loop.load"
    guard = opt_prop_def(DenseArrayBase.constr(i64))
    fill = opt_prop_def(FloatAttr | IntegerAttr)
    value = result_def()
    traits = traits_def(MemoryReadEffect())
    custom_directives = (IntegerList, IndexedBuffer)
    assembly_format = (
        "custom<IndexedBuffer>($buffer, $indices, $map)"
        " (`guard` custom<IntegerList>($guard)^ `fill` $fill)? attr-dict"
        " `:` type($buffer) `->` type($value)"
    )

    def __init__(
        self,
        buffer: SSAValue,
        exprs: Sequence[AffineExpr],
        dims: Sequence[SSAValue],
        guard: Sequence[int] = (),
        fill: float = 0.0,
    ):
        """Read ``buffer`` at ``exprs``, whose dims stand for the index values ``dims``."""
        map, indices = canonical_access(exprs, dims)
        type = compute_type(buffer_element(buffer))
        properties: dict[str, Attribute] = {"map": map}
        if guard:
            properties["guard"] = DenseArrayBase.from_list(i64, list(guard))
            properties["fill"] = fill_attribute(fill, type)
        super().__init__(operands=[buffer, indices], properties=properties, result_types=[type])

    @property
    def guard_axes(self) -> tuple[int, ...]:
        """The axes along which the index may be outside."""
        return () if self.guard is None else tuple(map(int, self.guard.get_values()))

    def accesses(self) -> Sequence[Access]:
        return [self.access(reads=True)]

    def verify_(self) -> None:
        verify_access(self.access(), self.name)
        type = compute_type(buffer_element(self.buffer))
        if self.value.type != type:
            raise VerifyException(f"a load of {buffer_element(self.buffer)} gives {type}")
        rank = len(buffer_shape(self.buffer))
        if any(not 0 <= axis < rank for axis in self.guard_axes):
            raise VerifyException(
                f"guard {list(self.guard_axes)} names an axis that a buffer of rank {rank} has not"
            )
        if (self.guard is None) != (self.fill is None):
            raise VerifyException("a guard and its fill come together")
        if self.fill is not None and self.fill.type != type:
            raise VerifyException(f"the fill should be of type {type}, is of {self.fill.type}")


def fill_attribute(fill: float, type: Attribute) -> Attribute:
    """Return ``fill`` as a constant of the compute type ``type``."""
    if is_float(type):
        return FloatAttr(float(fill), type)
    assert isinstance(type, IntegerType | IndexType)
    return IntegerAttr(int(fill), type)


@irdl_op_definition
class StoreOp(ElementOp):
    """Write one element, rounded to the stored type.

    ``loop.store %v, %y[%i, %k] : f32 -> memref<8x4xf16>``
    """

    name = "loop.store"
    value = operand_def()
    traits = traits_def(MemoryWriteEffect())
    custom_directives = (IndexedBuffer,)
    assembly_format = (
        "$value `,` custom<IndexedBuffer>($buffer, $indices, $map) attr-dict"
        " `:` type($value) `->` type($buffer)"
    )

    def __init__(
        self,
        value: SSAValue,
        buffer: SSAValue,
        exprs: Sequence[AffineExpr],
        dims: Sequence[SSAValue],
    ):
        """Write ``buffer`` at ``exprs``, whose dims stand for the index values ``dims``."""
        map, indices = canonical_access(exprs, dims)
        super().__init__(operands=[value, buffer, indices], properties={"map": map})

    def accesses(self) -> Sequence[Access]:
        return [self.access(writes=True)]

    def verify_(self) -> None:
        verify_access(self.access(), self.name)
        type = compute_type(buffer_element(self.buffer))
        if self.value.type != type:
            raise VerifyException(f"a store to {buffer_element(self.buffer)} takes {type}")
