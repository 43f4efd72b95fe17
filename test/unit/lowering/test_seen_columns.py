"""Which columns conditions on positions leave to each row."""

import pytest
from xdsl.dialects.func import FuncOp, ReturnOp

from dlc import registry
from dlc.core.parser import parse_module
from dlc.lowering.seen_columns import last_seen

ROWS = "tensor<4x1xi64>"
POSITIONS = """
  %r = graph.range {start = 2 : i64, step = 1 : i64, size = 4 : i64} -> tensor<4xi64>
  %i = graph.reshape %r {sizes = array<i64: 4, 1>} : tensor<4xi64> -> tensor<4x1xi64>
  %j = graph.range {start = 0 : i64, step = 1 : i64, size = 9 : i64} -> tensor<9xi64>
  %one = graph.splat 1 : i64 -> tensor<i64>
  %two = graph.splat 2 : i64 -> tensor<i64>
"""


def found(*lines: str, result: str = "4x9") -> int | None:
    """Return what is found of the condition ``%c``."""
    given = "%m: tensor<4x9xi1>, %n: tensor<4x1xi64>"
    body = "\n".join(lines)
    text = (
        f"func.func @main({given}) -> tensor<{result}xi1> {{{POSITIONS}{body}\n"
        f"func.return %c : tensor<{result}xi1>\n}}"
    )
    (function,) = parse_module(text, registry.new_context()).ops
    assert isinstance(function, FuncOp)
    end = function.body.block.last_op
    assert isinstance(end, ReturnOp)
    return last_seen(end.arguments[0])


def compared(x: str, predicate: str, y: str) -> str:
    types = {"%j": "tensor<9xi64>", "%one": "tensor<i64>"}
    given = f"({types.get(x, ROWS)}, {types.get(y, ROWS)})"
    return f'%c = graph.compare {x}, {y} {{predicate = "{predicate}"}} : {given} -> tensor<4x9xi1>'


@pytest.mark.parametrize(
    ("x", "predicate", "y", "last"),
    [
        ("%j", "le", "%i", 2),
        ("%j", "lt", "%i", 1),
        ("%i", "ge", "%j", 2),
        ("%i", "gt", "%j", 1),
        ("%j", "ge", "%i", None),  # what comes later
        ("%j", "eq", "%i", None),
        ("%j", "le", "%n", None),  # positions that are given
    ],
)
def test_comparisons_of_positions(x: str, predicate: str, y: str, last: int | None) -> None:
    assert found(compared(x, predicate, y)) == last


@pytest.mark.parametrize(
    ("op", "number", "last"),
    [("add", "%one", 3), ("sub", "%two", 0), ("mul", "%two", None), ("mul", "%one", 2)],
)
def test_positions_that_are_computed(op: str, number: str, last: int | None) -> None:
    other = f"%k = graph.{op} %i, {number} : ({ROWS}, tensor<i64>) -> {ROWS}"
    assert found(other, compared("%j", "le", "%k")) == last


def test_booleans_that_are_given() -> None:
    assert found("%c = graph.not %m : tensor<4x9xi1> -> tensor<4x9xi1>") is None


def test_columns_without_rows() -> None:
    line = '%c = graph.compare %j, %one {predicate = "le"} : (tensor<9xi64>, tensor<i64>) '
    assert found(line + "-> tensor<9xi1>", result="9") is None
