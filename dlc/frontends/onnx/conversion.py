"""How an ONNX operator becomes graph ops: the interface of ``ops/<family>.py``."""

import importlib
import pkgutil
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from functools import cache
from typing import Protocol, TypeVar

import numpy as np
import onnx
from xdsl.ir import Block, SSAValue

from dlc.dialects.graph.structure import Array, GraphOp
from dlc.errors import CompileError, printable
from dlc.frontends.onnx import ops
from dlc.frontends.onnx.attributes import NodeAttributes
from dlc.frontends.onnx.graph_builder import GraphBuilder, location
from dlc.ir.tensor import shape
from dlc.option_text import option

Conversion = Callable[["NodeContext"], "SSAValue | Sequence[SSAValue | None]"]
"""Returns the node's outputs in order; ``None`` (or a shorter sequence) for one it cannot make,
which is an error only where the model uses it."""

T = TypeVar("T")

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


class Attempt(Protocol):
    """``GraphImporter.attempt``."""

    def __call__(self, write: Callable[[], T | None]) -> T | None: ...


class NodeContext(NodeAttributes):
    """One ONNX node as a conversion sees it.

    Optional operands at the end may be missing or have the empty name; both read as absent.
    """

    def __init__(
        self,
        node: onnx.NodeProto,
        opset: int,
        operands: Sequence[SSAValue | None],
        builder: GraphBuilder,
        place: str,
        inline: Callable[[onnx.GraphProto, Sequence[SSAValue]], Sequence[SSAValue]],
        attempt: "Attempt",
    ):
        super().__init__(node, opset)
        self._operands = operands
        self._builder = builder
        self._place = place
        self._location = location(place)
        self._inline = inline
        self._attempt = attempt

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
            ways = inputs and option("constant", [(name, "...") for name in inputs])
            raise UnknownValueError(
                f"the {what} of {self.op_type} must be known when compiling, but depends on"
                f" {origin}{reason}" + (f"; give the value with {ways}" if ways else ""),
                inputs,
            )
        return known

    def remark(self, text: str) -> None:
        """Tell the user something about the node that keeps nothing from being compiled."""
        self._builder.remarks[printable(f"{self._place}: {text}")] = None

    # Results ------------------------------------------------------------------------------------

    @property
    def inserted(self) -> int:
        """How many ops were inserted so far, for other nodes too; constants are left out."""
        return self._builder.inserted

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

    def inside(self, body: Block) -> AbstractContextManager[None]:
        """Insert ops at the end of ``body`` meanwhile; constants stay outside."""
        return self._builder.inside(body)

    def attempt(self, write: Callable[[], T | None]) -> T | None:
        """Return what ``write`` gives, ``None`` where something in it cannot be imported so; then
        it is as if nothing had been tried.
        """
        return self._attempt(write)
