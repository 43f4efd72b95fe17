"""What an import did, node by node: the evidence that a check of the import needs."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from onnx import FunctionProto, GraphProto, NodeProto
from xdsl.dialects.builtin import TensorType
from xdsl.ir import Attribute, SSAValue

from dlc.dialects.graph.structure import Array
from dlc.frontends.onnx.loading import LoadedModel
from dlc.frontends.onnx.structure import subgraphs


@dataclass(frozen=True)
class Operand:
    """One input of a node as its conversion got it.

    value: the value itself. array: its elements where they are known at import, else ``None``.
    """

    value: SSAValue
    array: Array | None

    @property
    def type(self) -> TensorType[Attribute]:
        """The element type and the sizes."""
        assert isinstance(self.value.type, TensorType)
        return self.value.type


@dataclass(frozen=True)
class ImportedNode:
    """A node and what the importer made of it.

    operands: ``None`` for absent ones. captured: values of the graphs around it that its subgraphs
    read, by name. results: its outputs in order, ``None`` for those that cannot be made. place: the
    node as the user knows it. at_top: whether it stands in the model's graph itself, neither in a
    function nor in a subgraph.
    """

    node: NodeProto
    opsets: Mapping[str, int]
    operands: Sequence[Operand | None]
    captured: Mapping[str, Operand]
    results: Sequence[SSAValue | None]
    place: str
    at_top: bool


@dataclass
class ImportRecord:
    """The nodes of one import, in the order in which they were imported.

    model: the file as it was read.
    """

    model: LoadedModel | None = None
    nodes: list[ImportedNode] = field(default_factory=list[ImportedNode])

    @property
    def functions(self) -> Sequence[FunctionProto]:
        """The functions that the model defines."""
        return () if self.model is None else self.model.proto.functions


def outer_names(node: NodeProto) -> list[str]:
    """Return the values that subgraphs of a node read and do not define themselves."""
    found = [name for graph in subgraphs(node) for name in _undefined(graph)]
    return list(dict.fromkeys(found))


def _undefined(graph: GraphProto) -> Iterator[str]:
    defined = {i.name for i in graph.input} | {t.name for t in graph.initializer}
    defined |= {t.values.name for t in graph.sparse_initializer}
    for node in graph.node:
        yield from (n for n in (*node.input, *outer_names(node)) if n and n not in defined)
        defined.update(node.output)
    yield from (o.name for o in graph.output if o.name not in defined)
