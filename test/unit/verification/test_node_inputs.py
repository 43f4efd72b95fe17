"""Values on which a node is checked."""

import numpy as np
import pytest
from onnx import helper

from dlc.dialects.graph.structure import Array
from dlc.verification.node_inputs import node_inputs
from dlc.verification.node_kind import Input, NodeKind

FLOAT, INTEGER = np.dtype("f4"), np.dtype("i4")
KEYS = 4


def drawn(operator: str, batch: int, *sizes: int) -> Array:
    """Return the mask of a node of attention with this many sequences of ``KEYS`` tokens."""
    place = {"Attention": 3, "MultiHeadAttention": 4}[operator]
    names = [*(f"x{i}" for i in range(place)), "mask"]
    node = helper.make_node(operator, names, ["y"], domain="com.microsoft", num_heads=1)
    inputs = dict.fromkeys(names[:-1], Input(FLOAT, (batch, KEYS, 8)))
    inputs["mask"] = Input(INTEGER, sizes)
    kind = NodeKind(node, {"": 21, "com.microsoft": 1}, inputs, [0], (), "attention")
    return node_inputs(kind, 1.0)["mask"]


@pytest.mark.parametrize("operator", ["Attention", "MultiHeadAttention"])
@pytest.mark.parametrize("batch", [1, 2, 5])
def test_ends_and_begins_hide_some_keys_and_show_some(operator: str, batch: int) -> None:
    ends, begins = drawn(operator, batch, 2 * batch).reshape(2, batch)
    assert (begins > 0).all()
    assert (begins < ends).all()
    assert (ends < KEYS).all()


@pytest.mark.parametrize("operator", ["Attention", "MultiHeadAttention"])
def test_ends_hide_some_keys_and_show_some(operator: str) -> None:
    ends = drawn(operator, 3, 3)
    assert ((ends > 0) & (ends < KEYS)).all()


@pytest.mark.parametrize("sizes", [(2, KEYS), (2, KEYS, KEYS)])
def test_a_row_of_tokens_is_hidden(sizes: tuple[int, ...]) -> None:
    rows = drawn("Attention", 2, *sizes).any(-1)
    assert rows.any()
    assert not rows.all()
