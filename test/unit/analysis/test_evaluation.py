"""What is computed from constants only."""

from xdsl.dialects.builtin import FloatAttr, TensorType, f32
from xdsl.ir import Block, SSAValue

from dlc.analysis.evaluation import KnownValues, is_known
from dlc.dialects.graph.elementwise import AddOp
from dlc.dialects.graph.source import SplatOp

SHAPE = TensorType(f32, [4])


def doubled(value: SSAValue, times: int) -> SSAValue:
    """Return ``value`` added to itself, again and again: 2^times paths lead to it."""
    for _ in range(times):
        value = AddOp.make(value, value).results[0]
    return value


def test_a_value_is_looked_at_once_however_often_it_is_used() -> None:
    constant = SplatOp(FloatAttr(1.0, f32), SHAPE).results[0]
    assert is_known(doubled(constant, 2000))
    argument = Block(arg_types=[SHAPE]).args[0]
    assert not is_known(AddOp.make(doubled(constant, 2000), argument).results[0])


def test_many_values_of_a_chain_are_asked_in_turn() -> None:
    constant = SplatOp(FloatAttr(1.0, f32), SHAPE).results[0]
    argument = Block(arg_types=[SHAPE]).args[0]
    known = KnownValues()
    mixed = AddOp.make(argument, constant).results[0]
    last = doubled(mixed, 3000)  # deeper than Python recurses
    assert last not in known
    assert doubled(constant, 3000) in known
    assert constant in known
    assert AddOp.make(doubled(constant, 3), constant).results[0] in known
    assert AddOp.make(last, constant).results[0] not in known
