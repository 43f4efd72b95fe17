"""Comparisons that are decided where the ranges of loops are known."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Protocol

from xdsl.builder import Builder
from xdsl.dialects import arith
from xdsl.dialects.builtin import IntegerAttr, i1
from xdsl.ir import SSAValue

from dlc.core.affine import Interval
from dlc.dialects.loop.scalar import Predicate, ScalarBuilder


def decided(predicate: Predicate, difference: Interval) -> bool | None:
    """Return what comparing two integers gives, ``None`` where their difference leaves it open."""
    low, high = difference
    below, above = high is not None and high < 0, low is not None and low > 0
    always = {
        "lt": below,
        "ge": low is not None and low >= 0,
        "gt": above,
        "le": high is not None and high <= 0,
        "eq": low == high == 0,
        "ne": below or above,
    }
    if always[predicate]:
        return True
    return False if always[_OPPOSITE[predicate]] else None


class Deciding(Protocol):
    """What a builder asks: what a comparison gives, in which type it takes least, and for a level
    that nothing moves out of.
    """

    def decide(self, predicate: Predicate, x: SSAValue, y: SSAValue) -> bool | None: ...
    def narrowed(self, x: SSAValue, y: SSAValue) -> tuple[SSAValue, SSAValue]: ...
    def branch_level(self) -> AbstractContextManager[None]: ...


_OPPOSITE: dict[Predicate, Predicate] = {
    "lt": "ge",
    "ge": "lt",
    "gt": "le",
    "le": "gt",
    "eq": "ne",
    "ne": "eq",
}


def integer_constant(value: SSAValue) -> int | None:
    """Return the integer that a value always is."""
    op = value.owner
    if isinstance(op, arith.ConstantOp) and isinstance(op.value, IntegerAttr):
        return op.value.value.data
    return None


class DecidingBuilder(ScalarBuilder):
    """A scalar builder that decides what the ranges of loops decide; its other branches are levels
    of the scope that nothing moves out of.
    """

    def __init__(self, builder: Builder, scope: Deciding):
        super().__init__(builder)
        self._scope = scope

    def compare(self, predicate: Predicate, x: SSAValue, y: SSAValue) -> SSAValue:
        decided = self._scope.decide(predicate, x, y)
        if decided is not None:
            return self.constant(decided, i1)
        return super().compare(predicate, *self._scope.narrowed(x, y))

    def branch(
        self,
        condition: SSAValue,
        then: Callable[[], Sequence[SSAValue]],
        otherwise: Callable[[], Sequence[SSAValue]],
    ) -> Sequence[SSAValue]:
        decided = integer_constant(condition)
        if decided is not None:
            return then() if decided else otherwise()

        def enclosed(write: Callable[[], Sequence[SSAValue]]) -> Callable[[], Sequence[SSAValue]]:
            def write_enclosed() -> Sequence[SSAValue]:
                with self._scope.branch_level():
                    return write()

            return write_enclosed

        return super().branch(condition, enclosed(then), enclosed(otherwise))
