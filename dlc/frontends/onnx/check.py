"""Finds everything in a model that cannot be compiled, without stopping at the first."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import onnx
from onnx import NodeProto
from xdsl.builder import Builder
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, Block, SSAValue
from xdsl.rewriter import InsertPoint

from dlc.core.weights import WeightStore
from dlc.dialects._tensor import element_type_of, shape
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import UnknownValueError, find_conversion
from dlc.frontends.onnx.functions import standard_function
from dlc.frontends.onnx.graph_builder import GraphBuilder
from dlc.frontends.onnx.graph_importer import (
    GraphImporter,
    Scope,
    graph_initializers,
    unsupported_message,
)
from dlc.frontends.onnx.importer import check_element_type
from dlc.frontends.onnx.input_types import Shapes, input_types, model_inputs, name_open_inputs
from dlc.frontends.onnx.loading import LoadedModel, ModelSource, domain_name, load_model
from dlc.frontends.onnx.shape_rules import RefusedError
from dlc.frontends.onnx.structure import check_structure
from dlc.frontends.onnx.tensors import element_dtype


@dataclass(frozen=True)
class Problem:
    """One thing that keeps a model from being compiled.

    at: the node, input or file where it is, as the user knows it. unknown: the inputs whose values,
    given as constants, might be all that is missing.
    """

    at: str | None
    message: str
    unknown: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.at}: {self.message}" if self.at else self.message


def check_model(source: ModelSource, shapes: Shapes | None = None) -> list[Problem]:
    """Return all that is unsupported in a model: operators, element types, attributes, shapes.

    After a node that cannot be imported the check goes on with the types that ONNX infers for its
    outputs; nodes that depend on outputs of unknown type are only checked for being known at all.
    """
    shapes, faulty = shapes or {}, dict[str, Problem]()
    try:
        loaded = load_model(source)
        check_structure(loaded.proto.graph)
        inputs = model_inputs(loaded.proto.graph)
        faulty = _faulty_inputs(inputs, shapes)
        sound = [i for i in inputs if i.name not in faulty]
        types = input_types(sound, {k: v for k, v in shapes.items() if k not in faulty})
    except CompileError as error:
        return [*faulty.values(), Problem(error.at, error.message)]
    block = Block(arg_types=[types[i.name] for i in sound])
    importer = _CheckingImporter(loaded, block, types, faulty)
    arguments = dict(zip(types, block.args, strict=True))
    importer.check(arguments)
    problems = [replace(p, message=name_open_inputs(p.message, types)) for p in importer.problems]
    return list(dict.fromkeys([*faulty.values(), *problems]))


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
    """The node needs a value whose own node could not be imported."""


class _CheckingImporter(GraphImporter):
    """Records problems and goes on with placeholders."""

    def __init__(
        self,
        model: LoadedModel,
        block: Block,
        types: Mapping[str, TensorType[Attribute]],
        skipped: Iterable[str],
    ):
        names: dict[SSAValue, str] = dict(zip(block.args, types, strict=True))
        builder = GraphBuilder(Builder(InsertPoint.at_end(block)), WeightStore(), names)
        super().__init__(model, builder)
        self.problems: list[Problem] = []
        self._input_types = types
        self._inferred: dict[str, TensorType[Attribute]] | None = None
        self._skipped = set(skipped)

    def check(self, arguments: Mapping[str, SSAValue]) -> None:
        graph = self.model.proto.graph
        scope = Scope(self.model.opsets, dict(arguments), graph_initializers(graph))
        self.import_nodes(graph.node, scope)
        for output in graph.output:
            try:
                check_element_type(output, self.lookup(output.name, scope))
            except _SkippedError:
                continue
            except CompileError as error:
                self._report(error, f"output {output.name}")

    def lookup(self, name: str, scope: Scope) -> SSAValue:
        if name in self._skipped:
            raise _SkippedError("")
        return super().lookup(name, scope)

    def recover(
        self, node: NodeProto, scope: Scope, error: CompileError
    ) -> Sequence[SSAValue | None]:
        if isinstance(error, RefusedError) and scope.depth:
            super().recover(node, scope, error)  # perhaps of a branch that need not run
        of_placeholder = isinstance(error, UnknownValueError) and not error.inputs
        if not isinstance(error, _SkippedError) and not of_placeholder:
            self._report(error, self.place(node, scope))
        elif not self._is_known(node, scope):
            opset = scope.opsets.get(domain_name(node.domain), 0)
            self._report(CompileError(unsupported_message(node, opset)), self.place(node, scope))
        return [self._placeholder(name, scope) for name in node.output]

    def _report(self, error: CompileError, at: str) -> None:
        unknown = error.inputs if isinstance(error, UnknownValueError) else ()
        self.problems.append(Problem(error.at or at, error.message, unknown))

    def _is_known(self, node: NodeProto, scope: Scope) -> bool:
        domain = domain_name(node.domain)
        opset = scope.opsets.get(domain, 0)
        if (domain, node.op_type) in self.functions or find_conversion(node.op_type, domain, opset):
            return True
        return standard_function(node, opset, [None] * len(node.input)) is not None

    def _placeholder(self, name: str, scope: Scope) -> SSAValue | None:
        """Return a value of the type that ONNX infers, if that is complete."""
        if self._inferred is None:
            self._inferred = _infer_types(self.model.proto, self._input_types)
        at_top = scope.outer is None and not scope.caller
        type = self._inferred.get(name) if at_top else None
        if type is None:
            self._skipped.add(name)
            return None
        return Block(arg_types=[type]).args[0]


def _infer_types(
    model: onnx.ModelProto, inputs: Mapping[str, TensorType[Attribute]]
) -> dict[str, TensorType[Attribute]]:
    """Return the types with fixed sizes that ONNX's own shape inference finds."""
    sized = onnx.ModelProto()
    sized.CopyFrom(model)
    for value in sized.graph.input:
        if value.name in inputs:
            _fix_sizes(value, shape(inputs[value.name]))
    try:
        inferred = onnx.shape_inference.infer_shapes(sized, data_prop=True)
    except onnx.shape_inference.InferenceError:
        return {}
    found = {v.name: _fixed_type(v) for v in inferred.graph.value_info}
    return {name: type for name, type in found.items() if type is not None}


def _fix_sizes(value: onnx.ValueInfoProto, sizes: Sequence[int]) -> None:
    element = value.type.tensor_type.elem_type
    fixed = [size if size >= 0 else None for size in sizes]
    value.CopyFrom(onnx.helper.make_tensor_value_info(value.name, element, fixed))


def _fixed_type(value: onnx.ValueInfoProto) -> TensorType[Attribute] | None:
    tensor = value.type.tensor_type
    dims = tensor.shape.dim
    if not tensor.HasField("shape") or not all(d.HasField("dim_value") for d in dims):
        return None
    try:
        element = element_type_of(element_dtype(tensor.elem_type))
    except CompileError:
        return None
    return TensorType(element, [d.dim_value for d in dims])
