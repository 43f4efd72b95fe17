"""Which loops continue others is found in one walk, however many ways lead to an op."""

import sys
from types import FrameType
from typing import Any

import pytest
from lowered import lowered

from dlc.analysis import loop_link
from dlc.dialects.graph.step_loop import step_loops

DIAMONDS = 60
"""Each doubles the ways from the first loop to the last op: a walk of all of them never ends."""

STATE, ALL = "tensor<1x8xf16>", "tensor<4x1x8xf16>"


def _loop(last: str, all: str, initial: str, sliced: str) -> str:
    return f"""
  {last}, {all} = graph.step_loop carry({initial}) slice({sliced}) read() {{steps = 4 : i64}} :
      ({STATE}) ({ALL}) () -> {STATE}, {ALL} {{
  ^bb0(%h: {STATE}, %part: {STATE}):
    %0 = graph.add %h, %part : ({STATE}, {STATE}) -> {STATE}
    graph.yield %0, %0 : {STATE}, {STATE}
  }}"""


@pytest.mark.parametrize("begin", ["%d", "%g"])
def test_walks_once(begin: str) -> None:
    """From the state that the second loop begins with, back to an argument, or the first loop."""
    diamonds = [
        f"  %d{n + 1} = graph.add %d{n}, %d{n} : ({STATE}, {STATE}) -> {STATE}"
        for n in range(DIAMONDS)
    ]
    text = f"""
func.func @main(%x: {ALL}, %d: {STATE}) -> ({STATE}, {ALL}) {{
  %w = graph.weight @w : tensor<8x8xf16>{_loop("%g", "%y", "%d", "%x")}
  %d0 = graph.tanh {begin} : {STATE} -> {STATE}
{chr(10).join(diamonds)}
  %rows = graph.reshape %y {{sizes = array<i64: 4, 8>}} : {ALL} -> tensor<4x8xf16>
  %m = graph.matmul %rows, %w : (tensor<4x8xf16>, tensor<8x8xf16>) -> tensor<4x8xf16>
  %p = graph.reshape %m {{sizes = array<i64: 4, 1, 8>}} : tensor<4x8xf16> -> {ALL}{
        _loop("%k", "%z", f"%d{DIAMONDS}", "%p")
    }
  func.return %k, %z : {STATE}, {ALL}
}}"""
    second, _ = step_loops(lowered(text, "canonicalize"))
    lines = 0

    def count(frame: FrameType, event: str, _: object) -> Any:
        nonlocal lines
        if frame.f_code.co_filename != loop_link.__file__:
            return None
        lines += event == "line"
        assert lines < 100 * DIAMONDS
        return count

    sys.settrace(count)
    try:
        link = loop_link.link_of(second)
    finally:
        sys.settrace(None)
    assert (link is None) == (begin == "%g")
