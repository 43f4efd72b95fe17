"""What scalar operations cost: what goes through the unit of special functions goes on beside."""

import pytest
from xdsl.builder import Builder
from xdsl.dialects import arith, math
from xdsl.dialects.builtin import f32, i1, i32
from xdsl.dialects.utils import FastMathFlag
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.rewriter import InsertPoint

from dlc.analysis.element_profile import profile
from dlc.analysis.scalar_price import Price, price_of
from dlc.core.parser import parse_module
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.loop.scalar import ScalarBuilder
from dlc.registry import new_context


def written(write: str, *types: Attribute) -> Price:
    """Return the price of ``write``, an expression of ``b`` and its values ``x``, ``y``."""
    block = Block(arg_types=types or (f32, f32))
    b = ScalarBuilder(Builder(InsertPoint.at_end(block)))
    x, y = block.args[:2]
    eval(write, {"b": b, "x": x, "y": y, "math": math, "f32": f32})
    return price_of(block)


@pytest.mark.parametrize(
    ("write", "price"),
    [
        ("b.add(x, y)", Price(1)),
        ("b.fma(x, y, x)", Price(1)),
        ("b.absolute(x)", Price(1)),
        ("b.constant(1, f32)", Price()),
        ("b.near_exponential(x)", Price(2, 1)),
        ("b.near_power_of_two(x)", Price(1, 1)),
        ("b.math(math.ExpOp, x)", Price(9, 1)),
        ("b.math(math.Exp2Op, x)", Price(4, 1)),
        ("b.short_ratio(x, y)", Price(2, 1)),
        ("b.ratio(x, y)", Price(9, 1)),
        ("b.near_quotient(x, y)", Price(12, 1)),
        ("b.div(x, y)", Price(11, 1)),
        ("b.math(math.AtanOp, x)", Price(20, 1)),  # is not listed
    ],
)
def test_floats(write: str, price: Price) -> None:
    assert written(write) == price


@pytest.mark.parametrize(("op", "price"), [(math.ExpOp, Price(9, 1)), (math.Exp2Op, Price(4, 1))])
def test_only_what_may_be_off_is_near(
    op: type[math.ExpOp] | type[math.Exp2Op], price: Price
) -> None:
    block = Block(arg_types=[f32])
    block.add_op(op(block.args[0], arith.FastMathFlagsAttr([FastMathFlag.NO_NANS])))
    assert price_of(block) == price


def test_integers_divide_by_many_instructions() -> None:
    assert written("b.add(x, y)", i32, i32) == Price(1)
    assert written("b.rem(x, y)", i32, i32).instructions > 20


def test_special_functions_are_counted_where_they_take_longer_than_the_instructions() -> None:
    assert Price(7, 2).cost == 16
    assert Price(30, 2).cost == 30
    assert (Price(7, 2) + Price(9)).cost == 16


def test_of_branches_the_dearest_is_taken() -> None:
    block = Block(arg_types=[f32, i1])
    b = ScalarBuilder(Builder(InsertPoint.at_end(block)))
    x, condition = block.args

    def long() -> list[SSAValue]:
        return [b.math(math.ErfOp, x)]

    b.branch(condition, long, lambda: [b.add(x, x)])
    found = price_of(block)
    assert 27 <= found.instructions < 30
    assert found.special == 1


@pytest.mark.parametrize(("element", "least", "most"), [("f16", 16, 16), ("f32", 28, 36)])
def test_gelu_is_cheaper_in_halves(element: str, least: int, most: int) -> None:
    type = f"tensor<8x{element}>"
    module = parse_module(
        f"func.func @main(%x: {type}) -> {type} {{ %y = graph.gelu %x : {type} -> {type}\n"
        f"func.return %y : {type} }}",
        new_context(),
    )
    (op,) = (op for op in module.walk() if isinstance(op, ComputedOp))
    assert least <= profile(op).cost <= most
