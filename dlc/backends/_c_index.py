"""Index expressions as C text, in 32 bits where that is provably enough."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
)

from dlc.core.affine import Interval, Ranges, interval_of, simplify

INT_MAX = 2**31 - 1


def is_narrow(range: Interval) -> bool:
    """Return whether every integer of a range is a C ``int``."""
    return range.within(-INT_MAX - 1, INT_MAX)


@dataclass(frozen=True)
class IndexText:
    """Prints index expressions over named C variables.

    names: the variable of each dim. ranges: the range of each dim; a variable is an ``int`` where
    its range fits one and a ``long long`` otherwise.
    """

    names: Sequence[str]
    ranges: Sequence[Interval]

    def text(self, expr: AffineExpr) -> str:
        """Return the C text of an expression: an ``int`` if all its parts fit, else ``long long``.

        Divisions of what is never negative are unsigned, which is cheaper; others round down.
        """
        expr = simplify(expr, Ranges(self.ranges))
        wide = not all(is_narrow(self.range(part)) for part in expr.dfs())
        return self._text(expr, wide, outer=0)

    def range(self, expr: AffineExpr) -> Interval:
        """Return the range of an expression."""
        return interval_of(expr, Ranges(self.ranges))

    def _text(self, expr: AffineExpr, wide: bool, outer: int) -> str:
        match expr:
            case AffineConstantExpr():
                text = f"{expr.value}LL" if wide else str(expr.value)
                return _parenthesise(text, expr.value < 0 and outer > 0)
            case AffineDimExpr():
                name = self.names[expr.position]
                casts = wide and is_narrow(self.ranges[expr.position])
                return f"(long long){name}" if casts else name
            case AffineBinaryOpExpr():
                return self._binary(expr, wide, outer)
            case _:
                raise AssertionError(f"an index expression has no symbols: {expr}")

    def _binary(self, expr: AffineBinaryOpExpr, wide: bool, outer: int) -> str:
        match expr.kind:
            case AffineBinaryOpKind.Add:
                return _parenthesise(self._sum(expr, wide), outer > 1)
            case AffineBinaryOpKind.Mul:
                text = f"{self._text(expr.lhs, wide, 2)} * {self._text(expr.rhs, wide, 3)}"
                return _parenthesise(text, outer > 2)
            case _:
                return self._division(expr, wide)

    def _sum(self, expr: AffineBinaryOpExpr, wide: bool) -> str:
        left = self._text(expr.lhs, wide, 1)
        if isinstance(expr.rhs, AffineConstantExpr) and expr.rhs.value < 0:
            return f"{left} - {self._text(AffineExpr.constant(-expr.rhs.value), wide, 2)}"
        return f"{left} + {self._text(expr.rhs, wide, 2)}"

    def _division(self, expr: AffineBinaryOpExpr, wide: bool) -> str:
        left, right = self._text(expr.lhs, wide, 3), self._text(expr.rhs, wide, 3)
        signed = "long long" if wide else "int"
        low = self.range(expr.lhs).low
        is_mod = expr.kind is AffineBinaryOpKind.Mod
        if low is not None and low >= 0:
            return f"({signed})((unsigned {signed}){left} {'%' if is_mod else '/'} {right})"
        if is_mod:
            return f"(({left} % {right} + {right}) % {right})"
        return f"({left} / {right} - ({left} % {right} < 0))"


def _parenthesise(text: str, needed: bool) -> str:
    return f"({text})" if needed else text
