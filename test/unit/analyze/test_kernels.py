"""How layers are divided into kernels."""

from dlc import arch, registry, search
from dlc.analysis.entry import find_main
from dlc.analyze.kernels import divided
from dlc.compiler.options import DEFAULT_SEARCH
from dlc.core.parser import parse_module
from dlc.plan import Planner

TEXT = """
func.func @main(%x: tensor<64x48xf32>, %y: tensor<128x32xf32>)
    -> (tensor<64xf32>, tensor<128xf32>, tensor<64xf32>, tensor<128xf32>) {
  %0 = graph.reduce_sum %x axes [1] : tensor<64x48xf32> -> tensor<64xf32>
  %1 = graph.reduce_sum %y axes [1] : tensor<128x32xf32> -> tensor<128xf32>
  %2 = graph.relu %0 : tensor<64xf32> -> tensor<64xf32>
  %3 = graph.erf %1 : tensor<128xf32> -> tensor<128xf32>
  %4 = graph.reduce_sum %x axes [1] : tensor<64x48xf32> -> tensor<64xf32>
  %5 = graph.reduce_sum %y axes [1] : tensor<128x32xf32> -> tensor<128xf32>
  %6 = graph.erf %5 : tensor<128xf32> -> tensor<128xf32>
  %7 = graph.relu %4 : tensor<64xf32> -> tensor<64xf32>
  func.return %2, %3, %7, %6 : tensor<64xf32>, tensor<128xf32>, tensor<64xf32>, tensor<128xf32>
}
"""


def test_equal_layers_whose_ops_stand_in_another_order_have_equal_kernels() -> None:
    block = find_main(parse_module(TEXT, registry.new_context())).body.block
    ops = [*block.ops]
    parts = {"one": {*ops[:4]}, "other": {*ops[4:8]}}
    planner = Planner(arch.by_name("sm_90a"))
    found = divided(block, parts, planner, search.by_name(DEFAULT_SEARCH))
    for kernels in found.values():
        names = {tuple(op.name for op in each.ops) for each in kernels.each}
        assert names == {("graph.reduce_sum", "graph.relu"), ("graph.reduce_sum", "graph.erf")}
        for each in kernels.each:
            assert each.ops[1].operands[0].owner is each.ops[0]
