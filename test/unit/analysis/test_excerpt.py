"""Some ops as a program of their own."""

from dlc import registry
from dlc.analysis.excerpt import excerpt
from dlc.core.parser import parse_module
from dlc.dialects.graph.structure import GraphOp

TEXT = """
func.func @main(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = graph.exp %x : tensor<4xf32> -> tensor<4xf32>
  %1 = graph.splat 2.0 : f32 -> tensor<f32>
  %2 = graph.neg %1 : tensor<f32> -> tensor<f32>
  %3 = graph.mul %0, %2 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = graph.add %3, %0 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %5 = graph.add %4, %y : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  func.return %4, %5 : tensor<4xf32>, tensor<4xf32>
}
"""


def test_what_others_give_is_an_argument_and_constants_are_copied() -> None:
    module = parse_module(TEXT, registry.new_context())
    ops = [op for op in module.walk() if isinstance(op, GraphOp)]
    splat, negated, product, total = ops[1:5]
    uses = {value: len(list(value.uses)) for op in ops for value in op.results}
    block, copies = excerpt([negated, product, total])
    assert [op.name for op in block.ops] == [
        "graph.splat",
        "graph.neg",
        "graph.mul",
        "graph.add",
        "func.return",
    ]
    (x,) = block.args
    assert list(copies[product].operands) == [x, copies[negated].results[0]]
    assert list(copies[total].operands) == [copies[product].results[0], x]
    assert list(copies) == [splat, negated, product, total]
    end = block.last_op
    assert end is not None
    assert list(end.operands) == list(copies[total].results)
    assert uses == {value: len(list(value.uses)) for value in uses}, "nothing outside is touched"
