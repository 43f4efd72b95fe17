"""How an ONNX operator becomes graph ops: the interface of ``ops/<family>.py``."""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import onnx
from onnx import AttributeProto
from xdsl.dialects.builtin import LocationAttr
from xdsl.ir import SSAValue

from dlc.dialects._tensor import shape
from dlc.dialects.graph._structure import Array, GraphOp
from dlc.errors import CompileError
from dlc.frontends.onnx import ops
from dlc.frontends.onnx.graph_builder import GraphBuilder

AttributeValue = int | float | str | list[int] | list[float] | list[str] | Array | onnx.GraphProto
Conversion = Callable[["NodeContext"], "SSAValue | Sequence[SSAValue | None]"]
"""Returns the node's outputs in order; ``None`` (or a shorter sequence) for one it cannot make,
which is an error only where the model uses it."""

_CONVERSIONS: dict[tuple[str, str], dict[int, Conversion]] = {}


def converts(
    *op_types: str, since: int = 1, domain: str = ""
) -> Callable[[Conversion], Conversion]:
    """Register the conversion of ONNX operators from opset version ``since`` of their domain on.

    Of several for one operator the highest ``since`` up to the model's opset is taken.
    """

    def register(conversion: Conversion) -> Conversion:
        for op_type in op_types:
            versions = _CONVERSIONS.setdefault((domain, op_type), {})
            if since in versions:
                raise AssertionError(f"{op_type} has two conversions since opset {since}")
            versions[since] = conversion
        return conversion

    return register


@cache
def _load_families() -> None:
    for module in pkgutil.iter_modules(ops.__path__, f"{ops.__name__}."):
        importlib.import_module(module.name)


def find_conversion(op_type: str, domain: str, opset: int) -> Conversion | None:
    """Return the conversion of an operator at an opset version, or ``None`` when there is none."""
    _load_families()
    versions = _CONVERSIONS.get((domain, op_type), {})
    since = max((v for v in versions if v <= opset), default=None)
    return None if since is None else versions[since]


def supported_operators() -> dict[str, dict[str, list[int]]]:
    """Return the versions from which each operator has a conversion, by the family it stands in.

    A family is the name of a file of ``ops``; an operator of another domain than ONNX's own is
    called ``domain.Operator``.
    """
    _load_families()
    families: dict[str, dict[str, list[int]]] = {}
    for (domain, op_type), versions in sorted(_CONVERSIONS.items()):
        newest = versions[max(versions)]
        family = newest.__module__.rpartition(".")[2]
        name = f"{domain}.{op_type}" if domain else op_type
        families.setdefault(family, {})[name] = sorted(versions)
    return families


class UnknownValueError(CompileError):
    """A value that must be known when compiling depends on inputs of the model.

    inputs: their names; were these inputs constants, the value would be known.
    """

    def __init__(self, message: str, inputs: Sequence[str]):
        self.inputs = tuple(inputs)
        super().__init__(message)


