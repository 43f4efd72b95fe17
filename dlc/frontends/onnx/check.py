"""Finds everything in a model that cannot be compiled, without stopping at the first."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress

import onnx
from onnx import NodeProto
from xdsl.builder import Builder
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.rewriter import InsertPoint

from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.attributes import NodeFormError
from dlc.frontends.onnx.constants import check_constants
from dlc.frontends.onnx.conversion import UnknownValueError, find_conversion
from dlc.frontends.onnx.findings import Findings, Problem
from dlc.frontends.onnx.functions import standard_function
from dlc.frontends.onnx.graph_builder import GraphBuilder
from dlc.frontends.onnx.graph_importer import (
    GraphImporter,
    Scope,
    graph_initializers,
)
from dlc.frontends.onnx.importer import argument_values, check_element_type, shape_remark
from dlc.frontends.onnx.input_types import input_types, model_inputs
from dlc.frontends.onnx.limits import LimitError
from dlc.frontends.onnx.loading import LoadedModel, ModelSource, domain_name, load_model
from dlc.frontends.onnx.open_sizes import find_open_sizes
from dlc.frontends.onnx.shape_rules import RefusedError, output_types
from dlc.frontends.onnx.shapes import Shapes
from dlc.frontends.onnx.structure import check_outputs, check_structure, subgraphs
from dlc.frontends.onnx.tensors import TensorError
from dlc.frontends.onnx.unsupported import unsupported_message
from dlc.ir.tensor import DYNAMIC, shape


def check_model(
    source: ModelSource, shapes: Shapes | None = None, constants: Mapping[str, Array] | None = None
) -> Findings:
    """Return all that is unsupported in a model: operators, element types, attributes, shapes.

    After a node that cannot be imported the check goes on with the types that ONNX infers for its
    outputs; nodes that depend on outputs of unknown type are only checked for being known at all.
    Sizes that are open stay so: nodes that need them are counted, not reported.
    """
    shapes, faulty = shapes or {}, dict[str, Problem]()
    operators: Mapping[str, int] = {}
    try:
        loaded = load_model(source)
        operators = count_operators(loaded.proto)
        check_structure(loaded.proto.graph)
        check_outputs(loaded.proto.graph)
        inputs = model_inputs(loaded.proto.graph)
        faulty = _faulty_inputs(inputs, shapes)
        sound = [i for i in inputs if i.name not in faulty]
        types = input_types(sound, {k: v for k, v in shapes.items() if k not in faulty})
        constants = check_constants(constants or {}, types)
    except CompileError as error:
        return Findings(operators, [*faulty.values(), Problem(error.at, error.message)])
    importer = _CheckingImporter(loaded, types, faulty)
    importer.check(constants)
    problems = list(dict.fromkeys([*faulty.values(), *importer.problems]))
    open = find_open_sizes([i for i in sound if i.name not in constants], types)
    notes = [*_notes(loaded), *importer.builder.remarks]
    return Findings(operators, problems, open, importer.waiting, notes)


def _notes(loaded: LoadedModel) -> list[str]:
    early = loaded.used_early
    return [f"the nodes are not in order and were sorted: {early} is used early"] if early else []


def count_operators(model: onnx.ModelProto) -> dict[str, int]:
    """Return how many nodes of each type a model has, those of subgraphs and functions included."""
    pending = [model.graph.node, *(function.node for function in model.functions)]
    counts = Counter[str]()
    while pending:
        for node in pending.pop():
            domain = domain_name(node.domain)
            counts[f"{domain}.{node.op_type}" if domain else node.op_type] += 1
            pending.extend(graph.node for graph in subgraphs(node))
    return dict(counts.most_common())


def _faulty_inputs(inputs: Sequence[onnx.ValueInfoProto], shapes: Shapes) -> dict[str, Problem]:
    """Return what is wrong with each input that can have no type, whatever the others are."""
    found: dict[str, Problem] = {}
    for value in inputs:
        try:
            input_types([value], {k: v for k, v in shapes.items() if k == value.name})
        except CompileError as error:
            found[value.name] = Problem(error.at, error.message)
    return found


class _SkippedError(CompileError):
    """The node needs a value whose own node could not be imported.

    open: because sizes are open.
    """

    def __init__(self, open: bool):
        self.open = open
        super().__init__("")


class _CheckingImporter(GraphImporter):
    """Records problems and goes on with placeholders."""

    def __init__(
        self,
        model: LoadedModel,
        types: Mapping[str, TensorType[Attribute]],
        skipped: Iterable[str],
    ):
        block = Block(arg_types=list(types.values()))
        names: dict[SSAValue, str] = dict(zip(block.args, types, strict=True))
        builder = GraphBuilder(Builder(InsertPoint.at_end(block)), WeightStore(), names)
        super().__init__(model, builder)
        self.problems: list[Problem] = []
        self.waiting = 0
        self._skipped = dict.fromkeys(skipped, False)

    def check(self, constants: Mapping[str, Array]) -> None:
        graph = self.model.proto.graph
        arguments = argument_values(self.builder, constants)
        scope = Scope(self.model.opsets, dict(arguments), graph_initializers(graph))
        try:
            self.import_nodes(graph.node, scope)
        except LimitError as error:
            self._report(error, "model")
            return
        for output in graph.output:
            try:
                value = self.lookup(output.name, scope)
                check_element_type(output, value)
                if remark := shape_remark(output, value):
                    self.builder.remarks[remark] = None
            except _SkippedError:
                continue
            except CompileError as error:
                self._report(error, f"output {output.name}")

    def lookup(self, name: str, scope: Scope) -> SSAValue:
        if name in self._skipped:
            raise _SkippedError(self._skipped[name])
        return super().lookup(name, scope)

    def recover(
        self, node: NodeProto, scope: Scope, error: CompileError
    ) -> Sequence[SSAValue | None]:
        if isinstance(error, RefusedError) and scope.depth:
            super().recover(node, scope, error)  # perhaps of a branch that need not run
        of_placeholder = isinstance(error, UnknownValueError) and not error.inputs
        open = self._waits(node, scope, error)
        self.waiting += open
        if not isinstance(error, _SkippedError) and not of_placeholder and not open:
            self._report(error, self.place(node, scope))
        elif not self._is_known(node, scope):
            opset = scope.opsets.get(domain_name(node.domain), 0)
            self._report(CompileError(unsupported_message(node, opset)), self.place(node, scope))
        return self._placeholders(node, scope, open)

    def _waits(self, node: NodeProto, scope: Scope, error: CompileError) -> bool:
        """Return whether a node may be in order once open sizes are given."""
        if isinstance(error, _SkippedError):
            return error.open
        if isinstance(error, NodeFormError | RefusedError | TensorError) or not self._is_known(
            node, scope
        ):
            return False
        operands = [scope.values.get(name) for name in node.input]
        return isinstance(error, OpenSizeError) or any(
            DYNAMIC in shape(x) for x in operands if x is not None
        )

    def _report(self, error: CompileError, at: str) -> None:
        unknown = error.inputs if isinstance(error, UnknownValueError) else ()
        self.problems.append(Problem(error.at or at, error.message, unknown))

    def _is_known(self, node: NodeProto, scope: Scope) -> bool:
        domain = domain_name(node.domain)
        opset = scope.opsets.get(domain, 0)
        if (domain, node.op_type) in self.functions or find_conversion(node.op_type, domain, opset):
            return True
        return standard_function(node, opset, [None] * len(node.input)) is not None

    def _placeholders(self, node: NodeProto, scope: Scope, open: bool) -> list[SSAValue | None]:
        """Return values of the types that ONNX's shape rule gives the outputs, if these are
        complete.
        """
        operands = [self._operand(name, scope) for name in node.input]
        types: Mapping[str, TensorType[Attribute]] = {}
        if all(x is not None for x, name in zip(operands, node.input, strict=True) if name):
            types = output_types(node, scope.opsets, operands, self.builder.known)
        self._skipped.update((name, open) for name in node.output if name not in types)
        return [Block(arg_types=[types[n]]).args[0] if n in types else None for n in node.output]

    def _operand(self, name: str, scope: Scope) -> SSAValue | None:
        with suppress(CompileError):
            return self.lookup(name, scope)
        return None
