"""Which inputs lie turned, and along which axes they are gone through."""

import pytest
from lowered import lowered

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.entry import find_main
from dlc.analysis.turned_reads import Turn, turn_of

_TRANSPOSE = "%t = graph.transpose %x {permutation = array<i64: 1, 0>} :"


def _turn(types: str, result: str, body: str) -> Turn | None:
    names = [f"%{letter}" for letter, _ in zip("xyz", types.split(", "), strict=False)]
    arguments = ", ".join(f"{n}: {t}" for n, t in zip(names, types.split(", "), strict=True))
    text = f"func.func @main({arguments}) -> {result} {{\n{body}\nfunc.return %r : {result} }}"
    flow = Dataflow(find_main(lowered(text, "")).body.block)
    return turn_of(Cluster(flow, tuple(flow.ops)))


def _transposed(sizes: tuple[int, ...], order: tuple[int, ...]) -> Turn | None:
    given, result = (
        f"tensor<{'x'.join(map(str, s))}xf32>" for s in (sizes, [sizes[a] for a in order])
    )
    axes = ", ".join(map(str, order))
    return _turn(
        given,
        result,
        f"%t = graph.transpose %x {{permutation = array<i64: {axes}>}} : {given} -> {result}\n"
        f"%r = graph.exp %t : {result} -> {result}",
    )


@pytest.mark.parametrize(
    ("sizes", "order", "groups", "axis"),
    [
        ((4, 6), (1, 0), ((0,), (1,)), 0),
        ((2, 3, 4, 5), (0, 2, 3, 1), ((0,), (1, 2), (3,)), 1),
        ((2, 4, 5, 3), (0, 3, 1, 2), ((0,), (1,), (2, 3)), 1),
        ((1, 4, 5, 3), (0, 3, 1, 2), ((1,), (2, 3)), 0),
        ((2, 3, 4, 5), (3, 1, 2, 0), ((0,), (1, 2), (3,)), 0),
    ],
)
def test_axes_are_merged_as_the_input_lies(
    sizes: tuple[int, ...],
    order: tuple[int, ...],
    groups: tuple[tuple[int, ...], ...],
    axis: int,
) -> None:
    turn = _transposed(sizes, order)
    assert turn is not None
    assert turn.groups == groups
    assert turn.axis == axis


@pytest.mark.parametrize(
    ("sizes", "order"),
    [((4, 6), (0, 1)), ((2, 3, 4), (1, 0, 2)), ((5, 1), (1, 0)), ((3, 1, 1, 4), (0, 3, 1, 2))],
)
def test_what_keeps_its_last_axis_is_not_turned(
    sizes: tuple[int, ...], order: tuple[int, ...]
) -> None:
    assert _transposed(sizes, order) is None


def test_an_input_that_is_read_at_two_places_is_not_brought() -> None:
    body = (
        f"{_TRANSPOSE} tensor<8x8xf32> -> tensor<8x8xf32>\n"
        "%r = graph.add %t, %x : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>"
    )
    assert _turn("tensor<8x8xf32>", "tensor<8x8xf32>", body) is None


def test_another_input_lies_as_the_result() -> None:
    body = (
        f"{_TRANSPOSE} tensor<8x6xf32> -> tensor<6x8xf32>\n"
        "%r = graph.add %t, %y : (tensor<6x8xf32>, tensor<6x8xf32>) -> tensor<6x8xf32>"
    )
    turn = _turn("tensor<8x6xf32>, tensor<6x8xf32>", "tensor<6x8xf32>", body)
    assert turn is not None
    assert len(turn.inputs) == 1


def test_parts_of_a_concatenation_are_not_brought() -> None:
    """Some elements of the result lie outside of each part."""
    body = (
        "%c = graph.concat %x, %y {axis = 0 : i64} : "
        "(tensor<4x7xf32>, tensor<5x7xf32>) -> tensor<9x7xf32>\n"
        "%r = graph.transpose %c {permutation = array<i64: 1, 0>} : "
        "tensor<9x7xf32> -> tensor<7x9xf32>"
    )
    assert _turn("tensor<4x7xf32>, tensor<5x7xf32>", "tensor<7x9xf32>", body) is None
