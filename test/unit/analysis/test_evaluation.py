"""What is computed from constants only."""

from xdsl.dialects.builtin import FloatAttr, TensorType, f32
from xdsl.ir import Block, SSAValue

from dlc.analysis.evaluation import is_known
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
