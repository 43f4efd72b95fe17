from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.builtin import ModuleOp

from dlc.core.parser import DlcParser
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.oracle import round_results, run_reference
from dlc.registry import new_context

Parse = Callable[[str], ModuleOp]

ADD = """
func.func @main(%x: tensor<2x?xf32> {graph.name = "x"}, %y: tensor<2x?xf32> {graph.name = "y"})
    -> (tensor<2x?xf32> {graph.name = "sum"}) {
  %0 = graph.add %x, %y : (tensor<2x?xf32>, tensor<2x?xf32>) -> tensor<2x?xf32>
  func.return %0 : tensor<2x?xf32>
}
"""


@pytest.fixture
def parse() -> Parse:
    """Parse the text of a module."""

    def run(text: str) -> ModuleOp:
        module = DlcParser(new_context(), text).parse_module()
        module.verify()
        return module

    return run


@pytest.fixture
def feeds() -> dict[str, Array]:
    """Make inputs of the module ``ADD``."""
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    return {"x": x, "y": 10 * x}


def test_names_and_dtypes(parse: Parse, feeds: dict[str, Array]):
    (result,) = run_reference(parse(ADD), feeds, WeightStore()).items()
    assert result[0] == "sum"
    assert result[1].dtype == np.float32
    np.testing.assert_array_equal(result[1], feeds["x"] + feeds["y"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"y": None}, "input y: it is not given"),
        ({"z": np.zeros(3)}, "there is no input z; the inputs are x, y"),
        ({"y": np.zeros((2, 3))}, "input y: the dtype is float64, should be float32"),
        ({"y": np.zeros((3, 3), np.float32)}, r"input y: the shape is 3x3, should be 2x\?"),
        ({"y": np.zeros((2, 3, 1), np.float32)}, r"input y: the shape is .*, should be 2x\?"),
    ],
)
def test_feeds_that_do_not_fit(
    parse: Parse, feeds: dict[str, Array], change: dict[str, Array | None], message: str
):
    given = {name: x for name, x in {**feeds, **change}.items() if x is not None}
    with pytest.raises(CompileError, match=message):
        run_reference(parse(ADD), given, WeightStore())


def test_only_results_are_rounded(parse: Parse):
    """(1 + 2**-24) - 1 is 2**-24 in double precision and 0 when each op rounds to f32."""
    text = """
    func.func @main(%x: tensor<1xf32> {graph.name = "x"}) -> (tensor<1xf32> {graph.name = "y"}) {
      %one = graph.constant dense<1.0> : tensor<1xf32>
      %0 = graph.add %x, %one : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
      %1 = graph.sub %0, %one : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
      func.return %1 : tensor<1xf32>
    }
    """
    module, x = parse(text), np.array([2**-24], np.float32)
    assert run_reference(module, {"x": x}, WeightStore())["y"] == x
    assert run_reference(module, {"x": x}, WeightStore(), store=round_results)["y"] == 0
    assert run_reference(module, {"x": x}, WeightStore(), np.float32)["y"] == 0


def test_weights_and_groups(parse: Parse):
    text = """
    func.func @main(%x: tensor<2x3xf32> {graph.name = "x"}) -> (tensor<2x4xf32>) {
      %w = graph.weight @w0 : tensor<3x4xf32>
      %y = fused_group.group @g0(%x, %w) : (tensor<2x3xf32>, tensor<3x4xf32>) -> (tensor<2x4xf32>) {
      ^bb0(%xi: tensor<2x3xf32>, %wi: tensor<3x4xf32>):
        %0 = graph.matmul %xi, %wi : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
        %1 = graph.relu %0 : tensor<2x4xf32> -> tensor<2x4xf32>
        fused_group.yield %1 : tensor<2x4xf32>
      }
      func.return %y : tensor<2x4xf32>
    }
    """
    weights = WeightStore()
    weight = np.arange(12, dtype=np.float32).reshape(3, 4) - 6
    assert weights.add("w", weight) == "w0"
    x = np.arange(6, dtype=np.float32).reshape(2, 3) - 2
    result = run_reference(parse(text), {"x": x}, weights)
    np.testing.assert_array_equal(result["output0"], np.maximum(x @ weight, 0))


def test_module_without_main(parse: Parse):
    with pytest.raises(CompileError, match=r"the module has no func\.func @main"):
        run_reference(parse("builtin.module {}"), {}, WeightStore())