class NodeContext:
    """One ONNX node as a conversion sees it.

    Optional operands at the end may be missing or have the empty name; both read as absent.
    """

    def __init__(
        self,
        node: onnx.NodeProto,
        opset: int,
        operands: Sequence[SSAValue | None],
        builder: GraphBuilder,
        at: LocationAttr,
        inline: Callable[[onnx.GraphProto, Sequence[SSAValue]], Sequence[SSAValue]],
    ):
        self._node = node
        self._operands = operands
        self._builder = builder
        self._location = at
        self._inline = inline
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

    # Attributes ---------------------------------------------------------------------------------

    def attribute(self, name: str, default: AttributeValue | None = None) -> AttributeValue | None:
        """Return an attribute as a Python value (string as ``str``, tensor as array, subgraph as
        ``GraphProto``), or ``default`` when the node does not have it.
        """
        self._unread.discard(name)
        found = self._attributes.get(name)
        return default if found is None else _python_value(found)

    def integer(self, name: str, default: int | None = None) -> int:
        """Return an integer attribute; raises CompileError when it is missing without a default."""
        return int(self._required(name, default))  # pyright: ignore[reportArgumentType]

    def number(self, name: str, default: float | None = None) -> float:
        """Return a float attribute; raises CompileError when it is missing without a default."""
        return float(self._required(name, default))  # pyright: ignore[reportArgumentType]

    def string(self, name: str, default: str | None = None) -> str:
        """Return a string attribute; raises CompileError when it is missing without a default."""
        return str(self._required(name, default))

    def integers(self, name: str, default: Sequence[int] | None = None) -> list[int]:
        """Return a list of integers; raises CompileError when it is missing without a default."""
        return [int(x) for x in self._required(name, default)]  # pyright: ignore

    def numbers(self, name: str, default: Sequence[float] | None = None) -> list[float]:
        """Return a list of floats; raises CompileError when it is missing without a default."""
        return [float(x) for x in self._required(name, default)]  # pyright: ignore

    def strings(self, name: str, default: Sequence[str] | None = None) -> list[str]:
        """Return a list of strings; raises CompileError when it is missing without a default."""
        return [str(x) for x in self._required(name, default)]  # pyright: ignore

    def graph(self, name: str) -> onnx.GraphProto:
        """Return a subgraph; raises CompileError when it is missing."""
        found = self.attribute(name)
        if not isinstance(found, onnx.GraphProto):
            raise CompileError(f"{self.op_type} needs the subgraph {name}")
        return found

    def _required(self, name: str, default: object) -> object:
        found = self.attribute(name)
        if found is None and default is None:
            raise CompileError(f"{self.op_type} needs the attribute {name}")
        return default if found is None else found

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
                raise CompileError(f"the attribute {name} of {self.op_type} is not supported")

    def _default(self, name: str) -> AttributeProto | None:
        domain = self._node.domain
        if not onnx.defs.has(self.op_type, self.opset, domain):
            return None
        attributes = onnx.defs.get_schema(self.op_type, self.opset, domain).attributes
        return attributes[name].default_value if name in attributes else None

    # Operands -----------------------------------------------------------------------------------

    @property
    def operand_count(self) -> int:
        """The number of inputs that the node lists, absent ones between others included."""
        return len(self._operands)

    @property
    def output_count(self) -> int:
        """The number of outputs that the node lists."""
        return len(self._node.output)

    def has_output(self, i: int) -> bool:
        """Return whether output ``i`` has a name, so that something may use it."""
        return i < len(self._node.output) and bool(self._node.output[i])

    def output_name(self, i: int) -> str:
        """Return the name of output ``i``, its number where it has none."""
        return self._node.output[i] if self.has_output(i) else str(i)

    def optional(self, i: int) -> SSAValue | None:
        """Return input ``i``, or ``None`` when it is absent."""
        return self._operands[i] if i < len(self._operands) else None

    def operand(self, i: int) -> SSAValue:
        """Return input ``i``; raises CompileError when it is absent."""
        value = self.optional(i)
        if value is None:
            raise CompileError(f"{self.op_type} needs input {i}, which is absent")
        return value

    def operands(self) -> list[SSAValue]:
        """Return all inputs of a variadic operator; raises CompileError when one is absent."""
        return [self.operand(i) for i in range(len(self._operands))]

    def shape(self, i: int) -> tuple[int, ...]:
        """Return the sizes of input ``i``; a size that is not fixed is ``DYNAMIC``."""
        return shape(self.operand(i))

    def constant(self, i: int) -> Array | None:
        """Return the elements of input ``i`` when they are known at import, else ``None``."""
        value = self.optional(i)
        return None if value is None else self._builder.known(value)

    def known(self, value: SSAValue) -> Array | None:
        """Return the elements of any value when they are known at import, else ``None``."""
        return self._builder.known(value)

    def require_constant(self, i: int, what: str, why: str = "") -> Array:
        """Return the elements of input ``i``, called ``what`` in the error when they are not known.

        why: the reason, where it is not plain. An absent input is an error too: ask ``optional``
        first.
        """
        return self.require_known(self.operand(i), what, why)

    def require_known(self, value: SSAValue, what: str, why: str = "") -> Array:
        """Return the elements of any value; raises UnknownValueError when they are not known."""
        known = self._builder.known(value)
        if known is None:
            inputs = self._builder.inputs_of(value)
            origin = ", ".join(inputs) or "a value that cannot be imported"
            reason = f" ({why})" if why else ""
            raise UnknownValueError(
                f"the {what} of {self.op_type} must be known when compiling, but depends on"
                f" {origin}{reason}; fix sizes with --shape, or give the values as constants",
                inputs,
            )
        return known

    # Results ------------------------------------------------------------------------------------

    def insert(self, op: GraphOp) -> SSAValue:
        """Insert an op at the node's location and return its first result.

        Where all operands are known and small, the result is a constant instead of the op's.
        """
        return self.insert_all(op)[0]

    def insert_all(self, op: GraphOp) -> Sequence[SSAValue]:
        """Insert an op as ``insert`` does and return all its results."""
        return self._builder.insert(op, self._location)

    def constant_value(self, array: Array) -> SSAValue:
        """Return a tensor of known elements: a constant, a splat or a weight, by its size."""
        return self._builder.constant(np.asarray(array), self._location, self.name)

    def inline(
        self, graph: onnx.GraphProto, arguments: Sequence[SSAValue] = ()
    ) -> Sequence[SSAValue]:
        """Insert a subgraph's nodes for the given inputs; return its outputs (If, Loop, Scan)."""
        return self._inline(graph, arguments)


def node_name(node: onnx.NodeProto) -> str:
    """Return the name by which a user finds a node: its own, else its first output's."""
    return node.name or next((f"{node.op_type} of {o}" for o in node.output if o), node.op_type)


def _python_value(attribute: AttributeProto) -> AttributeValue:
    match attribute.type:
        case AttributeProto.STRING:
            return attribute.s.decode("utf-8", "replace")
        case AttributeProto.STRINGS:
            return [s.decode("utf-8", "replace") for s in attribute.strings]
        case AttributeProto.TENSOR:
            return onnx.numpy_helper.to_array(attribute.t)
        case AttributeProto.INT | AttributeProto.FLOAT | AttributeProto.GRAPH:
            return onnx.helper.get_attribute_value(attribute)
        case AttributeProto.INTS | AttributeProto.FLOATS:
            return list(onnx.helper.get_attribute_value(attribute))
        case _:
            kind = AttributeProto.AttributeType.Name(attribute.type).lower()
            raise CompileError(f"attribute {attribute.name} is of kind {kind}, not supported")
