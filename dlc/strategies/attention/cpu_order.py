"""In which order a CPU's cores take the blocks of rows of causal attention.

Each core has neighbouring tasks (``dlc_spread``), and later blocks have more keys. So
blocks come in steps of about 0.618 of their number, whose multiples lie evenly whichever neighbours
are taken (Knuth, "The Art of Computer Programming" 3, section 6.4: Fibonacci hashing).
"""

from math import gcd

from xdsl.ir.affine import AffineExpr

_GOLDEN = 0.618


def in_turns(number: AffineExpr, blocks: int) -> AffineExpr:
    """Return which of some blocks comes as the one of a number: each comes once."""
    return number * _stride(blocks) % blocks if blocks > 1 else number


def _stride(blocks: int) -> int:
    """Return the number nearest to the golden part of ``blocks`` that has no divisor in common."""
    apart = [n for n in range(1, blocks) if gcd(n, blocks) == 1]
    return min(apart, key=lambda n: abs(n - _GOLDEN * blocks))
