"""Walks the nodes of a graph and inserts what their conversions make."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from typing import TypeVar

import onnx
from onnx import FunctionProto, GraphProto, NodeProto
from xdsl.ir import SSAValue
from xdsl.utils.exceptions import VerifyException

from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.attributes import node_name
from dlc.frontends.onnx.conversion import NodeContext, UnknownValueError, find_conversion
from dlc.frontends.onnx.functions import (
    Functions,
    bind_attributes,
    model_functions,
    standard_function,
)
from dlc.frontends.onnx.graph_builder import GraphBuilder, location
from dlc.frontends.onnx.import_record import ImportedNode, ImportRecord, Operand, outer_names
from dlc.frontends.onnx.limits import LimitError, check_count
from dlc.frontends.onnx.loading import LoadedModel, domain_name, opset_versions
from dlc.frontends.onnx.node_form import check_node, one_line
from dlc.frontends.onnx.shape_rules import RefusedError, refusal
from dlc.frontends.onnx.structure import subgraphs
from dlc.frontends.onnx.tensors import read_sparse_tensor, read_tensor
from dlc.frontends.onnx.unsupported import unsupported_message

T = TypeVar("T")
Initializer = onnx.TensorProto | onnx.SparseTensorProto

DEEPEST_CALL = 64
"""Functions and subgraphs nested deeper than this are taken for a recursion."""

_MALFORMED = (
    ArithmeticError,
    AttributeError,
    LookupError,
    TypeError,
    ValueError,
    VerifyException,  # of an attribute, made of a size that is open
)
"""A conversion may trip over operands or attributes that the schema's check lets through."""


@dataclass
class Scope:
    """The values that nodes of one graph or function body see.

    A value is ``None`` when its node could not make it, or when a function's input is absent.
    """

    opsets: Mapping[str, int]
    values: dict[str, SSAValue | None] = field(default_factory=dict)
    initializers: Mapping[str, Initializer] = field(default_factory=dict)
    outer: "Scope | None" = None
    caller: str = ""
    depth: int = 0

    def inside(self, call: str, inner: "Scope") -> "Scope":
        """Return ``inner``, the scope of a subgraph or function body that ``call`` enters here."""
        if self.depth == DEEPEST_CALL:
            raise CompileError(f"calls are nested deeper than {DEEPEST_CALL}; is it a recursion?")
        return replace(inner, caller=f"{self.caller}{call}/", depth=self.depth + 1)


