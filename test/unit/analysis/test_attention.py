"""What is taken for attention, and what is not."""

import pytest
from xdsl.dialects.func import FuncOp

from dlc import registry
from dlc.analysis.attention import Attention, attention_of
from dlc.core.parser import parse_module
from dlc.dialects.graph.computed import ContractionOp

Q, S, R = "tensor<2x32x32xf16>", "tensor<2x32x32xf16>", "tensor<2x32x1xf16>"
ROWS = "tensor<2x1x32xf16>"
SCORES = f"%s = graph.matmul %q, %k transpose_rhs : ({Q}, {Q}) -> {S}"
PRODUCT = f"%y = graph.matmul {{}}, %v : ({S}, {Q}) -> {Q}"
TESTS = "tensor<2x32x32xi1>"


def softmax(x: str, axis: int = 2, largest: str = "", total: str = "%e") -> list[str]:
    """Return the ops of the softmax %w. largest: what the maximum is of, if not of ``x``."""
    row = R if axis == 2 else ROWS
    return [
        f"%m = graph.reduce_max {largest or x} axes [{axis}] keep_dims : {S} -> {row}",
        f"%d = graph.sub {x}, %m : ({S}, {row}) -> {S}",
        f"%e = graph.exp %d : {S} -> {S}",
        f"%t = graph.reduce_sum {total} axes [{axis}] keep_dims : {S} -> {row}",
        f"%w = graph.div %e, %t : ({S}, {row}) -> {S}",
    ]


def chosen(test: str, number: float) -> list[str]:
    """Return the weights %p, another number where a test holds."""
    return [
        f"%a = graph.is_nan {test} : {S} -> {TESTS}",
        f"%c = graph.constant dense<{number}> : tensor<f16>",
        f"%p = graph.where %a, %c, %w : ({TESTS}, tensor<f16>, {S}) -> {S}",
    ]


def found(lines: list[str]) -> Attention | None:
    """Return the attention that the last product ends."""
    body = "\n".join(lines)
    text = f"func.func @main(%q: {Q}, %k: {Q}, %v: {Q}) {{\n{body}\nfunc.return\n}}"
    (function,) = parse_module(text, registry.new_context()).ops
    assert isinstance(function, FuncOp)
    *_, last = (op for op in function.body.block.ops if isinstance(op, ContractionOp))
    return attention_of(last)


TURNED = f"%o = graph.transpose %s {{permutation = array<i64: 0, 2, 1>}} : {S} -> {S}"
SUM = f"%x = graph.add %s, %o : ({S}, {S}) -> {S}"
TAKEN = {
    "plain": [SCORES, *softmax("%s"), PRODUCT.format("%w")],
    "scaled": [
        SCORES,
        "%n = graph.constant dense<0.5> : tensor<f16>",
        f"%x = graph.mul %s, %n : ({S}, tensor<f16>) -> {S}",
        *softmax("%x"),
        PRODUCT.format("%w"),
    ],
    "zero where not a number": [SCORES, *softmax("%s"), *chosen("%w", 0.0), PRODUCT.format("%p")],
}
LEFT = {
    "over the queries": [SCORES, *softmax("%s", 1), PRODUCT.format("%w")],
    "another largest": [SCORES, *softmax("%s", largest="%q"), PRODUCT.format("%w")],
    "another total": [SCORES, *softmax("%s", total="%d"), PRODUCT.format("%w")],
    "one where not a number": [SCORES, *softmax("%s"), *chosen("%w", 1.0), PRODUCT.format("%p")],
    "test of another value": [SCORES, *softmax("%s"), *chosen("%s", 0.0), PRODUCT.format("%p")],
    "weights on the right": [
        SCORES,
        *softmax("%s"),
        f"%y = graph.matmul %v, %w : ({Q}, {S}) -> {Q}",
    ],
    "weights turned": [
        SCORES,
        *softmax("%s"),
        f"%y = graph.matmul %w, %v transpose_lhs : ({S}, {Q}) -> {Q}",
    ],
    "scores turned": [SCORES, TURNED, *softmax("%o"), PRODUCT.format("%w")],
    "scores of another row": [SCORES, TURNED, SUM, *softmax("%x"), PRODUCT.format("%w")],
    "two products": [
        SCORES,
        f"%o = graph.matmul %k, %q transpose_rhs : ({Q}, {Q}) -> {S}",
        SUM,
        *softmax("%x"),
        PRODUCT.format("%w"),
    ],
    "no product": [*softmax("%q"), PRODUCT.format("%w")],
    "no softmax": [SCORES, PRODUCT.format("%s")],
}


@pytest.mark.parametrize("lines", TAKEN.values(), ids=TAKEN)
def test_taken(lines: list[str]) -> None:
    attention = found(lines)
    assert attention is not None
    assert attention.zero == any("is_nan" in line for line in lines)
    scales = any("graph.mul " in line for line in lines)
    assert [op.name for op in attention.between] == (["graph.mul"] if scales else [])


@pytest.mark.parametrize("lines", LEFT.values(), ids=LEFT)
def test_left(lines: list[str]) -> None:
    assert found(lines) is None
