"""Element types and shapes: the one place that narrows xDSL's operand types."""

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from typing import TypeGuard

import ml_dtypes
import numpy as np
from xdsl.dialects.builtin import (
    DYNAMIC_INDEX,
    AnyFloat,
    BFloat16Type,
    Float16Type,
    Float32Type,
    Float64Type,
    IndexType,
    IntegerType,
    Signedness,
    TensorType,
    bf16,
    f16,
    f32,
    f64,
    i1,
    i8,
    i16,
    i32,
    i64,
)
from xdsl.ir import Attribute, BlockArgument, OpResult, SSAValue

from dlc.errors import CompileError

DYNAMIC = DYNAMIC_INDEX
"""A size that is not yet fixed; prints as ``?``."""

_UNSIGNED = {n: IntegerType(n, Signedness.UNSIGNED) for n in (8, 16, 32, 64)}

_NUMPY: dict[Attribute, np.dtype] = {
    f64: np.dtype(np.float64),
    f32: np.dtype(np.float32),
    f16: np.dtype(np.float16),
    bf16: np.dtype(ml_dtypes.bfloat16),
    i1: np.dtype(np.bool_),
    i8: np.dtype(np.int8),
    i16: np.dtype(np.int16),
    i32: np.dtype(np.int32),
    i64: np.dtype(np.int64),
    _UNSIGNED[8]: np.dtype(np.uint8),
    _UNSIGNED[16]: np.dtype(np.uint16),
    _UNSIGNED[32]: np.dtype(np.uint32),
    _UNSIGNED[64]: np.dtype(np.uint64),
}
_ELEMENT = {dtype: element for element, dtype in _NUMPY.items()}


def numpy_dtype(element: Attribute) -> np.dtype:
    """Return the numpy dtype that stores ``element`` (``bf16`` is ``ml_dtypes.bfloat16``).

    Raises CompileError when no such dtype exists.
    """
    if element not in _NUMPY:
        raise CompileError(f"element type {element} is not supported")
    return _NUMPY[element]


def element_type_of(dtype: np.dtype) -> Attribute:
    """Return the element type stored by a numpy dtype; raises CompileError when there is none."""
    if dtype not in _ELEMENT:
        raise CompileError(f"dtype {dtype} is not supported")
    return _ELEMENT[dtype]


@lru_cache(64)
def element_bytes(element: Attribute) -> int:
    """Return the bytes of one stored element; a boolean takes one byte, an index eight."""
    return 8 if isinstance(element, IndexType) else numpy_dtype(element).itemsize


def tensor_type(value: SSAValue | Attribute) -> TensorType[Attribute]:
    """Return the tensor type of a value; raises CompileError when it is no tensor."""
    ty = value.type if isinstance(value, OpResult | BlockArgument) else value
    if not isinstance(ty, TensorType):
        raise CompileError(f"expected a tensor, got {ty}")
    return ty


def shape(value: SSAValue | Attribute) -> tuple[int, ...]:
    """Return the sizes of a tensor value or type; a size that is not fixed is ``DYNAMIC``."""
    return tuple([size.data for size in tensor_type(value).shape.data])


def shape_text(sizes: Sequence[int]) -> str:
    """Return sizes as a user reads them: ``2x?x3``, ``scalar`` for none."""
    return "x".join("?" if size == DYNAMIC else str(size) for size in sizes) or "scalar"


def element_type(value: SSAValue | Attribute) -> Attribute:
    """Return the element type of a tensor value or type."""
    return tensor_type(value).get_element_type()


def element_count(value: SSAValue | Attribute) -> int:
    """Return the number of elements of a tensor value or type."""
    return prod(shape(value))


def is_empty(value: SSAValue | Attribute) -> bool:
    """Return whether a tensor has an axis of size 0, and so no element."""
    return 0 in shape(value)


def tensor_bytes(value: SSAValue | Attribute) -> int:
    """Return the bytes of a tensor value or type, stored densely."""
    return element_count(value) * element_bytes(element_type(value))


def is_integer(element: Attribute) -> bool:
    """Return whether an element type is an integer one, booleans not counted."""
    return isinstance(element, IntegerType) and element != i1


def is_float(element: Attribute) -> TypeGuard[AnyFloat]:
    """Return whether an element type is a floating-point one."""
    return isinstance(element, AnyFloat)


def float_element(x: SSAValue) -> Attribute:
    """Return the element type of a tensor; raises CompileError unless it is one of floats."""
    element = element_type(x)
    if not is_float(element):
        raise CompileError(f"works on floats, not on {element}")
    return element


def is_unsigned(element: Attribute) -> bool:
    """Return whether an element type is an unsigned integer (``i1`` is not)."""
    return isinstance(element, IntegerType) and element.signedness.data is Signedness.UNSIGNED


def compute_type(element: Attribute) -> Attribute:
    """Return the type in which scalars of ``element`` are computed.

    16-bit floats compute in ``f32``; integers below 32 bits in ``i32``; ``ui32`` in ``i64``; the
    rest as they are (``ui64`` in ``i64`` by unsigned operations: ``ScalarBuilder.of``).
    """
    match element:
        case Float16Type() | BFloat16Type():
            return f32
        case Float32Type() | Float64Type() | IndexType():
            return element
        case IntegerType():
            bits = element.width.data
            if bits == 1:
                return i1
            return i64 if bits == 64 or (bits == 32 and is_unsigned(element)) else i32
        case _:
            raise CompileError(f"element type {element} is not supported")


def broadcast_shapes(*shapes: Sequence[int]) -> tuple[int, ...]:
    """Return the shape to which ``shapes`` broadcast (numpy's rule; ``DYNAMIC`` meets anything).

    Raises CompileError naming the sizes that do not fit.
    """
    rank = max((len(s) for s in shapes), default=0)
    sizes: list[int] = []
    for axis in range(-rank, 0):
        here = {s[axis] for s in shapes if len(s) >= -axis} - {1}
        fixed = here - {DYNAMIC}
        if len(fixed) > 1:
            text = " and ".join("x".join(map(str, s)) or "scalar" for s in shapes)
            raise CompileError(f"shapes {text} do not broadcast: sizes {sorted(fixed)} differ")
        sizes.append(fixed.pop() if fixed else DYNAMIC if here else 1)
    return tuple(sizes)
