"""Short ways to build the attributes that ops keep as properties."""

from collections.abc import Iterable

from xdsl.dialects.builtin import DenseArrayBase, FloatAttr, IntegerAttr, UnitAttr, f64, i64


def integer(value: int) -> IntegerAttr:
    """Return ``value`` as an ``i64`` attribute."""
    return IntegerAttr(int(value), i64)


def integers(values: Iterable[int]) -> DenseArrayBase:
    """Return ``values`` as an array of ``i64``, printed ``[1, 2]``."""
    return DenseArrayBase.from_list(i64, [int(v) for v in values])


def number(value: float) -> FloatAttr:
    """Return ``value`` as an ``f64`` attribute."""
    return FloatAttr(float(value), f64)


def flag(value: bool) -> UnitAttr | None:
    """Return a unit attribute for true and nothing for false."""
    return UnitAttr() if value else None
