"""An ONNX model to a module of the ``graph`` level."""

from collections.abc import Mapping, Sequence

import onnx
from xdsl.builder import Builder
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from dlc.core.context import DlcContext
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError, printable
from dlc.frontends.onnx.constants import check_constants
from dlc.frontends.onnx.graph_builder import GraphBuilder, location
from dlc.frontends.onnx.graph_importer import GraphImporter
from dlc.frontends.onnx.import_record import ImportRecord
from dlc.frontends.onnx.input_types import (
    changed_inputs,
    declared_sizes,
    input_types,
    model_inputs,
)
from dlc.frontends.onnx.loading import LoadedModel, ModelSource, load_model
from dlc.frontends.onnx.open_sizes import check_none_open
from dlc.frontends.onnx.shapes import Shapes
from dlc.frontends.onnx.structure import check_outputs, check_structure
from dlc.frontends.onnx.tensors import element_dtype
from dlc.ir.tensor import DYNAMIC, element_type, numpy_dtype, shape
from dlc.option_text import option


def import_model(
    source: ModelSource,
    shapes: Shapes | None,
    context: DlcContext,
    constants: Mapping[str, Array] | None = None,
    open_sizes: bool = False,
    record: ImportRecord | None = None,
    remarks: list[str] | None = None,
) -> ModuleOp:
    """Return a module whose ``main`` computes the model.

    shapes: sizes of inputs by name (or one size by the name of a symbolic size).
    context: its weight store takes the model's tensors; what the module does not use is forgotten.
    constants: values of inputs, by name, that are compiled in; they are no arguments of ``main``.
    open_sizes: whether sizes may be left that nobody fixes; only single graph passes know them.
    record: is filled with what was done.
    remarks: is given what the user should know and keeps nothing from being compiled.

    Arguments and results carry their names as ``graph.name``. Raises CompileError, with the node's
    name, for everything that cannot be imported.
    """
    loaded = load_model(source)
    graph = loaded.proto.graph
    check_structure(graph)
    check_outputs(graph)
    declared = model_inputs(graph)
    types = input_types(declared, shapes or {})
    constants = check_constants(constants or {}, types)
    if not open_sizes:
        check_none_open([i for i in declared if i.name not in constants], types)
    inputs = [name for name in types if name not in constants]
    block = Block(arg_types=[types[name] for name in inputs])
    names: dict[SSAValue, str] = dict(zip(block.args, inputs, strict=True))
    builder = GraphBuilder(Builder(InsertPoint.at_end(block)), context.weights, names)
    try:
        results = _import_body(loaded, block, constants, builder, record)
    except CompileError as error:
        _explain_shapes(error, changed_inputs(declared, shapes or {}))
        raise
    if remarks is not None:
        remarks.extend(builder.remarks)
    if remarks is not None and not changed_inputs(declared, shapes or {}):
        remarks.extend(filter(None, map(shape_remark, graph.output, results)))
    erase_unused(block)
    context.weights.retain(
        [op.symbol.string_value() for op in block.ops if isinstance(op, WeightOp)]
    )
    return _module(block, inputs, [o.name for o in graph.output], results)


def _import_body(
    loaded: LoadedModel,
    block: Block,
    constants: Mapping[str, Array],
    builder: GraphBuilder,
    record: ImportRecord | None,
) -> list[SSAValue]:
    graph = loaded.proto.graph
    arguments = argument_values(builder, constants)
    if record is not None:
        record.model = loaded
    found = GraphImporter(loaded, builder, record).import_graph(graph, arguments)
    results = [x for x in found if x is not None]
    for output, value in zip(graph.output, results, strict=True):
        check_element_type(output, value)
    block.add_op(ReturnOp(*results))
    return results


def argument_values(builder: GraphBuilder, constants: Mapping[str, Array]) -> dict[str, SSAValue]:
    """Return the value of each input by name: a constant where its elements are given."""
    arguments = {name: x for x, name in builder.inputs.items()}
    for name, array in constants.items():
        arguments[name] = builder.constant(array, location(name), name, stored=True)
    return arguments


def _explain_shapes(error: CompileError, changed: Sequence[str]) -> None:
    """Add to an error that the user has changed sizes that the file fixes."""
    if changed:
        names = ", ".join(changed)
        error.message += f" (the file fixes the shape of {names}, {option('shape')} changed it)"


def check_element_type(output: onnx.ValueInfoProto, value: SSAValue) -> None:
    """Raise CompileError when an output is not of the element type that the model declares."""
    declared = output.type.tensor_type.elem_type
    computed = numpy_dtype(element_type(value))
    if declared and element_dtype(declared) != computed:
        raise CompileError(
            f"it is declared as {element_dtype(declared)} but computed as {computed}",
            f"output {output.name}",
        )


def shape_remark(output: onnx.ValueInfoProto, value: SSAValue) -> str:
    """Return what the user should know of an output whose shape is not the one that the model
    declares; empty where it is.
    """
    declared = declared_sizes(output) if output.type.HasField("tensor_type") else None
    if declared is None:
        return ""
    sizes = shape(value)
    pairs = zip(declared, sizes, strict=False)
    same = all(DYNAMIC in pair or isinstance(pair[0], str) or pair[0] == pair[1] for pair in pairs)
    if same and len(declared) == len(sizes):
        return ""
    stated, computed = (
        ", ".join("?" if size == DYNAMIC else str(size) for size in each)
        for each in (declared, sizes)
    )
    return printable(
        f"output {output.name}: the file declares the shape [{stated}], the nodes compute "
        f"[{computed}], which it has"
    )


def erase_unused(block: Block) -> None:
    """Erase the ops of a straight-line block whose results nothing uses."""
    for op in reversed(list(block.ops)):
        if op.results and not any(result.first_use for result in op.results):
            op.detach()
            op.erase()


def _module(
    block: Block, inputs: Sequence[str], outputs: Sequence[str], results: Sequence[SSAValue]
) -> ModuleOp:
    main = FuncOp(
        "main",
        ([x.type for x in block.args], [x.type for x in results]),
        Region(block),
        arg_attrs=_named(inputs),
        res_attrs=_named(outputs),
    )
    return ModuleOp([main])


def _named(names: Sequence[str]) -> ArrayAttr[DictionaryAttr]:
    return ArrayAttr([DictionaryAttr({"graph.name": StringAttr(n)}) for n in names])
