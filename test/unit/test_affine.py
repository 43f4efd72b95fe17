"""Index expressions: every simplification must keep the value, and find the expected forms."""

import itertools
import random

import pytest
from xdsl.ir.affine import AffineExpr

from dlc.core.affine import (
    Ranges,
    divisor_of,
    extent,
    interval_of,
    linear_index,
    simplify,
    split_at,
    stride,
    unflatten,
)

D0, D1, D2, D3 = (AffineExpr.dimension(i) for i in range(4))
SIZES = (3, 4, 2, 5)
RANGES = Ranges([extent(n) for n in SIZES])
POINTS = list(itertools.product(*map(range, SIZES)))


@pytest.mark.parametrize(
    ("expr", "expected"),
    [
        ((D1 + D0 * 4) // 4, "d0"),
        ((D0 * 4 + D1) % 4, "d1"),
        ((D0 * 8 + D1 * 2 + D2) // 8, "d0"),
        ((D0 * 8 + D1 * 2 + D2) // 4, "((d0 * 2) + (d1 floordiv 2))"),
        ((D0 * 8 + D1 * 2 + D2) % 4, "(((d1 mod 2) * 2) + d2)"),
        ((D3 // 2) // 3, "0"),
        (((D3 + D0) // 2) // 3, "((d0 + d3) floordiv 6)"),
        ((D3 // 3) * 3 + D3 % 3, "d3"),
        (((D0 * 5 + D3) % 6) % 3, "(((d0 * 5) + d3) mod 3)"),
        (
            ((D0 * 5 + D3) % 6) // 3 * 3 + ((D0 * 5 + D3) % 6) % 3,
            "(((d0 * 5) + d3) mod 6)",
        ),
        ((D0 * 4 + D1 + 4) // 4, "(d0 + 1)"),
        (D1 - D1, "0"),
        ((D0 - 2) // 3, "-1"),
        ((D0 + 3).ceil_div(4) * 2, "((((d0 + 2) floordiv 4) * 2) + 2)"),
    ],
)
def test_finds_the_simple_form(expr: AffineExpr, expected: str):
    wide = (D0 - 2) // 3  # the only one whose dim range matters beyond the sizes
    ranges = Ranges([extent(2), *RANGES.dims[1:]]) if expr == wide else RANGES
    assert str(simplify(expr, ranges)) == expected


@pytest.mark.parametrize(
    ("expr", "whole", "rest"),
    [
        (
            D0 * 24 + D1 * 4 + 19,
            "(((d0 * 24) + ((d1 floordiv 2) * 8)) + 16)",
            "(((d1 mod 2) * 4) + 3)",
        ),
        (D0 * 2 + D1 * 16, "(d1 * 16)", "(d0 * 2)"),
        (D3 * 6 - 2, "(((d3 floordiv 4) * 24) + -8)", "(((d3 mod 4) * 6) + 6)"),
    ],
)
def test_splits_at_what_a_number_divides(expr: AffineExpr, whole: str, rest: str):
    parts = split_at(expr, 8, RANGES)
    assert parts == (simplify(parts[0], RANGES), simplify(parts[1], RANGES))
    assert [str(part) for part in parts] == [whole, rest]
    for at in POINTS:
        values = [part.eval(at, []) for part in parts]
        assert sum(values) == expr.eval(at, [])
        assert values[0] % 8 == 0


def test_reshape_and_back_is_the_identity():
    flat = linear_index([D0, D1, D2], SIZES[:3])
    other = unflatten(flat, (2, 6, 2))
    back = unflatten(linear_index(other, (2, 6, 2)), SIZES[:3])
    assert [simplify(e, RANGES) for e in back] == [D0, D1, D2]


def _random_expr(rng: random.Random, depth: int) -> AffineExpr:
    if depth == 0:
        return rng.choice([D0, D1, D2, D3, AffineExpr.constant(rng.randint(-5, 5))])
    left = _random_expr(rng, depth - 1)
    match rng.randrange(4):
        case 0:
            return left + _random_expr(rng, depth - 1)
        case 1:
            return left * rng.choice([-2, 2, 3, 4, 8])
        case 2:
            return left // rng.choice([2, 3, 4, 8])
        case _:
            return left % rng.choice([2, 3, 4, 8])


@pytest.mark.parametrize("seed", range(400))
def test_random_expressions_keep_their_values(seed: int):
    rng = random.Random(seed)
    expr = _random_expr(rng, rng.randint(1, 6))
    simple = simplify(expr, RANGES)
    values = [expr.eval(p, ()) for p in POINTS]
    assert [simple.eval(p, ()) for p in POINTS] == values
    assert simplify(simple, RANGES) == simple
    low, high = interval_of(expr, RANGES)
    assert low is not None
    assert high is not None
    assert low <= min(values)
    assert max(values) <= high
    divisor = divisor_of(expr, ranges=RANGES)
    assert all(v == 0 if divisor == 0 else v % divisor == 0 for v in values)
    for dim in range(4):
        step = stride(expr, dim, RANGES)
        if step is not None:
            for p in POINTS:
                if p[dim] + 1 < SIZES[dim]:
                    after = (*p[:dim], p[dim] + 1, *p[dim + 1 :])
                    assert expr.eval(after, ()) - expr.eval(p, ()) == step


def test_unknown_ranges_are_not_assumed():
    assert str(simplify(AffineExpr.symbol(0) // 4)) == "(s0 floordiv 4)"
    assert interval_of(D0 + AffineExpr.symbol(0), RANGES) == (None, None)


def test_steps_of_dims_give_divisors():
    assert divisor_of(D0 * 6 + D1, [1, 8]) == 2
    assert divisor_of(D0 * 8 + D1, [1, 8]) == 8
