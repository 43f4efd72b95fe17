"""Values for groups that are checked on their own."""

import numpy as np

from dlc import registry
from dlc.analysis.entry import find_main
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.verification.group_inputs import GroupInputs

GROUPS = """
func.func @main(%table: tensor<11x2xf32>, %ids: tensor<400xi64>, %n: tensor<400xi64>)
    -> (tensor<400x2xf32>, tensor<400xi64>) {
  %y = fused_group.group @a(%table, %ids) : (tensor<11x2xf32>, tensor<400xi64>)
      -> tensor<400x2xf32> {
  ^bb0(%t: tensor<11x2xf32>, %i: tensor<400xi64>):
    %0 = graph.gather %t, %i {axis = 0}
      : (tensor<11x2xf32>, tensor<400xi64>) -> tensor<400x2xf32>
    fused_group.yield %0 : tensor<400x2xf32>
  }
  %z = fused_group.group @b(%n) : (tensor<400xi64>) -> tensor<400xi64> {
  ^bb0(%m: tensor<400xi64>):
    %1 = graph.add %m, %m : (tensor<400xi64>, tensor<400xi64>) -> tensor<400xi64>
    fused_group.yield %1 : tensor<400xi64>
  }
  func.return %y, %z : tensor<400x2xf32>, tensor<400xi64>
}
"""


def test_indices_are_legal_and_other_integers_have_all_lengths() -> None:
    module = parse_module(GROUPS, registry.new_context())
    before = str(module)
    inputs = GroupInputs(module, WeightStore())
    _, ids, numbers = find_main(module).args
    assert set(inputs[ids].tolist()) == set(range(-11, 11))
    assert inputs[numbers].min() < -(2**40)
    assert inputs[numbers].max() > 2**40
    assert str(module) == before


def test_some_floats_are_equal() -> None:
    text = GROUPS.replace("11x2xf32", "400x2xf32")
    module = parse_module(text, registry.new_context())
    table = GroupInputs(module, WeightStore())[find_main(module).args[0]]
    assert np.unique(table).size < 0.9 * table.size
