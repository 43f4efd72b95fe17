"""What a scalar operation costs: the instructions of a GPU that it becomes.

Counted in what NVRTC 13 makes of each for ``sm_90a``, on the way that ordinary numbers take; beside
a copy of an element, which is not counted. One fused multiply-add costs 1.
"""

from dataclasses import dataclass

from xdsl.dialects import arith, math
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Block, Operation

from dlc.dialects import loop
from dlc.dialects.loop.scalar import is_near

_SPECIAL_CLOCKS = 8
"""A special function (``MUFU``: 2**x, log2, reciprocal, reciprocal root, sin, cos) keeps a unit of
16 lanes of an SM for as many clocks as eight instructions take on 128 lanes (CUDA C++ Programming
Guide, "Throughput of Native Arithmetic Instructions").
"""


@dataclass(frozen=True)
class Price:
    """Instructions, and those of them that go through the unit of special functions."""

    instructions: int = 0
    special: int = 0

    def __add__(self, other: "Price") -> "Price":
        return Price(self.instructions + other.instructions, self.special + other.special)

    def __sub__(self, other: "Price") -> "Price":
        return Price(self.instructions - other.instructions, self.special - other.special)

    @property
    def cost(self) -> int:
        """What it takes in units of an addition: both go on at the same time."""
        return max(self.instructions, _SPECIAL_CLOCKS * self.special)


_ADDITION, _NOTHING = Price(1), Price()
_FUNCTION = Price(20, 1)
"""Of a function that is not listed."""

_FUNCTIONS: dict[type[Operation], Price] = {
    **dict.fromkeys((math.FmaOp, math.AbsFOp, math.AbsIOp), _ADDITION),
    **dict.fromkeys((math.FloorOp, math.CeilOp, math.TruncOp, math.RoundEvenOp), _ADDITION),
    math.ExpOp: Price(9, 1),
    math.Exp2Op: Price(4, 1),
    math.ExpM1Op: Price(22),
    math.LogOp: Price(25),
    math.Log2Op: Price(27),
    math.Log10Op: Price(27),
    math.Log1pOp: Price(30),
    math.TanhOp: Price(16, 2),
    math.ErfOp: Price(27, 1),
    math.SqrtOp: Price(11, 1),
    math.RsqrtOp: Price(4, 1),
    math.CbrtOp: Price(15, 2),
    math.SinOp: Price(25),
    math.CosOp: Price(25),
    math.PowFOp: Price(75, 1),
}
_NEAR: dict[type[Operation], Price] = {math.ExpOp: Price(2, 1), math.Exp2Op: Price(1, 1)}
"""Of those that may be off."""

_DIVISIONS: dict[frozenset[FastMathFlag], Price] = {
    frozenset(): Price(11, 1),
    frozenset([FastMathFlag.APPROX_FUNC]): Price(12, 1),
    frozenset([FastMathFlag.ALLOW_RECIP]): Price(9, 1),
    frozenset([FastMathFlag.ALLOW_RECIP, FastMathFlag.APPROX_FUNC]): Price(2, 1),
}
"""Of floats, by what they may be off."""

_QUOTIENT = Price(26, 1)
"""Of integers, or its remainder."""
_REMAINDER = Price(30, 1)
"""Of floats, where the quotient is small."""


def price_of(block: Block) -> Price:
    """Return the price of a block; of branches, of which one is taken, that of the dearest."""
    total = _NOTHING
    for op in block.ops:
        inside = [price_of(branch) for region in op.regions for branch in region.blocks]
        total += _own(op) + max(inside, key=lambda price: price.cost, default=_NOTHING)
    return total


def _own(op: Operation) -> Price:
    match op:
        case arith.ConstantOp():
            return _NOTHING
        case arith.DivfOp():
            return _DIVISIONS.get(frozenset(op.fastmath.data), _DIVISIONS[frozenset()])
        case math.ExpOp() | math.Exp2Op() if is_near(op):
            return _NEAR[type(op)]
        case arith.DivSIOp() | arith.DivUIOp() | arith.RemSIOp() | arith.RemUIOp():
            return _QUOTIENT
        case loop.RemfOp():
            return _REMAINDER
        case _:
            other = _FUNCTION if op.dialect_name() == math.Math.name else _ADDITION
            return _FUNCTIONS.get(type(op), other)
