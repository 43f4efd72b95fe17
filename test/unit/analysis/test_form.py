"""What is kept for all ops of a form: only what the form decides."""

from collections.abc import Callable

import pytest
from xdsl.dialects.func import FuncOp

from dlc import registry
from dlc.analysis.dataflow import Dataflow
from dlc.analysis.element_profile import profile
from dlc.analysis.form import once_per_form
from dlc.core.memo import Memo
from dlc.core.parser import parse_module
from dlc.dialects.graph.computed import ComputedOp

TYPE = "tensor<3x7x29xf32>"  # no other test's: nothing is known of its ops yet


def ops(*lines: str) -> list[ComputedOp]:
    """Return the ops of a function of two arguments; each line is one, and all are returned."""
    names = [f"%{n}" for n in range(len(lines))]
    body = "\n".join(f"{name} = {line}" for name, line in zip(names, lines, strict=True))
    types = ", ".join([TYPE] * len(lines))
    text = f"func.func @main(%x: {TYPE}, %y: {TYPE}) -> ({types}) {{\n{body}\n"
    text += f"func.return {', '.join(names)} : {types} }}"
    module = parse_module(text, registry.new_context())
    (main,) = (op for op in module.walk() if isinstance(op, FuncOp))
    return Dataflow(main.body.block).ops


def test_a_product_with_itself_says_nothing_about_one_of_two_tensors() -> None:
    square, product = ops(
        f"graph.mul %x, %x : ({TYPE}, {TYPE}) -> {TYPE}",
        f"graph.mul %x, %y : ({TYPE}, {TYPE}) -> {TYPE}",
    )
    assert [read.operand for read in profile(square).reads] == [0, 0]
    assert [read.operand for read in profile(product).reads] == [0, 1]


@pytest.fixture
def counted() -> tuple[Callable[..., int], list[ComputedOp]]:
    """Return a function that is kept per form, and the ops that it was really asked for."""
    asked: list[ComputedOp] = []

    @once_per_form
    def ask(op: ComputedOp, *rest: int) -> int:
        asked.append(op)
        return len(asked)

    return ask, asked


def test_ops_of_one_form_are_asked_once(
    counted: tuple[Callable[..., int], list[ComputedOp]],
) -> None:
    ask, asked = counted
    relu, again, tanh = ops(
        *(f"graph.{name} %x : {TYPE} -> {TYPE}" for name in ("relu", "relu", "tanh"))
    )
    assert ask(relu) == ask(again) == 1
    assert ask(tanh) == 2
    assert ask(relu, 5) == 3
    assert ask(again, 5) == 3
    assert asked == [relu, tanh, relu]


def test_a_full_memo_forgets_what_was_not_asked_for_longest() -> None:
    memo, asked = Memo[int](most=2), list[int]()

    def answer(key: int) -> int:
        return memo.answer(key, lambda: asked.append(key) or -key)

    assert [answer(key) for key in (1, 2, 1, 3, 1, 2)] == [-1, -2, -1, -3, -1, -2]
    assert asked == [1, 2, 3, 2]
