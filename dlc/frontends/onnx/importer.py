"""An ONNX model to a module of the ``graph`` level."""

from collections.abc import Sequence

import onnx
from xdsl.builder import Builder
from xdsl.dialects.builtin import ArrayAttr, DictionaryAttr, ModuleOp, StringAttr
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Block, Region, SSAValue
from xdsl.rewriter import InsertPoint

from dlc.core.weights import WeightStore
from dlc.dialects._tensor import element_type, numpy_dtype
from dlc.dialects.graph._source import WeightOp
from dlc.errors import CompileError
from dlc.frontends.onnx.graph_builder import GraphBuilder, ascii_name
from dlc.frontends.onnx.graph_importer import GraphImporter
from dlc.frontends.onnx.input_types import Shapes, input_types, model_inputs
from dlc.frontends.onnx.loading import LoadedModel, ModelSource, load_model
from dlc.frontends.onnx.structure import check_structure
from dlc.frontends.onnx.tensors import element_dtype


def import_model(
    source: ModelSource, shapes: Shapes | None = None, weights: WeightStore | None = None
) -> ModuleOp:
    """Return a module whose ``main`` computes the model.

    shapes: sizes of inputs by name (or one size by the name of a symbolic size).
    weights: a new store that takes the model's tensors; what the module does not use is forgotten.

    Arguments and results carry their names as ``graph.name``. Raises CompileError, with the node's
    name, for everything that cannot be imported.
    """
    weights = WeightStore() if weights is None else weights
    loaded = load_model(source)
    graph = loaded.proto.graph
    check_structure(graph)
    inputs = model_inputs(graph)
    types = input_types(inputs, shapes or {})
    block = Block(arg_types=[types[i.name] for i in inputs])
    arguments = {i.name: x for i, x in zip(inputs, block.args, strict=True)}
    results = _import_body(loaded, block, arguments, weights)
    erase_unused(block)
    weights.retain([op.symbol.string_value() for op in block.ops if isinstance(op, WeightOp)])
    return _module(block, [i.name for i in inputs], [o.name for o in graph.output], results)


def _import_body(
    loaded: LoadedModel, block: Block, arguments: dict[str, SSAValue], weights: WeightStore
) -> list[SSAValue]:
    graph = loaded.proto.graph
    builder = GraphBuilder(Builder(InsertPoint.at_end(block)), weights)
    found = GraphImporter(loaded, builder).import_graph(graph, arguments)
    results = [x for x in found if x is not None]
    for output, value in zip(graph.output, results, strict=True):
        check_element_type(output, value)
    block.add_op(ReturnOp(*results))
    return results


def check_element_type(output: onnx.ValueInfoProto, value: SSAValue) -> None:
    """Raise CompileError when an output is not of the element type that the model declares."""
    declared = output.type.tensor_type.elem_type
    computed = numpy_dtype(element_type(value))
    if declared and element_dtype(declared) != computed:
        raise CompileError(
            f"it is declared as {element_dtype(declared)} but computed as {computed}",
            f"output {output.name}",
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
    return ArrayAttr([DictionaryAttr({"graph.name": StringAttr(ascii_name(n))}) for n in names])
