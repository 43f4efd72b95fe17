"""The kinds of nodes in a model: what makes two nodes mean the same, and a model of one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import onnx
from onnx import NodeProto, helper, numpy_helper

from dlc.core.cache import cache_key
from dlc.dialects.graph.structure import Array
from dlc.frontends.onnx.import_record import ImportedNode, ImportRecord, Operand
from dlc.frontends.onnx.loading import domain_name
from dlc.frontends.onnx.structure import subgraphs
from dlc.ir.tensor import DYNAMIC, element_type, numpy_dtype, shape

FEW_ELEMENTS = 16
"""Constants of at most this many elements may decide what a node means (a scale, a limit)."""

INDEX_ELEMENTS = 1 << 16
"""Constants of 32 or 64-bit integers up to this size, too: axes, sizes, indices."""


@dataclass(frozen=True)
class Input:
    """An input of a node: a constant whose elements matter has an ``array``; another constant, a
    weight, has elements that do not decide what the node means.
    """

    dtype: np.dtype
    shape: tuple[int, ...]
    is_constant: bool = False
    array: Array | None = None

    @classmethod
    def of(cls, operand: Operand) -> "Input":
        """Return what a check must know of an operand."""
        dtype, sizes = numpy_dtype(element_type(operand.value)), shape(operand.value)
        array = operand.array
        if array is None or not _matters(array):
            return cls(dtype, sizes, array is not None)
        return cls(dtype, sizes, True, np.asarray(array, order="C"))

    @property
    def elements(self) -> int:
        """The number of elements."""
        return int(np.prod(self.shape, dtype=np.int64))


def _matters(array: Array) -> bool:
    wide = array.dtype.kind in "iu" and array.dtype.itemsize >= 4
    return array.size <= (INDEX_ELEMENTS if wide else FEW_ELEMENTS)


@dataclass(frozen=True)
class NodeKind:
    """Nodes that differ in names and in the elements of large weights only.

    node: the first one of them, its inputs called by number, unless it has subgraphs. inputs: by
    name. outputs: the numbers of those that are made. functions: those that the model defines, if
    the node may call them. place: where the first one stands.
    """

    node: NodeProto
    opsets: Mapping[str, int]
    inputs: Mapping[str, Input]
    outputs: Sequence[int]
    functions: Sequence[onnx.FunctionProto]
    place: str

    @classmethod
    def of(cls, imported: ImportedNode, record: ImportRecord) -> "NodeKind":
        """Return the kind of a node."""
        node = NodeProto()
        node.CopyFrom(imported.node)
        node.ClearField("name")
        node.ClearField("doc_string")
        calls = any(True for _ in subgraphs(node)) or _is_own(node, record.functions)
        if not calls:
            node.input[:] = [f"x{i}" if name else "" for i, name in enumerate(node.input)]
        pairs = zip(node.input, imported.operands, strict=True)
        given = {name: operand for name, operand in pairs if operand is not None}
        inputs = {n: Input.of(x) for n, x in {**imported.captured, **given}.items()}
        made = [i for i, x in enumerate(imported.results) if x is not None]
        outputs = [i for i in made if i < len(node.output) and node.output[i]]
        node.output[:] = [f"y{i}" if i in outputs else "" for i in range(len(node.output))]
        functions = record.functions if calls else ()
        return cls(node, imported.opsets, inputs, outputs, functions, imported.place)

    @property
    def name(self) -> str:
        """The operator, with its domain unless that is ONNX's own."""
        domain = domain_name(self.node.domain)
        return f"{domain}.{self.node.op_type}" if domain else self.node.op_type

    @property
    def is_composed(self) -> bool:
        """Whether the model says what it computes: it has subgraphs or is a function of its own."""
        return bool(self.functions) or any(True for _ in subgraphs(self.node))

    @property
    def opset(self) -> int:
        """The version of the operator's domain."""
        return self.opsets.get(domain_name(self.node.domain), 0)

    def form(self) -> bytes:
        """Return the operator and its attributes, without sizes and values."""
        return self.node.SerializeToString(deterministic=True)

    @property
    def has_open_sizes(self) -> bool:
        """Whether a size of an input is not fixed."""
        return any(DYNAMIC in x.shape for x in self.inputs.values())

    def key(self, *more: str) -> str:
        """Return the digest of all that makes this kind, and of ``more``."""
        parts: list[str | bytes] = [*more, self.form()]
        parts.append(repr(sorted(self.opsets.items())))
        for name, x in self.inputs.items():
            parts.append(f"{name} {x.dtype} {x.shape} {x.is_constant} {x.array is None}")
            parts.append(b"" if x.array is None else x.array.tobytes())
        parts.extend(f.SerializeToString(deterministic=True) for f in self.functions)
        return cache_key(*parts)

    def model(self, constants: Mapping[str, Array]) -> onnx.ModelProto:
        """Return a model of the node alone, with the elements of its constants."""
        graph = helper.make_graph(
            [self.node],
            "node",
            [
                helper.make_tensor_value_info(name, _data_type(x.dtype), x.shape)
                for name, x in self.inputs.items()
                if name not in constants
            ],
            [onnx.ValueInfoProto(name=self.node.output[i]) for i in self.outputs],
            [numpy_helper.from_array(array, name) for name, array in constants.items()],
        )
        imports = [helper.make_opsetid(domain, v) for domain, v in self.opsets.items()]
        return helper.make_model(
            graph, opset_imports=imports, functions=self.functions, ir_version=onnx.IR_VERSION
        )


def _is_own(node: NodeProto, functions: Sequence[onnx.FunctionProto]) -> bool:
    called = (domain_name(node.domain), node.op_type)
    return any((domain_name(f.domain), f.name) == called for f in functions)


def _data_type(dtype: np.dtype) -> int:
    return helper.np_dtype_to_tensor_dtype(dtype)
