"""What may share a kernel where loops stand between: nothing from before and behind one."""

from dlc import registry
from dlc.analysis.entry import find_main
from dlc.analysis.stages import stages
from dlc.core.parser import parse_module

STEP = """{steps = 2 : i64} : (tensor<4xf32>) () () -> tensor<4xf32> {
  ^bb0(%s: tensor<4xf32>):
    %0 = graph.tanh %s : tensor<4xf32> -> tensor<4xf32>
    graph.yield %0 : tensor<4xf32>
  }"""


def names(lines: str) -> list[list[str]]:
    """Return the ops of each stage by the hints of their results."""
    text = f"func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{ {lines} }}"
    module = parse_module(text.replace("STEP", STEP), registry.new_context())
    block = find_main(module).body.block
    found = stages(block)
    assert sum(map(len, found)) == sum("step_loop" not in op.name for op in block.ops)
    return [
        [op.results[0].name_hint or "" for op in block.ops if op in s and op.results] for s in found
    ]


def unary(result: str, operand: str) -> str:
    return f"%{result} = graph.exp %{operand} : tensor<4xf32> -> tensor<4xf32>\n"


def sum_of(result: str, a: str, b: str) -> str:
    types = "(tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>"
    return f"%{result} = graph.add %{a}, %{b} : {types}\n"


def loop(result: str, operand: str) -> str:
    return f"%{result} = graph.step_loop carry(%{operand}) slice() read() STEP\n"


def returned(value: str) -> str:
    return f"func.return %{value} : tensor<4xf32>"


def test_without_loops_there_is_one() -> None:
    assert names(unary("a", "x") + unary("b", "a") + returned("b")) == [["a", "b"]]


def test_an_op_runs_before_the_loop_that_reads_it_and_behind_the_one_it_reads() -> None:
    text = unary("a", "x") + loop("l", "a") + sum_of("b", "l", "a") + loop("m", "b")
    assert names(text + unary("c", "m") + returned("c")) == [["a"], ["b"], ["c"]]


def test_what_only_later_ops_read_waits_for_the_first_of_them() -> None:
    text = unary("a", "x") + unary("b", "a") + loop("l", "x") + sum_of("c", "l", "b")
    assert names(text + returned("c")) == [[], ["a", "b", "c"]]


def test_loops_side_by_side_are_no_stages() -> None:
    text = loop("l", "x") + loop("m", "x") + sum_of("a", "l", "m")
    assert names(text + returned("a")) == [[], ["a"]]
