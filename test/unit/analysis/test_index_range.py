"""What is known of the values of an index."""

import pytest
from xdsl.dialects import arith, test
from xdsl.dialects.builtin import IndexType, IntegerAttr, i32, i64
from xdsl.ir import Attribute, SSAValue

from dlc.analysis.index_range import range_of
from dlc.core.affine import Interval


def _number(value: int) -> SSAValue:
    return arith.ConstantOp(IntegerAttr(value, i64)).result


def _any(type: Attribute = i64) -> SSAValue:
    return test.TestOp(result_types=[type]).results[0]


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (arith.MaxSIOp(_number(0), arith.MinSIOp(_number(8), _any()).result), Interval(0, 8)),
        (arith.MaxSIOp(_number(0), _any()), Interval(0, None)),
        (arith.MinSIOp(_any(), _number(8)), Interval(None, 8)),
        (arith.MaxSIOp(_number(3), _number(5)), Interval(5, 5)),
    ],
)
def test_a_position_that_is_kept_within_limits(value: arith.MinSIOp, wanted: Interval) -> None:
    assert range_of(value.result) == wanted
    assert range_of(arith.IndexCastOp(value.result, IndexType()).result) == wanted


def test_an_integer_that_nothing_is_known_of() -> None:
    narrow = arith.IndexCastOp(_any(i32), IndexType())
    assert range_of(narrow.result) == Interval(-(2**31), 2**31 - 1)
    assert range_of(arith.IndexCastOp(_any(i64), IndexType()).result) == Interval(None, None)
