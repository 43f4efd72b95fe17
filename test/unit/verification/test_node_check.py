"""Which nodes are compared with the reference, and at which sizes."""

from collections.abc import Mapping

import numpy as np
import onnx
import pytest
from onnx import helper

from dlc.dialects.graph.structure import Array
from dlc.ir.tensor import DYNAMIC
from dlc.verification import node_check
from dlc.verification.node_check import check_node
from dlc.verification.node_kind import Input, NodeKind
from dlc.verification.onnx_faults import NoReferenceError


def kind(*sizes: int) -> NodeKind:
    """Return a Relu of an input of these sizes."""
    node = helper.make_node("Relu", ["x0"], ["y0"])
    return NodeKind(node, {"": 21}, {"x0": Input(np.dtype("f4"), sizes)}, [0], (), "relu")


def test_open_sizes_are_left_out() -> None:
    with pytest.raises(NoReferenceError, match="a size is not fixed"):
        check_node(kind(DYNAMIC, 4), 1e3, 1e6)


def test_what_cannot_be_made_smaller_may_be_too_large() -> None:
    with pytest.raises(NoReferenceError, match="it is too large"):
        check_node(kind(16, 16), cheap_elements=10, most_elements=255)
    check_node(kind(16, 16), cheap_elements=10, most_elements=256)


def test_a_node_that_the_reference_does_not_know_is_not_tried_at_every_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried: list[int] = []

    def no_reference(_: onnx.ModelProto, feeds: Mapping[str, Array]) -> list[Array]:
        tried.append(feeds["x0"].size)
        raise NoReferenceError("it does not know this one")

    monkeypatch.setattr(node_check, "run_onnx_reference", no_reference)
    with pytest.raises(NoReferenceError, match="it does not know this one"):
        check_node(kind(64, 64), cheap_elements=16, most_elements=1e6)
    assert tried == [16, 64, 256]  # above 4 times 16 no other is tried
