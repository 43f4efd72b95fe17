"""Properties of graph ops: from Python values to attributes and back."""

from collections.abc import Sequence

from xdsl.dialects.builtin import (
    I64,
    DenseArrayBase,
    Float64Type,
    FloatAttr,
    IntegerAttr,
    IntegerType,
    UnitAttr,
    f64,
    i1,
    i64,
)
from xdsl.ir import Attribute

from dlc.errors import CompileError
from dlc.ir.tensor import is_float


def integers(values: Sequence[int]) -> DenseArrayBase[I64]:
    """Return a list of integers (axes, sizes) as an attribute."""
    return DenseArrayBase.from_list(i64, [int(v) for v in values])


def integer(value: int) -> IntegerAttr[I64]:
    """Return an integer as an ``i64`` attribute."""
    return IntegerAttr(int(value), i64)


def number(value: float) -> FloatAttr:
    """Return a real parameter as an ``f64`` attribute, whatever the dtype of the tensors."""
    return FloatAttr(float(value), f64)


def flag(value: bool) -> UnitAttr | None:
    """Return a unit attribute for true, nothing for false."""
    return UnitAttr() if value else None


def numbers(values: Sequence[float]) -> DenseArrayBase[Float64Type]:
    """Return a list of real parameters as an attribute."""
    return DenseArrayBase.from_list(f64, [float(v) for v in values])


def element_attribute(value: float, element: Attribute) -> FloatAttr | IntegerAttr:
    """Return one tensor element as an attribute of the element type."""
    if is_float(element):
        return FloatAttr(float(value), element)
    assert isinstance(element, IntegerType)
    # xDSL stores a true i1 as -1.
    return IntegerAttr(-int(bool(value)) if element == i1 else int(value), element)


def element_value(attribute: FloatAttr | IntegerAttr) -> float | int | bool:
    """Return the Python value of a tensor element held by an attribute."""
    value = attribute.value.data
    return value != 0 if attribute.type == i1 else value


def normalized_axis(axis: int, rank: int) -> int:
    """Return ``axis`` counted from the front; raises CompileError outside ``[-rank, rank)``."""
    if not -rank <= axis < rank:
        raise CompileError(f"axis {axis} is outside a tensor of {rank} axes")
    return axis % rank
