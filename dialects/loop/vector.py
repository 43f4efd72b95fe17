"""Vector loads and stores, for micro-kernels that name their SIMD registers."""

from abc import ABC
from collections.abc import Sequence

from xdsl.dialects.builtin import IndexType, VectorType
from xdsl.ir import Attribute, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import (
    AttrSizedOperandSegments,
    irdl_op_definition,
    operand_def,
    opt_operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import MemoryReadEffect, MemoryWriteEffect
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.loop.memory import ElementOp, buffer_element
from dlc.ir.access import Access, IndexedBuffer, canonical_access, verify_access
from dlc.ir.tensor import compute_type


class VectorOp(ElementOp, ABC):
    """An op on ``n`` consecutive elements of the last axis, starting at one index expression.

    ``lanes %n`` makes only the first ``%n`` lanes active: the others are not touched in memory and
    are 0 in a loaded vector.
    """

    lanes = opt_operand_def(IndexType)
    irdl_options = (AttrSizedOperandSegments(as_property=True),)

    def _verify_vector(self, type: Attribute) -> None:
        verify_access(self.access(), self.name)
        element = compute_type(buffer_element(self.buffer))
        assert isinstance(type, VectorType)
        if type.element_type != element or len(type.get_shape()) != 1:
            raise VerifyException(
                f"vectors of {buffer_element(self.buffer)} are vector<Nx{element}>, not {type}"
            )


@irdl_op_definition
class LoadVectorOp(VectorOp):
    """Read consecutive elements in their compute type.

    ``%v = loop.load_vector %x[%i, %j * 8] lanes %n : memref<8x64xf16> -> vector<8xf32>``
    """

    name = "loop.load_vector"
    value = result_def(VectorType)
    traits = traits_def(MemoryReadEffect())
    custom_directives = (IndexedBuffer,)
    assembly_format = (
        "custom<IndexedBuffer>($buffer, $indices, $map) (`lanes` $lanes^)? attr-dict"
        " `:` type($buffer) `->` type($value)"
    )

    def __init__(
        self,
        buffer: SSAValue,
        exprs: Sequence[AffineExpr],
        dims: Sequence[SSAValue],
        size: int,
        lanes: SSAValue | None = None,
    ):
        """Read ``size`` elements of ``buffer`` from ``exprs`` on, whose dims stand for ``dims``."""
        map, indices = canonical_access(exprs, dims)
        super().__init__(
            operands=[lanes, buffer, indices],
            properties={"map": map},
            result_types=[VectorType(compute_type(buffer_element(buffer)), [size])],
        )

    def accesses(self) -> Sequence[Access]:
        assert isinstance(self.value.type, VectorType)
        return [self.access(self.value.type.get_shape()[0], reads=True)]

    def verify_(self) -> None:
        self._verify_vector(self.value.type)


@irdl_op_definition
class StoreVectorOp(VectorOp):
    """Write consecutive elements, each rounded to the stored type.

    ``loop.store_vector %v, %y[%i, %j * 8] : vector<8xf32> -> memref<8x64xf16>``
    """

    name = "loop.store_vector"
    value = operand_def(VectorType)
    traits = traits_def(MemoryWriteEffect())
    custom_directives = (IndexedBuffer,)
    assembly_format = (
        "$value `,` custom<IndexedBuffer>($buffer, $indices, $map) (`lanes` $lanes^)? attr-dict"
        " `:` type($value) `->` type($buffer)"
    )

    def __init__(
        self,
        value: SSAValue,
        buffer: SSAValue,
        exprs: Sequence[AffineExpr],
        dims: Sequence[SSAValue],
        lanes: SSAValue | None = None,
    ):
        """Write ``value`` to ``buffer`` from ``exprs`` on, whose dims stand for ``dims``."""
        map, indices = canonical_access(exprs, dims)
        super().__init__(operands=[value, lanes, buffer, indices], properties={"map": map})

    def accesses(self) -> Sequence[Access]:
        assert isinstance(self.value.type, VectorType)
        return [self.access(self.value.type.get_shape()[0], writes=True)]

    def verify_(self) -> None:
        self._verify_vector(self.value.type)
