"""How errors name ops."""

import pytest
from xdsl.dialects.builtin import UNKNOWN_LOC

from dlc import arch, registry
from dlc.analysis.entry import find_main, groups
from dlc.core.locations import operation_text
from dlc.core.parser import parse_module
from dlc.errors import CompileError
from dlc.passes.tile import TilePass

TEXT = """func.func @main(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = fused_group.group @g7(%x) : (tensor<4x8xf32>) -> tensor<4x8xf32> attributes {
      schedule = #loop.schedule<strategy = "map", target = "cpu", library = "openblas">} {
  ^bb0(%a: tensor<4x8xf32>):
    %1 = graph.exp %a : tensor<4x8xf32> -> tensor<4x8xf32>
    %2 = graph.tanh %1 : tensor<4x8xf32> -> tensor<4x8xf32>
    fused_group.yield %2 : tensor<4x8xf32>
  }
  func.return %0 : tensor<4x8xf32>
}"""


def test_an_op_that_comes_from_nowhere_has_its_own_name() -> None:
    (group,) = groups(find_main(parse_module(TEXT, registry.new_context())))
    assert operation_text(group).startswith("fused_group.group at <text>:2:")
    group.location = UNKNOWN_LOC
    assert operation_text(group) == "fused_group.group @g7"
    first = next(iter(group.body.block.ops))
    first.location = UNKNOWN_LOC
    assert operation_text(first) == "graph.exp"


def test_a_group_that_a_library_refuses_is_named_with_its_ops() -> None:
    context = registry.new_context()
    module = parse_module(TEXT, context)
    (group,) = groups(find_main(module))
    group.location = UNKNOWN_LOC
    with pytest.raises(CompileError) as raised:
        TilePass(arch=arch.by_name("cpu-avx2").target).apply(context, module)
    reason = "library openblas does not compute this group of exp, tanh: OpenBLAS computes"
    assert str(raised.value).startswith(f"fused_group.group @g7: {reason}")
