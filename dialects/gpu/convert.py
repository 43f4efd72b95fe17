"""Conversions of scalars that only some chips have an instruction for."""

from abc import ABC, abstractmethod
from typing import ClassVar

from xdsl.dialects.builtin import Float32Type
from xdsl.ir import SSAValue
from xdsl.irdl import (
    IRDLOperation,
    irdl_op_definition,
    operand_def,
    result_def,
    traits_def,
)
from xdsl.traits import Pure

from dlc.arch import tf32
from dlc.dialects.gpu.capability import NeedsCapability


class RoundingOp(ABC):
    """An operation that rounds the last bits off the mantissa of a float, to nearest."""

    ROUNDED_BITS: ClassVar[int]
    """How many. A tensor map that rounds as many does the same to what it copies; only of two
    numbers that are equally near may the one give the other.
    """

    @property
    @abstractmethod
    def rounded(self) -> SSAValue:
        """The float."""


@irdl_op_definition
class CvtTf32Op(IRDLOperation, NeedsCapability, RoundingOp):
    """Round to tf32, to nearest, ties away from zero: ``f32`` whose last 13 bits are zero (PTX ISA,
    "cvt": ``cvt.rna.tf32.f32``). NaN and infinities stay.

    Before a product: it ignores these bits. Cut off, they would double the error and bias it.

    ``%t = gpu.cvt_tf32 %x : f32``
    """

    name = "gpu.cvt_tf32"
    value = operand_def(Float32Type)
    output = result_def(Float32Type)
    traits = traits_def(Pure())
    assembly_format = "$value attr-dict `:` type($output)"
    ROUNDED_BITS: ClassVar[int] = tf32.IGNORED_BITS

    def __init__(self, value: SSAValue):
        super().__init__(operands=[value], result_types=[value.type])

    @property
    def rounded(self) -> SSAValue:
        return self.value

    @property
    def capability(self) -> str:
        return "mma.sync.tf32"


OPERATIONS = [CvtTf32Op]
