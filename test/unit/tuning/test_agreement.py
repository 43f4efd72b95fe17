"""Whether two schedules of a group computed the same is seen from samples of their results."""

import numpy as np
import pytest

from dlc.analysis.entry import find_main, groups
from dlc.core.parser import parse_module
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.structure import Array
from dlc.registry import new_context
from dlc.tuning.agreement import disagreement

TEXT = """
func.func @main(%x: tensor<2000xf32>) -> tensor<2000xf32> {{
  %y = fused_group.group @g0(%x) : (tensor<2000xf32>) -> tensor<2000xf32> {{
  ^bb0(%a: tensor<2000xf32>):
    %b = graph.{op} %a : tensor<2000xf32> -> tensor<2000xf32>
    fused_group.yield %b : tensor<2000xf32>
  }}
  func.return %y : tensor<2000xf32>
}}
"""
NUMBERS = np.linspace(-1, 1, 2000, dtype=np.float32)
NAN = float("nan")


def group(op: str) -> GroupOp:
    return groups(find_main(parse_module(TEXT.format(op=op), new_context())))[0]


def said(one: Array, other: Array, op: str = "log") -> str | None:
    return disagreement(group(op), [one], [other], "fp32")


def some(value: float, count: int) -> Array:
    """Return numbers, the first of which are ``value``."""
    found = NUMBERS.copy()
    found[:count] = value
    return found


def test_rounding_is_no_difference() -> None:
    assert said(NUMBERS, NUMBERS * np.float32(1 + 2e-7)) is None


def test_other_numbers_are_a_difference() -> None:
    assert (said(NUMBERS, NUMBERS * 2) or "").startswith("off by 1.0e+00")


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_what_only_one_has_no_number_for_is_a_difference(value: float) -> None:
    expected = "50 % of its elements are of another kind: a number, infinite or none"
    assert said(NUMBERS, some(value, 1000)) == expected
    assert said(some(value, 1000), NUMBERS) == expected


def test_infinities_have_a_sign() -> None:
    assert said(some(np.inf, 1000), some(-np.inf, 1000)) is not None


def test_few_values_may_cross_the_end_of_what_is_a_number() -> None:
    assert said(NUMBERS, some(NAN, 1)) is None
    assert said(some(NAN, 1), NUMBERS) is None


def test_no_number_on_either_side_is_the_same() -> None:
    """The bits of what is no number differ between instructions."""
    assert said(some(NAN, 2000), -some(NAN, 2000)) is None


def test_steps_are_not_compared() -> None:
    assert said(NUMBERS, NUMBERS + 1, "round") is None
