"""The attributes of an ONNX node, and which of them a conversion has asked for."""

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import onnx
from numpy.typing import NDArray
from onnx import AttributeProto

from dlc.errors import CompileError

Array = NDArray[Any]
Value = TypeVar("Value")
AttributeValue = int | float | str | list[int] | list[float] | list[str] | Array | onnx.GraphProto


class NodeFormError(CompileError):
    """A node whose attributes or number of inputs are not supported, whatever its operands are."""


class NodeAttributes:
    """The attributes of one node; those that nobody asks for are errors at the end."""

    def __init__(self, node: onnx.NodeProto, opset: int):
        self._node = node
        self._attributes = {a.name: a for a in node.attribute}
        self._unread = set(self._attributes)
        self.opset = opset

    @property
    def op_type(self) -> str:
        """The operator, as ``Add``."""
        return self._node.op_type

    @property
    def name(self) -> str:
        """The node's name in the model; the first output's where it has none."""
        return node_name(self._node)

    def attribute(self, name: str, default: AttributeValue | None = None) -> AttributeValue | None:
        """Return an attribute as a Python value (string as ``str``, tensor as array, subgraph as
        ``GraphProto``), or ``default`` when the node does not have it.
        """
        self._unread.discard(name)
        found = self._attributes.get(name)
        return default if found is None else _python_value(found)

    def integer(self, name: str, default: int | None = None) -> int:
        """Return an integer attribute; raises CompileError when it is missing without a default."""
        return self._read(name, AttributeProto.INT, lambda a: a.i, default)

    def number(self, name: str, default: float | None = None) -> float:
        """Return a float attribute; raises CompileError when it is missing without a default."""
        return self._read(name, AttributeProto.FLOAT, lambda a: a.f, default)

    def string(self, name: str, default: str | None = None) -> str:
        """Return a string attribute; raises CompileError when it is missing without a default."""
        return self._read(name, AttributeProto.STRING, lambda a: _text(a.s), default)

    def integers(self, name: str, default: Sequence[int] | None = None) -> list[int]:
        """Return a list of integers; raises CompileError when it is missing without a default."""
        return list(self._read(name, AttributeProto.INTS, lambda a: a.ints, default))

    def numbers(self, name: str, default: Sequence[float] | None = None) -> list[float]:
        """Return a list of floats; raises CompileError when it is missing without a default."""
        return list(self._read(name, AttributeProto.FLOATS, lambda a: a.floats, default))

    def strings(self, name: str, default: Sequence[str] | None = None) -> list[str]:
        """Return a list of strings; raises CompileError when it is missing without a default."""

        def read(attribute: AttributeProto) -> Sequence[str]:
            return [_text(s) for s in attribute.strings]

        return list(self._read(name, AttributeProto.STRINGS, read, default))

    def graph(self, name: str) -> onnx.GraphProto:
        """Return a subgraph; raises CompileError when it is missing."""
        return self._read(name, AttributeProto.GRAPH, lambda a: a.g, None)

    def _read(
        self,
        name: str,
        kind: AttributeProto.AttributeType,
        read: Callable[[AttributeProto], Value],
        default: Value | None,
    ) -> Value:
        self._unread.discard(name)
        found = self._attributes.get(name)
        if found is not None:
            if found.type != kind:
                expected, stated = map(_kind_name, (kind, found.type))
                raise NodeFormError(f"attribute {name} is of kind {stated}, not {expected}")
            return read(found)
        if default is None:
            raise NodeFormError(f"{self.op_type} needs the attribute {name}")
        return default

    def expect(self, **values: int) -> None:
        """Raise NodeFormError where an integer is stated that is not the only supported one."""
        for name, value in values.items():
            if (stated := self.integer(name, value)) != value:
                raise NodeFormError(f"{name} = {stated} of {self.op_type} is not supported")

    def disregard(self, *names: str) -> None:
        """State that attributes have no effect on what the node computes here."""
        self._unread.difference_update(names)

    def check_attributes(self) -> None:
        """Raise CompileError when the node states an attribute that the conversion did not ask for.

        One that has the default value of the operator's schema changes nothing and may be left.
        """
        for name in sorted(self._unread):
            stated = self._attributes[name]
            if stated != self._default(name):
                raise NodeFormError(f"the attribute {name} of {self.op_type} is not supported")

    def _default(self, name: str) -> AttributeProto | None:
        domain = self._node.domain
        if not onnx.defs.has(self.op_type, self.opset, domain):
            return None
        attributes = onnx.defs.get_schema(self.op_type, self.opset, domain).attributes
        return attributes[name].default_value if name in attributes else None


def node_name(node: onnx.NodeProto) -> str:
    """Return the name by which a user finds a node: its own, else its first output's."""
    return node.name or next((f"{node.op_type} of {o}" for o in node.output if o), node.op_type)


def _python_value(attribute: AttributeProto) -> AttributeValue:
    match attribute.type:
        case AttributeProto.STRING:
            return _text(attribute.s)
        case AttributeProto.STRINGS:
            return [_text(s) for s in attribute.strings]
        case AttributeProto.TENSOR:
            return onnx.numpy_helper.to_array(attribute.t)
        case AttributeProto.INT | AttributeProto.FLOAT | AttributeProto.GRAPH:
            return onnx.helper.get_attribute_value(attribute)
        case AttributeProto.INTS | AttributeProto.FLOATS:
            return list(onnx.helper.get_attribute_value(attribute))
        case _:
            kind = _kind_name(attribute.type)
            raise NodeFormError(f"attribute {attribute.name} is of kind {kind}, not supported")


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _kind_name(kind: AttributeProto.AttributeType) -> str:
    return AttributeProto.AttributeType.Name(kind).lower()
