"""Which elements of a model's inputs are indices, and what they may be."""

import numpy as np
import onnx.parser
import pytest

from dlc.analysis.entry import find_main
from dlc.analysis.index_bounds import IndexBound, index_bounds, legal_values
from dlc.core.locations import location_text
from dlc.core.weights import WeightStore
from dlc.frontends.onnx.importer import import_model
from dlc.registry import new_context


def bounds(signature: str, nodes: str, constants: str = "") -> list[IndexBound]:
    """Return the bounds of an ONNX model in onnx's own text form."""
    held = f" <{constants}>" if constants else ""
    text = f'<ir_version: 8, opset_import: ["" : 17]> m ({signature}) => (y){held} {{ {nodes} }}'
    context = new_context(WeightStore())
    module = import_model(onnx.parser.parse_model(text), {}, context, {})
    return index_bounds(find_main(module), context.weights)


def described(found: list[IndexBound]) -> list[tuple[int, list[int], int, int]]:
    return [(b.argument, b.elements.tolist(), b.least, b.largest) for b in found]


def test_a_gather_bounds_its_indices_by_the_size_of_its_axis() -> None:
    (bound,) = bounds(
        "float[5,7] table, int64[2,3] i",
        "[embed] y = Gather<axis=1>(table, i)",
    )
    assert described([bound]) == [(1, [0, 1, 2, 3, 4, 5], -7, 6)]
    assert location_text(bound.op.location) == '"embed"'


@pytest.mark.parametrize(
    ("signature", "nodes", "expected"),
    [
        (
            "float[5,7] t, int64[4,7] i",
            "y = GatherElements<axis=0>(t, i)",
            [(1, list(range(28)), -5, 4)],
        ),
        (
            "float[5,7] t, int64[3,2] i",
            "y = GatherND(t, i)",
            [(1, [1, 3, 5], -7, 6), (1, [0, 2, 4], -5, 4)],
        ),
        (
            "float[5,7] t, int64[2,7] i, float[2,7] u",
            "y = ScatterElements<axis=0>(t, i, u)",
            [(1, list(range(14)), -5, 4)],
        ),
        (
            "float[5,7] t, int64[3,2] i, float[3] u",
            "y = ScatterND(t, i, u)",
            [(1, [1, 3, 5], -7, 6), (1, [0, 2, 4], -5, 4)],
        ),
        (
            "float[5,2] t, int64[2] n",
            "y = ReverseSequence<time_axis=0, batch_axis=1>(t, n)",
            [(1, [0, 1], 0, 5)],
        ),
        (
            "float[5,2,3] x, float[1,16,3] w, float[1,16,4] r, int32[2] n",
            "y = LSTM<hidden_size=4>(x, w, r, , n)",
            [(3, [0, 1], 0, 5)],
        ),
        (
            "float[5,2,3] x, float[2,12,3] w, float[2,12,4] r, int32[2] n",
            'y = GRU<hidden_size=4, direction="bidirectional">(x, w, r, , n)',
            [(3, [0, 1], 0, 5)],
        ),
        (
            "float[1,1,2,2] t, int64[1,1,2,2] p",
            "y = MaxUnpool<kernel_shape=[2,2], strides=[2,2]>(t, p)",
            [(1, [0, 1, 2, 3], -16, 15)],
        ),
    ],
    ids=[
        "gather_elements",
        "gather_nd",
        "scatter",
        "scatter_nd",
        "lengths",
        "lstm",
        "gru",
        "unpool",
    ],
)
def test_every_op_with_indices_says_what_they_may_be(
    signature: str, nodes: str, expected: list[tuple[int, list[int], int, int]]
) -> None:
    assert described(bounds(signature, nodes)) == expected


def test_indices_are_followed_through_casts_and_movement() -> None:
    found = bounds(
        "float[9] t, int32[2,3] i",
        """
        wide = Cast<to=7>(i)
        turned = Transpose(wide)
        flat = Reshape(turned, shape)
        part = Slice(flat, start, stop, axis, step)
        more = Unsqueeze(part, axis)
        y = Gather(t, more)
        """,
        "int64[1] shape = {6}, int64[1] start = {1}, int64[1] stop = {6}, int64[1] axis = {0}, "
        "int64[1] step = {2}",
    )
    # Turned row-major: 0 3 1 4 2 5; every second from the second on.
    assert described(found) == [(1, [3, 4, 5], -9, 8)]


def test_rows_of_one_input_index_tables_of_their_own() -> None:
    found = bounds(
        "float[50,4] words, float[8,4] places, int64[2,3] ids",
        """
        w, p = Split<axis=0>(ids)
        a = Gather(words, w)
        b = Gather(places, p)
        y = Add(a, b)
        """,
    )
    assert described(found) == [(2, [0, 1, 2], -50, 49), (2, [3, 4, 5], -8, 7)]
    least, largest = legal_values(found, 2, (2, 3))
    np.testing.assert_array_equal(least, [[-50] * 3, [-8] * 3])
    np.testing.assert_array_equal(largest, [[49] * 3, [7] * 3])


def test_two_inputs_and_a_constant_in_one_index_are_told_apart() -> None:
    found = bounds(
        "float[6] t, int64[2] i, int64[3] j",
        "all = Concat<axis=0>(j, first, i) y = Gather(t, all)",
        "int64[1] first = {0}",
    )
    assert described(found) == [(1, [0, 1], -6, 5), (2, [0, 1, 2], -6, 5)]


def test_elements_of_an_index_table_count_where_a_constant_chooses_them() -> None:
    found = bounds(
        "float[6] t, int64[4] i",
        "some = Gather(i, which) y = Gather(t, some)",
        "int64[2] which = {3, 1}",
    )
    assert described(found) == [(1, [1, 3], -6, 5)]


@pytest.mark.parametrize(
    "nodes",
    [
        "k = Add(i, i) y = Gather(t, k)",
        "k = Where(c, i, i) y = Gather(t, k)",
        "b = Cast<to=9>(i) k = Cast<to=7>(b) y = Gather(t, k)",
        "f = Cast<to=1>(i) y = Add(f, f)",
    ],
    ids=["computed", "chosen_by_a_run", "boolean", "no_index"],
)
def test_other_values_are_not_bounded(nodes: str) -> None:
    assert bounds("float[6] t, int64[2] i, bool[2] c", nodes) == []


def test_an_element_in_two_tables_must_be_in_both() -> None:
    found = bounds(
        "float[6] t, float[4] u, int64[2] i", "a = Gather(t, i) b = Gather(u, i) y = Add(a, b)"
    )
    assert [(b.least, b.largest) for b in found] == [(-6, 5), (-4, 3)]
    least, largest = legal_values(found, 2, (2,))
    assert least.tolist() == [-4, -4]
    assert largest.tolist() == [3, 3]


def test_what_is_no_index_may_be_anything() -> None:
    least, largest = legal_values([], 0, (2,))
    limits = np.iinfo(np.int64)
    assert least.tolist() == [limits.min] * 2
    assert largest.tolist() == [limits.max] * 2
