"""Which nodes are compared with the reference, and at which sizes."""

from collections.abc import Mapping

import numpy as np
import onnx
import pytest
from onnx import helper

from dlc.dialects.graph.structure import Array
from dlc.ir.tensor import DYNAMIC
from dlc.verification import node_check
from dlc.verification.node_check import ImportDiffersError, check_node
from dlc.verification.node_kind import Input, NodeKind
from dlc.verification.onnx_faults import NoReferenceError
from dlc.verification.onnx_reference import run_onnx_reference


def kind(*sizes: int) -> NodeKind:
    """Return a Relu of an input of these sizes."""
    node = helper.make_node("Relu", ["x0"], ["y0"])
    return NodeKind(node, {"": 21}, {"x0": Input(np.dtype("f4"), sizes)}, [0], (), "relu")


def computed(operator: str, constant: Array) -> NodeKind:
    """Return a node of a constant."""
    node = helper.make_node(operator, ["x0"], ["y0"])
    given = Input(constant.dtype, (), True, constant)
    return NodeKind(node, {"": 21}, {"x0": given}, [0], (), operator.lower())


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


@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
@pytest.mark.parametrize("operator", ["Exp", "Tanh", "Log", "Sigmoid"])
def test_a_constant_may_be_off_by_its_last_digit(operator: str, dtype: str) -> None:
    """The reference computes it in its own type, the import in double precision."""
    for value in (0.3, 1.3, 2.7):
        check_node(computed(operator, np.array(value, dtype)), 1e3, 1e6)


def test_a_wrong_constant_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    def off(model: onnx.ModelProto, feeds: Mapping[str, Array]) -> list[Array]:
        return [x * np.float32(1 + 1e-5) for x in run_onnx_reference(model, feeds)]

    monkeypatch.setattr(node_check, "run_onnx_reference", off)
    with pytest.raises(ImportDiffersError, match=r"bound 9\.5e-07"):
        check_node(computed("Exp", np.array(0.3, np.float32)), 1e3, 1e6)
