"""Checks the edges of an import: each node got, and each output is, the value that the file names.

Single nodes that are right say nothing about the edges between them. Here the file's graph is
walked a second time, by names only, and compared with what each conversion was given.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from onnx import GraphProto, TensorProto, numpy_helper
from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import SSAValue

from dlc.analysis.entry import find_main, input_names, output_names, returned
from dlc.analysis.evaluation import constant_value
from dlc.core.weights import WeightStore
from dlc.dialects.graph.structure import Array
from dlc.frontends.onnx.attributes import node_name
from dlc.frontends.onnx.import_record import ImportedNode, ImportRecord, Operand, outer_names
from dlc.frontends.onnx.loading import LoadedModel
from dlc.verification.node_check import ImportDiffersError

SAMPLE = 1024
"""How many elements of a constant are compared at its beginning, in its middle and at its end."""


def check_wiring(
    record: ImportRecord, module: ModuleOp, weights: WeightStore, constants: Mapping[str, Array]
) -> None:
    """Compare the edges of the model's graph with those of the import.

    module: the imported graph. constants: the inputs that were compiled in. Nodes of functions and
    subgraphs are left to the check of the node that encloses them. Raises ImportDiffersError.
    """
    assert record.model is not None
    graph = record.model.proto.graph
    main = find_main(module)
    walk = _Walk(record.model, {t.name: t for t in graph.initializer}, constants)
    by_name = dict(zip(input_names(main), main.args, strict=True))
    for given in graph.input:
        if given.name in by_name:
            walk.values[given.name] = by_name[given.name]
    nodes = {name: x for x in record.nodes if x.at_top for name in x.node.output if name}
    for node in graph.node:
        outputs = [name for name in node.output if name]
        if outputs and outputs[0] in nodes:
            walk.check_node(nodes[outputs[0]])
        elif outputs:
            raise _misplaced(f"the node {node_name(node)}", "the graph")
    _check_outputs(graph, output_names(main))
    for output, value in zip(graph.output, returned(main.body.block), strict=True):
        operand = Operand(value, constant_value(value, weights))
        walk.check(operand, output.name, f"output {output.name}")


def _check_outputs(graph: GraphProto, names: Sequence[str]) -> None:
    for output, name in zip(graph.output, names, strict=True):
        if output.name != name:
            raise _misplaced(f"the name {output.name}", f"output {name}")


@dataclass
class _Walk:
    """The values of a model's graph by name, as the file has them.

    values: of the inputs, and of the nodes that were passed.
    """

    model: LoadedModel
    stored: Mapping[str, TensorProto]
    constants: Mapping[str, Array]
    values: dict[str, SSAValue | None] = field(default_factory=dict[str, SSAValue | None])

    def check_node(self, imported: ImportedNode) -> None:
        """Check what a node was given; its results become values."""
        node, at = imported.node, imported.place
        for operand, name in zip(imported.operands, node.input, strict=True):
            if name:
                self.check(operand, name, at)
        for name in outer_names(node):
            if name in imported.captured:
                self.check(imported.captured[name], name, at)
        for number, name in enumerate(node.output):
            results = imported.results
            self.values[name] = results[number] if number < len(results) else None

    def check(self, operand: Operand | None, name: str, at: str) -> None:
        """Raise ImportDiffersError unless ``operand`` is the value called ``name``."""
        if operand is None:
            right = False
        elif name in self.values:
            right = operand.value is self.values[name]
        else:
            right = operand.array is not None and self._is_stored(operand.array, name)
        if not right:
            raise _misplaced(f"the value {name}", at)

    def _is_stored(self, array: Array, name: str) -> bool:
        """Return whether an array is the constant called ``name``."""
        if name in self.constants:
            return _same(array, np.asarray(self.constants[name]))
        if name not in self.stored:
            return True  # a sparse one
        return _same(array, _elements(self.stored[name], self.model))


def _misplaced(what: str, at: str) -> ImportDiffersError:
    return ImportDiffersError(
        f"{what} is lost or in another's place after the import; this is a fault of dlc, please "
        "report the model",
        at,
    )


def _elements(tensor: TensorProto, model: LoadedModel) -> Array:
    """Return the elements of an initializer, read without the importer's own reader."""
    dtype = numpy_helper.to_array(TensorProto(data_type=tensor.data_type, dims=[0])).dtype
    where = {e.key: e.value for e in tensor.external_data}
    if model.path is None or not (where or tensor.name in model.embedded):
        return numpy_helper.to_array(tensor)
    path, offset = model.path, int(where.get("offset", 0))
    if where:
        path = path.parent / where["location"]
    else:
        offset = model.embedded[tensor.name].offset_bytes
    if 0 in tensor.dims:
        return np.zeros(tuple(tensor.dims), dtype)
    return np.memmap(path, dtype, "r", offset, tuple(tensor.dims))


def _same(array: Array, wanted: Array) -> bool:
    if (array.dtype, array.shape) != (wanted.dtype, wanted.shape):
        return False
    x, y = array.reshape(-1), wanted.reshape(-1)
    middle = x.size // 2
    parts = [slice(SAMPLE), slice(middle, middle + SAMPLE), slice(-SAMPLE, None)]
    return all(x[part].tobytes() == y[part].tobytes() for part in parts)
