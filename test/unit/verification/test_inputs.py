"""Inputs of the verification."""

import numpy as np

from dlc import registry
from dlc.core.parser import parse_module
from dlc.core.weights import WeightStore
from dlc.runtime.library import TensorInfo
from dlc.verification.inputs import switches, verification_inputs

MODEL = """
func.func @main(%rate: tensor<i64> {graph.name = "rate"}, %ids: tensor<3xi64> {graph.name = "ids"},
                %n: tensor<i64> {graph.name = "n"}) -> tensor<3xi64> {
  %0 = graph.constant dense<16000> : tensor<i64>
  %1 = graph.constant dense<8000> : tensor<i64>
  %2 = graph.constant dense<[7, 8, 9]> : tensor<3xi64>
  %3 = graph.compare %rate, %0 {predicate = "eq"} : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %4 = graph.compare %1, %rate {predicate = "eq"} : (tensor<i64>, tensor<i64>) -> tensor<i1>
  %5 = graph.compare %ids, %2 {predicate = "eq"} : (tensor<3xi64>, tensor<3xi64>) -> tensor<3xi1>
  %6 = graph.add %n, %0 : (tensor<i64>, tensor<i64>) -> tensor<i64>
  func.return %2 : tensor<3xi64>
}
"""


def test_a_switch_is_an_integer_that_is_compared_with_constants() -> None:
    module = parse_module(MODEL, registry.new_context())
    assert switches(module, WeightStore()) == {"rate": [8000, 16000]}


def test_switches_stand_at_their_positions_and_other_integers_are_small() -> None:
    inputs = [
        TensorInfo("rate", np.dtype(np.int64), ()),
        TensorInfo("ids", np.dtype(np.int64), (50,)),
        TensorInfo("x", np.dtype(np.float16), (4,)),
    ]
    cases = dict(verification_inputs(inputs, {"rate": [8000, 16000]}))
    assert list(cases) == ["random", "zero", "large", "small", "negative"]
    for name, feeds in cases.items():
        assert {i.name: (i.dtype, i.shape) for i in inputs} == {
            n: (x.dtype, x.shape) for n, x in feeds.items()
        }
        assert int(feeds["rate"]) in ([0] if name == "zero" else [8000, 16000])
        assert set(feeds["ids"].tolist()) <= {0, 1}
    assert (cases["negative"]["x"] <= 0).all()
    assert np.abs(cases["large"]["x"]).max() > 1
