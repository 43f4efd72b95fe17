"""Conversion between element types."""

from collections.abc import Sequence

import numpy as np
from xdsl.dialects.builtin import IntegerType, TensorType
from xdsl.ir import Attribute, SSAValue
from xdsl.irdl import irdl_op_definition, prop_def

from dlc.dialects.graph.elementwise import UnaryOp
from dlc.dialects.graph.structure import Array
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.ir.tensor import (
    compute_type,
    element_type,
    is_float,
    is_integer,
    numpy_dtype,
    shape,
)


@irdl_op_definition
class CastOp(UnaryOp):
    """``y = x`` in the element type ``to``.

    Float to integer truncates towards zero and then wraps around, undefined outside 32 bits (64
    for ``i64``, ``ui32``, ``ui64``). Integers wrap around. To boolean means ``x != 0``. A 16-bit
    float is rounded where it is stored, not where it stays inside a kernel.

    ``%y = graph.cast %x {to = f16} : tensor<4xf32> -> tensor<4xf16>``
    """

    name = "graph.cast"
    to = prop_def(Attribute)

    @property
    def keeps_integers(self) -> bool:
        return is_integer(element_type(self.x)) and is_integer(self.to)

    def forwarded(self) -> SSAValue | None:
        return self.x if element_type(self.x) == self.to else None

    def infer(self) -> Sequence[Attribute]:
        numpy_dtype(self.to)
        return [TensorType(self.to, shape(self.x))]

    def scalar(self, b: ScalarBuilder, *values: SSAValue) -> SSAValue:
        (x,) = values
        if is_float(x.type) and b.of(self.to).unsigned:
            return b.to_unsigned(x)
        return b.wrap(b.cast(x, compute_type(self.to)), self.to)

    def reference(self, *operands: Array) -> Array:
        (x,) = operands
        if is_float(self.to):
            return x if np.issubdtype(x.dtype, np.inexact) else x.astype(np.float64)
        if isinstance(self.to, IntegerType) and np.issubdtype(x.dtype, np.inexact):
            return _truncated(x, numpy_dtype(self.to))
        return x.astype(numpy_dtype(self.to))


def _truncated(x: Array, dtype: np.dtype) -> Array:
    """Return floats as integers; through 64 bits, so that narrow ones wrap on every processor."""
    if dtype == np.bool_:
        return x != 0
    wrapped = x.astype(np.int64)
    if dtype == np.uint64:
        return np.where(x >= 2.0**63, x, 0).astype(dtype) + np.where(
            x >= 2.0**63, 0, wrapped
        ).astype(dtype)
    return wrapped.astype(dtype)


OPERATIONS = [CastOp]
