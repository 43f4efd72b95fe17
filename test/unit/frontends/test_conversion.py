from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import helper
from xdsl.builder import Builder
from xdsl.dialects.builtin import TensorType, f32
from xdsl.ir import Block, SSAValue
from xdsl.rewriter import InsertPoint

from dlc.core.weights import WeightStore
from dlc.errors import CompileError
from dlc.frontends.onnx import conversion
from dlc.frontends.onnx.conversion import (
    NodeContext,
    converts,
    find_conversion,
    supported_operators,
)
from dlc.frontends.onnx.graph_builder import GraphBuilder, location

FAMILIES = Path(conversion.__file__).parent / "ops"
MakeNode = Callable[..., NodeContext]


@pytest.fixture
def make_node() -> MakeNode:
    """Make the context of a node whose operands are ``x`` (an input), 7 (known) and nothing."""
    block = Block(arg_types=[TensorType(f32, [2, 3])])
    builder = GraphBuilder(Builder(InsertPoint.at_end(block)), WeightStore(), {block.args[0]: "x"})

    def make(op_type: str = "Add", **attributes: Any) -> NodeContext:
        node = helper.make_node(op_type, ["x", "seven", ""], ["y", "", "z"], **attributes)
        seven = builder.constant(np.array(7), location("seven"))
        operands = [block.args[0], seven, None]
        return NodeContext(node, 21, operands, builder, "n", _no_subgraph, _no_attempt)

    return make


def _no_attempt(write: Callable[[], object]) -> None:
    raise AssertionError("the node is imported in one way")


def _no_subgraph(graph: onnx.GraphProto, arguments: Sequence[SSAValue]) -> Sequence[SSAValue]:
    raise AssertionError("the node has no subgraph")


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the test a registry of its own, once the real one is loaded."""
    find_conversion("Add", "", 21)
    monkeypatch.setattr(conversion, "_CONVERSIONS", {})


@pytest.mark.usefixtures("registry")
def test_highest_since_up_to_the_opset_wins():
    @converts("Thing", since=3)
    def old(node: NodeContext) -> SSAValue:
        return node.operand(0)

    @converts("Thing", "Other", since=13)
    def new(node: NodeContext) -> SSAValue:
        return node.operand(0)

    found = [find_conversion("Thing", "", opset) for opset in (2, 3, 12, 13, 99)]
    assert found == [None, old, old, new, new]
    assert find_conversion("Other", "", 13) is new
    assert find_conversion("Thing", "com.example", 13) is None


@pytest.mark.usefixtures("registry")
def test_two_conversions_for_one_version():
    converts("Thing", since=3)(lambda node: node.operand(0))
    with pytest.raises(AssertionError, match="Thing has two conversions since opset 3"):
        converts("Thing", since=3)(lambda node: node.operand(0))


def test_every_family_is_listed():
    families = supported_operators()
    assert families["elementwise"]["Add"]
    listed = [name for operators in families.values() for name in operators]
    assert len(listed) == len(set(listed))
    assert set(families) <= {path.stem for path in FAMILIES.glob("[a-z]*.py")}


def test_operands(make_node: MakeNode):
    node = make_node()
    assert node.shape(0) == (2, 3)
    assert node.optional(2) is None
    assert node.optional(3) is None
    assert node.constant(0) is None
    assert node.require_constant(1, "count") == 7
    with pytest.raises(CompileError, match="Add needs input 2, which is absent"):
        node.operand(2)
    with pytest.raises(CompileError, match=r"the count of Add must be known .* depends on x"):
        node.require_constant(0, "count")


def test_outputs(make_node: MakeNode):
    node = make_node()
    assert node.output_count == 3
    assert [node.has_output(i) for i in range(4)] == [True, False, True, False]


def test_attributes(make_node: MakeNode):
    tensor = onnx.numpy_helper.from_array(np.arange(3))
    node = make_node(a=2, b=0.5, c="text", d=[1, 2], e=tensor)
    assert node.integer("a") == 2
    assert node.number("b") == 0.5
    assert node.string("c") == "text"
    assert node.integers("d") == [1, 2]
    np.testing.assert_array_equal(node.attribute("e"), np.arange(3))
    assert node.integer("f", 5) == 5
    assert node.attribute("f") is None
    with pytest.raises(CompileError, match="Add needs the attribute f"):
        node.integers("f")


def test_attribute_that_is_not_asked_for(make_node: MakeNode):
    node = make_node("Flatten", axis=2)
    with pytest.raises(CompileError, match="the attribute axis of Flatten is not supported"):
        node.check_attributes()
    node.integer("axis")
    node.check_attributes()


def test_attribute_of_default_value_need_not_be_asked_for(make_node: MakeNode):
    make_node("Flatten", axis=1).check_attributes()


def test_attribute_without_effect(make_node: MakeNode):
    node = make_node("Flatten", axis=2)
    node.disregard("axis")
    node.check_attributes()
