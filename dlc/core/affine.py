"""Simplification of index expressions by the ranges of their dims, and questions about them.

An expression becomes a sum ``c + a1*t1 + a2*t2 + ...`` whose terms are dims, symbols, and floor
divisions and remainders of such sums that could not be resolved. Two equal index computations that
went different ways (a reshape and back, a merged loop) get one form.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from math import gcd
from typing import NamedTuple

from xdsl.ir.affine import (
    AffineBinaryOpExpr,
    AffineBinaryOpKind,
    AffineConstantExpr,
    AffineDimExpr,
    AffineExpr,
    AffineSymExpr,
)


class Interval(NamedTuple):
    """The integers from ``low`` to ``high``, both included; ``None`` where there is no limit."""

    low: int | None
    high: int | None

    def within(self, low: int, high: int) -> bool:
        """Return whether every integer of the interval is in ``low .. high``."""
        return (
            self.low is not None and self.high is not None and low <= self.low <= self.high <= high
        )

    # A tuple's own sum would put one behind the other.
    def __add__(self, other: "Interval") -> "Interval":  # pyright: ignore[reportIncompatibleMethodOverride]
        return Interval(_add(self.low, other.low), _add(self.high, other.high))

    def scale(self, factor: int) -> "Interval":
        """Return the interval of the multiples by ``factor``."""
        ends = [None if end is None else end * factor for end in self]
        return Interval(*ends) if factor >= 0 else Interval(ends[1], ends[0])

    def floordiv(self, divisor: int) -> "Interval":
        """Return the interval of the quotients by a positive ``divisor``."""
        return Interval(*(None if end is None else end // divisor for end in self))


def _add(x: int | None, y: int | None) -> int | None:
    return None if x is None or y is None else x + y


UNKNOWN = Interval(None, None)


def extent(size: int) -> Interval:
    """Return the range of an index below ``size``."""
    return Interval(0, size - 1)


@dataclass(frozen=True)
class Ranges:
    """The ranges of dims and symbols, by position; further ones are unknown."""

    dims: Sequence[Interval] = ()
    symbols: Sequence[Interval] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "dims", tuple(self.dims))
        object.__setattr__(self, "symbols", tuple(self.symbols))

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.dims, self.symbols))  # answers are kept by ranges, which may be many

    def of(self, term: AffineExpr) -> Interval:
        """Return the range of a term of a sum (a dim, a symbol, a quotient or a remainder)."""
        match term:
            case AffineDimExpr():
                known = self.dims
            case AffineSymExpr():
                known = self.symbols
            case _:
                return self._of_division(term)
        return known[term.position] if term.position < len(known) else UNKNOWN

    def _of_division(self, term: AffineExpr) -> Interval:
        assert isinstance(term, AffineBinaryOpExpr)
        assert isinstance(term.rhs, AffineConstantExpr)
        divisor = term.rhs.value
        if term.kind is AffineBinaryOpKind.Mod:
            return extent(divisor)
        return _Sum.of(term.lhs, self).interval(self).floordiv(divisor)


@dataclass(frozen=True)
class _Sum:
    """``constant + sum of coefficient * term``, without zero coefficients."""

    terms: dict[AffineExpr, int]
    constant: int = 0

    @staticmethod
    def of(expr: AffineExpr, ranges: Ranges) -> "_Sum":
        match expr:
            case AffineConstantExpr():
                return _Sum({}, expr.value)
            case AffineBinaryOpExpr():
                return _binary(expr, ranges)
            case _:
                at = ranges.of(expr)
                if at.low is not None and at.low == at.high:
                    return _Sum({}, at.low)
                return _Sum({expr: 1})

    def __add__(self, other: "_Sum") -> "_Sum":
        terms = dict(self.terms)
        for term, factor in other.terms.items():
            terms[term] = terms.get(term, 0) + factor
        terms = {term: factor for term, factor in terms.items() if factor}
        return _Sum(terms, self.constant + other.constant)

    def scale(self, factor: int) -> "_Sum":
        if factor == 0:
            return _Sum({})
        return _Sum({t: f * factor for t, f in self.terms.items()}, self.constant * factor)

    def interval(self, ranges: Ranges) -> Interval:
        total = Interval(self.constant, self.constant)
        for term, factor in self.terms.items():
            total += ranges.of(term).scale(factor)
        return total

    def split(self, divisor: int) -> tuple["_Sum", "_Sum"]:
        """Return ``(quotient, rest)``: ``self = divisor * quotient + rest``, the rest without terms
        that ``divisor`` divides and with a constant in ``0 .. divisor - 1``.
        """
        whole = {t: f // divisor for t, f in self.terms.items() if f % divisor == 0}
        rest = {t: f for t, f in self.terms.items() if f % divisor}
        quotient, constant = divmod(self.constant, divisor)
        return _Sum(whole, quotient), _Sum(rest, constant)

    def expr(self) -> AffineExpr:
        """Return the expression, large factors first."""
        ordered = list(self.terms.items())
        if len(ordered) > 1:
            ordered.sort(key=lambda item: (-abs(item[1]), str(item[0])))
        total = AffineExpr.constant(0)
        for number, (term, factor) in enumerate(ordered):
            total = term * factor if number == 0 else total + term * factor
        return total + self.constant


@lru_cache(maxsize=1 << 16)  # kernels ask for the same indices again and again
def _binary(expr: AffineBinaryOpExpr, ranges: Ranges) -> _Sum:
    left = _Sum.of(expr.lhs, ranges)
    if expr.kind is AffineBinaryOpKind.Add:
        return _recombine(left + _Sum.of(expr.rhs, ranges), ranges)
    assert isinstance(expr.rhs, AffineConstantExpr), "index expressions are quasi-affine"
    right = expr.rhs.value
    match expr.kind:
        case AffineBinaryOpKind.Mul:
            return left.scale(right)
        case AffineBinaryOpKind.FloorDiv:
            return _floordiv(left, right, ranges)
        case AffineBinaryOpKind.CeilDiv:
            return _floordiv(left + _Sum({}, right - 1), right, ranges)
        case _:
            return _mod(left, right, ranges)


def _floordiv(dividend: _Sum, divisor: int, ranges: Ranges) -> _Sum:
    quotient, rest = dividend.split(divisor)
    at = rest.interval(ranges).floordiv(divisor)
    if at.low is not None and at.low == at.high:
        return quotient + _Sum({}, at.low)
    for step in _steps(rest, divisor):
        coarse, fine = rest.split(step)
        if fine.interval(ranges).within(0, step - 1):
            return quotient + _floordiv(coarse, divisor // step, ranges)
    inner = _single_quotient(rest)
    if inner is not None:
        numerator = _Sum.of(inner.lhs, ranges) + _Sum({}, rest.constant * _constant(inner))
        return quotient + _floordiv(numerator, divisor * _constant(inner), ranges)
    term = AffineBinaryOpExpr(
        AffineBinaryOpKind.FloorDiv, rest.expr(), AffineExpr.constant(divisor)
    )
    return quotient + _Sum({term: 1})


def _mod(dividend: _Sum, divisor: int, ranges: Ranges) -> _Sum:
    _, rest = _without_outer_mods(dividend, divisor, ranges).split(divisor)
    at = rest.interval(ranges).floordiv(divisor)
    if at.low is not None and at.low == at.high:
        return rest + _Sum({}, -at.low * divisor)
    for step in _steps(rest, divisor):
        coarse, fine = rest.split(step)
        if fine.interval(ranges).within(0, step - 1):
            return _mod(coarse, divisor // step, ranges).scale(step) + fine
    term = AffineBinaryOpExpr(AffineBinaryOpKind.Mod, rest.expr(), AffineExpr.constant(divisor))
    return _Sum({term: 1})


def _steps(rest: _Sum, divisor: int) -> list[int]:
    """Return the common factors by which a division can be made coarser, largest first."""
    factors = {gcd(factor, divisor) for factor in rest.terms.values()}
    return sorted(factors - {1, divisor}, reverse=True)


def _constant(division: AffineBinaryOpExpr) -> int:
    assert isinstance(division.rhs, AffineConstantExpr)
    return division.rhs.value


def _single_quotient(rest: _Sum) -> AffineBinaryOpExpr | None:
    """Return the floor division that is the only term of ``rest``, with factor 1."""
    if list(rest.terms.values()) != [1]:
        return None
    (term,) = rest.terms
    if isinstance(term, AffineBinaryOpExpr) and term.kind is AffineBinaryOpKind.FloorDiv:
        return term
    return None


def _without_outer_mods(dividend: _Sum, divisor: int, ranges: Ranges) -> _Sum:
    """Replace ``x mod n`` by ``x`` where ``divisor`` divides its factor times ``n``."""
    total = _Sum({}, dividend.constant)
    for term, factor in dividend.terms.items():
        inner = _Sum({term: 1})
        if (
            isinstance(term, AffineBinaryOpExpr)
            and term.kind is AffineBinaryOpKind.Mod
            and factor * _constant(term) % divisor == 0
        ):
            inner = _Sum.of(term.lhs, ranges)
        total += inner.scale(factor)
    return total


def _recombine(total: _Sum, ranges: Ranges) -> _Sum:
    """Replace ``n * (x floordiv n) + x mod n`` by ``x``, also where the remainder is written of
    another number that leaves the same.
    """
    for term, factor in total.terms.items():
        if not (isinstance(term, AffineBinaryOpExpr) and term.kind is AffineBinaryOpKind.Mod):
            continue
        divisor = _constant(term)
        whole = _Sum.of(term.lhs, ranges)
        quotient = _floordiv(whole, divisor, ranges)
        if all(total.terms.get(t) == f * factor * divisor for t, f in quotient.terms.items()):
            pair = quotient.scale(divisor * factor) + _Sum({term: factor})
            return _recombine(total + pair.scale(-1) + whole.scale(factor), ranges)
        for other in total.terms:
            if total.terms[other] == factor * divisor and _leaves(other, term, ranges):
                assert isinstance(other, AffineBinaryOpExpr)
                pair = _Sum({other: factor * divisor, term: factor})
                whole = _Sum.of(other.lhs, ranges)
                return _recombine(total + pair.scale(-1) + whole.scale(factor), ranges)
    return total


def _leaves(quotient: AffineExpr, remainder: AffineBinaryOpExpr, ranges: Ranges) -> bool:
    """Return whether ``remainder`` is what the division ``quotient`` leaves."""
    if not isinstance(quotient, AffineBinaryOpExpr) or quotient.rhs != remainder.rhs:
        return False
    if quotient.kind is not AffineBinaryOpKind.FloorDiv:
        return False
    return _mod(_Sum.of(quotient.lhs, ranges), _constant(quotient), ranges) == _Sum({remainder: 1})


@lru_cache(maxsize=1 << 16)  # the same indices again, as above
def simplify(expr: AffineExpr, ranges: Ranges = Ranges()) -> AffineExpr:
    """Return the normal form of ``expr`` for dims and symbols in ``ranges``."""
    total = _Sum.of(expr, ranges)
    simpler = total.expr()
    while simpler != expr and any(isinstance(t, AffineBinaryOpExpr) for t in total.terms):
        # Resolving one division may make another one resolvable.
        total = _Sum.of(simpler, ranges)
        expr, simpler = simpler, total.expr()
    return simpler


def interval_of(expr: AffineExpr, ranges: Ranges) -> Interval:
    """Return an interval that holds every value of ``expr``."""
    return _Sum.of(expr, ranges).interval(ranges)


def stride(expr: AffineExpr, dim: int, ranges: Ranges = Ranges()) -> int | None:
    """Return by how much ``expr`` grows when a dim grows by one; ``None`` when that varies."""
    total = _Sum.of(expr, ranges)
    if any(dim in term.used_dims() for term in total.terms if not isinstance(term, AffineDimExpr)):
        return None
    return total.terms.get(AffineExpr.dimension(dim), 0)


def divisor_of(expr: AffineExpr, steps: Sequence[int] = (), ranges: Ranges = Ranges()) -> int:
    """Return a number that divides every value of ``expr``; 0 when ``expr`` is 0.

    steps: by position, a number known to divide each dim (1 when unknown).
    """
    total = _Sum.of(expr, ranges)
    common = total.constant
    for term, factor in total.terms.items():
        step = 1
        if isinstance(term, AffineDimExpr) and term.position < len(steps):
            step = steps[term.position]
        common = gcd(common, factor * step)
    return abs(common)


def split_at(
    expr: AffineExpr, divisor: int, ranges: Ranges = Ranges()
) -> tuple[AffineExpr, AffineExpr]:
    """Return two expressions of which ``expr`` is the sum. ``divisor`` divides all of the first
    one; the second one has what is left of each term, and of the constant.
    """
    quotient, rest = _Sum.of(expr, ranges).split(divisor)
    whole, left = quotient.scale(divisor).expr(), AffineExpr.constant(rest.constant)
    for term, factor in rest.terms.items():
        turns = divisor // gcd(factor, divisor)
        whole = whole + term // turns * (turns * factor)
        left = left + term % turns * factor
    return simplify(whole, ranges), simplify(left, ranges)


def uses_symbols(expr: AffineExpr) -> bool:
    """Return whether a symbol occurs in ``expr``."""
    return any(isinstance(leaf, AffineSymExpr) for leaf in expr.dfs())


def linear_index(exprs: Iterable[AffineExpr], sizes: Sequence[int]) -> AffineExpr:
    """Return the row-major position of an index in a buffer of the given sizes."""
    total = AffineExpr.constant(0)
    for expr, size in zip(exprs, sizes, strict=True):
        total = total * size + expr
    return total


def unflatten(position: AffineExpr, sizes: Sequence[int]) -> list[AffineExpr]:
    """Return the index whose row-major position is ``position``."""
    index: list[AffineExpr] = []
    for size in reversed(sizes[1:]):
        index.append(position % size)
        position = position // size
    return [*([position] if sizes else []), *reversed(index)]