class GraphImporter:
    """Imports graphs of one model through a builder."""

    def __init__(
        self, model: LoadedModel, builder: GraphBuilder, record: ImportRecord | None = None
    ):
        """``record``: is told each node, with what went in and what came out."""
        self.model = model
        self.builder = builder
        self.record = record
        self.functions: Functions = model_functions(model.proto)
        self._imported = 0
        self._attempts = 0

    def import_graph(
        self, graph: GraphProto, arguments: Mapping[str, SSAValue]
    ) -> list[SSAValue | None]:
        """Insert the nodes of the model's graph and return its outputs."""
        initializers = graph_initializers(graph)
        scope = Scope(self.model.opsets, dict(arguments), initializers)
        self.import_nodes(graph.node, scope)
        return [self.lookup(output.name, scope) for output in graph.output]

    def import_nodes(self, nodes: Sequence[NodeProto], scope: Scope) -> None:
        """Insert nodes in order; their outputs become values of ``scope``."""
        for node in nodes:
            self._imported += 1
            check_count(self._imported)
            try:
                results = self.import_node(node, scope)
            except LimitError as error:
                error.place(self.place(node, scope))
                raise
            except CompileError as error:
                results = self._recovered(node, scope, self._judged(error, node, scope))
            except _MALFORMED as error:
                reason = one_line(f"{type(error).__name__}: {error}")
                problem = CompileError(f"{node.op_type} is not understood in this form ({reason})")
                results = self._recovered(node, scope, self._judged(problem, node, scope))
            if self.record is not None:
                self.record.nodes.append(self._recorded(node, scope, results))
            for number, name in enumerate(node.output):
                if name:
                    scope.values[name] = results[number] if number < len(results) else None

    def _recovered(
        self, node: NodeProto, scope: Scope, error: CompileError
    ) -> Sequence[SSAValue | None]:
        if self._attempts:
            raise error  # it is imported in another way, which says what is wrong
        return self.recover(node, scope, error)

    def attempt(self, write: Callable[[], T | None]) -> T | None:
        """Return what ``write`` gives; ``None``, with nothing noted, where it fails or gives none.

        Ops that it has inserted where they stay are unused.
        """
        remarks, count = dict(self.builder.remarks), self._imported
        recorded = len(self.record.nodes) if self.record is not None else 0
        self._attempts += 1
        try:
            found = write()
        except LimitError:
            raise
        except CompileError:
            found = None
        finally:
            self._attempts -= 1
        if found is None:
            self.builder.remarks, self._imported = remarks, count
            if self.record is not None:
                del self.record.nodes[recorded:]
        return found

    def recover(
        self, node: NodeProto, scope: Scope, error: CompileError
    ) -> Sequence[SSAValue | None]:
        """Return what stands for the results of a node that cannot be imported; here it raises."""
        error.place(self.place(node, scope))
        raise error

    def _recorded(
        self, node: NodeProto, scope: Scope, results: Sequence[SSAValue | None]
    ) -> ImportedNode:
        """Return what became of a node; its outputs are not yet values of ``scope``."""

        def operand(name: str) -> Operand:
            value = self.lookup(name, scope)
            return Operand(value, self.builder.known(value))

        captured: dict[str, Operand] = {}
        for name in outer_names(node):
            with suppress(CompileError):  # of a branch that is not taken
                captured[name] = operand(name)
        return ImportedNode(
            node,
            scope.opsets,
            [operand(name) if name else None for name in node.input],
            captured,
            results,
            self.place(node, scope),
            scope.depth == 0,
        )

    def _judged(self, error: CompileError, node: NodeProto, scope: Scope) -> CompileError:
        """Return the error of a node, a RefusedError where the node itself is at fault."""
        if isinstance(error, UnknownValueError) or any(True for _ in subgraphs(node)):
            return error
        try:
            operands = [self.lookup(name, scope) if name else None for name in node.input]
        except CompileError:
            return error
        refused = refusal(node, scope.opsets, operands, self.builder.known)
        return RefusedError(error.message, error.at) if refused else error

    def import_node(self, node: NodeProto, scope: Scope) -> Sequence[SSAValue | None]:
        """Insert one node and return its results."""
        operands = [self.lookup(name, scope) if name else None for name in node.input]
        domain = domain_name(node.domain)
        opset = scope.opsets.get(domain, 0)
        function = self.functions.get((domain, node.op_type))
        if function:
            return self._call(function, node, operands, scope)
        conversion = find_conversion(node.op_type, domain, opset)
        if conversion is None:
            return self._call_standard(node, opset, operands, scope)
        check_node(node, opset, operands)

        def inline(graph: GraphProto, arguments: Sequence[SSAValue]) -> Sequence[SSAValue]:
            return self._inline(graph, arguments, node, scope)

        context = NodeContext(
            node, opset, operands, self.builder, self.place(node, scope), inline, self.attempt
        )
        results = conversion(context)
        context.check_attributes()
        return [results] if isinstance(results, SSAValue) else list(results)

    def lookup(self, name: str, scope: Scope) -> SSAValue:
        """Return a value by name; raises CompileError when its node could not make it."""
        found = self._find(name, scope)
        if found is None:
            raise CompileError(f"the value {name} is an output that is not supported, or is absent")
        return found

    def _find(self, name: str, scope: Scope) -> SSAValue | None:
        if name in scope.values:
            return scope.values[name]
        if name in scope.initializers:
            array = _read(scope.initializers[name], self.model)
            stored = isinstance(scope.initializers[name], onnx.TensorProto)
            value = self.builder.constant(array, location(name), name, stored)
            scope.values[name] = value
            return value
        return self._find(name, scope.outer) if scope.outer else None

    def _inline(
        self, graph: GraphProto, arguments: Sequence[SSAValue], node: NodeProto, scope: Scope
    ) -> Sequence[SSAValue]:
        values: dict[str, SSAValue | None] = {
            i.name: x for i, x in zip(graph.input, arguments, strict=True)
        }
        initializers = graph_initializers(graph)
        inner = scope.inside(node_name(node), Scope(scope.opsets, values, initializers, scope))
        self.import_nodes(graph.node, inner)
        return [self.lookup(output.name, inner) for output in graph.output]

    def _call_standard(
        self,
        node: NodeProto,
        opset: int,
        operands: Sequence[SSAValue | None],
        scope: Scope,
    ) -> Sequence[SSAValue | None]:
        """Insert the body that ONNX gives an operator.

        The body takes whatever it can compute with, also what the operator does not.
        """
        function = standard_function(node, opset, operands)
        if function is None:
            raise CompileError(unsupported_message(node, opset))
        check_node(node, opset, operands)
        refused = refusal(node, scope.opsets, operands, self.builder.known)
        if refused:
            raise RefusedError(f"ONNX refuses these operands of {node.op_type}: {refused}")
        return self._call(function, node, operands, scope)

    def _call(
        self,
        function: FunctionProto,
        node: NodeProto,
        operands: Sequence[SSAValue | None],
        scope: Scope,
    ) -> Sequence[SSAValue | None]:
        padded = [*operands, *[None] * (len(function.input) - len(operands))]
        opsets = {**scope.opsets, **opset_versions(function.opset_import)}
        values = dict(zip(function.input, padded, strict=True))
        inner = scope.inside(node_name(node), Scope(opsets, values))
        self.import_nodes(bind_attributes(function, node).node, inner)
        used = zip(function.output, node.output, strict=False)
        return [self.lookup(name, inner) if output else None for name, output in used]

    def place(self, node: NodeProto, scope: Scope) -> str:
        """Return where a node is, for the user: its name after those of the calls around it."""
        return f"{scope.caller}{node_name(node)}"


def graph_initializers(graph: GraphProto) -> dict[str, Initializer]:
    """Return the initializers of a graph by name."""
    sparse = {t.values.name: t for t in graph.sparse_initializer}
    return {t.name: t for t in graph.initializer} | sparse


def _read(initializer: Initializer, model: LoadedModel) -> Array:
    if isinstance(initializer, onnx.SparseTensorProto):
        return read_sparse_tensor(initializer, model)
    return read_tensor(initializer, model)
