"""Into which stages a cluster falls."""

import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[1] / "plan"))

from programs import cluster

from dlc.analysis.dataflow import Cluster
from dlc.strategies.stitched import STRATEGY
from dlc.strategies.stitched.stages import MOST_STAGES, stages_of
from dlc.strategies.stitched.work import waits_of

SQUARE = "tensor<64x64xf32>"


def product(result: str, lhs: str, rhs: str) -> str:
    return f"%{result} = graph.matmul %{lhs}, %{rhs} : ({SQUARE}, {SQUARE}) -> {SQUARE}"


def squares(*lines: str, result: str) -> Cluster:
    """Return ops on square matrices as a cluster."""
    return cluster("\n".join(lines), f"%{result}: {SQUARE}", f"%x: {SQUARE}, %y: {SQUARE}")


def names(asked: Cluster) -> list[list[str]]:
    return [[op.name.removeprefix("graph.") for op in stage.ops] for stage in stages_of(asked)]


def test_ops_join_the_stage_before_them_where_a_strategy_computes_them_together() -> None:
    relu = f"%a = graph.relu %p : {SQUARE} -> {SQUARE}"
    asked = squares(product("p", "x", "y"), relu, product("q", "a", "y"), result="q")
    assert names(asked) == [["matmul", "relu"], ["matmul"]]


def test_program_order_plays_no_part() -> None:
    sum = f"%s = graph.add %p, %r : ({SQUARE}, {SQUARE}) -> {SQUARE}"
    relu = f"%r = graph.relu %q : {SQUARE} -> {SQUARE}"
    one, other = product("p", "x", "y"), product("q", "y", "x")
    found = names(squares(one, other, relu, sum, result="s"))
    assert found == names(squares(other, relu, one, sum, result="s"))
    assert found == [["matmul"], ["matmul", "relu", "add"]]


def test_a_stage_waits_where_it_reads_what_was_written_since_the_last_wait() -> None:
    third, fourth = product("r", "p", "q"), product("s", "r", "p")
    asked = squares(product("p", "x", "y"), product("q", "y", "x"), third, fourth, result="s")
    assert waits_of(stages_of(asked)) == [False, False, True, True]


@pytest.mark.parametrize("count", [MOST_STAGES, MOST_STAGES + 1])
def test_there_are_so_many_stages_at_most(count: int) -> None:
    lines = [product(f"p{n}", f"p{n - 1}" if n else "x", "y") for n in range(count)]
    reason = STRATEGY.accepts(squares(*lines, result=f"p{count - 1}"))
    assert reason == (None if count == MOST_STAGES else f"more than {MOST_STAGES} stages")


def test_one_stage_is_left_to_its_strategy() -> None:
    assert STRATEGY.accepts(squares(product("p", "x", "y"), result="p")) is not None
