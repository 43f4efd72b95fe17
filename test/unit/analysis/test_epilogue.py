"""Where elements go: the position that is computed, against numpy moving an array of positions."""

from collections.abc import Callable

import numpy as np
import pytest
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import SSAValue
from xdsl.utils.test_value import create_ssa_value

from dlc.analysis.epilogue import NotFusibleError, places
from dlc.dialects.graph.activation import ReluOp
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.contraction import MatmulOp
from dlc.dialects.graph.elementwise import AddOp
from dlc.dialects.graph.layout import ConcatOp, SliceOp, TransposeOp
from dlc.dialects.graph.properties import integer, integers
from dlc.dialects.graph.reshape import ReshapeOp


def _value(*sizes: int) -> SSAValue:
    return create_ssa_value(TensorType(f32, sizes))


def test_heads_are_split_and_moved() -> None:
    product = MatmulOp.make(_value(6, 5), _value(5, 8))
    heads = ReshapeOp.make(product.output, sizes=integers([6, 4, 2]))
    moved = TransposeOp.make(heads.output, permutation=integers([1, 2, 0]))
    relu = ReluOp.make(moved.output)
    found = places(product.output, [product, heads, moved, relu])
    where = np.arange(48).reshape(6, 4, 2).transpose(1, 2, 0)
    for row, column in np.ndindex(6, 8):
        index = tuple(e.eval([row, column], []) for e in found[relu.output].index)
        assert where[index] == row * 8 + column


def test_slice_keeps_its_part_only() -> None:
    product = MatmulOp.make(_value(6, 5), _value(5, 12))
    part = SliceOp.make(
        product.output, starts=integers([0, 4]), stops=integers([6, 8]), steps=integers([1, 1])
    )
    heads = ReshapeOp.make(part.output, sizes=integers([6, 2, 2]))
    relu = ReluOp.make(heads.output)
    place = places(product.output, [product, part, relu])[relu.output]
    where = np.arange(72).reshape(6, 12)[:, 4:8].reshape(6, 2, 2)
    stored = np.full((6, 2, 2), -1)
    for row, column in np.ndindex(6, 12):
        if all(0 <= e.eval([row, column], []) < size for e, size in place.conditions):
            stored[tuple(e.eval([row, column], []) for e in place.index)] = row * 12 + column
    np.testing.assert_array_equal(stored, where)


def test_slice_from_the_start_is_no_identity() -> None:
    product = MatmulOp.make(_value(6, 5), _value(5, 12))
    part = SliceOp.make(
        product.output, starts=integers([0, 0]), stops=integers([6, 4]), steps=integers([1, 1])
    )
    place = places(product.output, [product, part])[part.output]
    assert [size for _, size in place.conditions] == [4]


def test_ops_that_do_not_read_the_product_are_left_out() -> None:
    product = MatmulOp.make(_value(4, 4), _value(4, 4))
    other = ReluOp.make(_value(4, 4))
    added = AddOp.make(product.output, other.output)
    assert set(places(product.output, [product, other, added])) == {
        product.output,
        added.output,
    }


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda y: [ConcatOp.make(y, y, axis=integer(0))], "data movement inside an epilogue"),
        (lambda y: [AddOp.make(y, _value(3, 4, 4))], "another shape"),
        (
            lambda y: [
                t := TransposeOp.make(y, permutation=integers([1, 0])),
                AddOp.make(t.output, y),
            ],
            "needs two elements",
        ),
    ],
)
def test_what_needs_other_elements_is_refused(
    make: Callable[[SSAValue], list[ComputedOp]], reason: str
) -> None:
    product = MatmulOp.make(_value(4, 4), _value(4, 4))
    ops = make(product.output)
    with pytest.raises(NotFusibleError, match=reason):
        places(product.output, [product, *ops])
