"""The base of ops that copy elements from other places, and the code of clamped indices."""

from abc import ABC
from math import prod

from xdsl.dialects.builtin import i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.irdl import ParsePropInAttrDict

from dlc.dialects.graph.computed import ComputedOp, Scope
from dlc.dialects.loop.scalar import ScalarBuilder


class MovementOp(ComputedOp, ABC):
    """An op each of whose result elements is a copy of one operand element or of a constant."""

    irdl_options = (ParsePropInAttrDict(),)

    @property
    def moves_data(self) -> bool:
        return True


def clamped(b: ScalarBuilder, position: SSAValue, size: int) -> SSAValue:
    """Write an ``i64`` position taken to the nearest one of an axis of ``size`` elements."""
    return b.maximum(b.constant(0, i64), b.minimum(b.constant(size - 1, i64), position))


def indexed(scope: Scope, position: SSAValue, size: int) -> AffineExpr:
    """Write a position read from a tensor as an index into an axis of ``size`` elements.

    A negative one counts from the end. One that is outside is taken to the nearest element, so that
    no data can make a kernel read outside its buffers.
    """
    b = scope.b
    wide = b.cast(position, i64)
    negative = b.compare("lt", wide, b.constant(0, i64))
    wrapped = b.select(negative, b.add(wide, b.constant(size, i64)), wide)
    return scope.symbol(clamped(b, wrapped, size))


def strides_of(sizes: tuple[int, ...]) -> tuple[int, ...]:
    """Return how many elements apart neighbours along each axis of a dense tensor are."""
    return tuple(prod(sizes[axis + 1 :]) for axis in range(len(sizes)))
