"""Mutations of ONNX models that know what a model is made of, and of its bytes."""

import random
from collections.abc import Callable, Iterator, MutableSequence, Sequence
from typing import Any, TypeVar

import numpy as np
import onnx
from onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    helper,
    numpy_helper,
)

Random = random.Random
T = TypeVar("T")
Mutation = Callable[[ModelProto, Random], None]

LARGE = (2**31 - 1, 2**31, -(2**31), 2**62, 2**63 - 1, -(2**63))
WHOLE = (0, 1, -1, 2, 3, -2, 7, 64, 255, 4096, *LARGE)
REAL = (0.0, -0.0, 1.0, -1.0, 0.5, 1e-45, 1e38, -1e38, float("inf"), float("-inf"), float("nan"))
HOSTILE = ("../../etc", "\x1b[31mred", "%s%n", '"; int z', "a\nb", "x" * 5000, "*/", "\\", "\0")
TEXT = ("", "y", "x", "SAME_UPPER", "NOTSET", "linear", "a b", "ü" * 40, *HOSTILE)
CHAINED = """
Relu Neg Shape Size Transpose Identity Flatten Softmax NonZero Not Cast Exp ReduceSum Squeeze
ConstantOfShape
""".split()  # noqa: SIM905  (a table is easier to read)
BYTES = (b"", b"\xff\xfe", b"\0", b"reflect", b"SAME_LOWER", b"bidirectional")


def graphs(model: ModelProto) -> Iterator[GraphProto]:
    """Yield the graph of a model and those inside of its nodes."""
    waiting = [model.graph]
    while waiting:
        graph = waiting.pop()
        yield graph
        waiting.extend(a.g for n in graph.node for a in n.attribute if a.HasField("g"))


def _graph(model: ModelProto, r: Random) -> GraphProto:
    return r.choice(list(graphs(model)))


def _pick(items: Sequence[T], r: Random) -> T | None:
    return items[r.randrange(len(items))] if len(items) else None


def _node(model: ModelProto, r: Random) -> NodeProto | None:
    return _pick(_graph(model, r).node, r)


def _attribute(model: ModelProto, r: Random) -> AttributeProto | None:
    node = _node(model, r)
    return _pick(node.attribute, r) if node else None


def drop_node(model: ModelProto, r: Random) -> None:
    nodes = _graph(model, r).node
    if nodes:
        del nodes[r.randrange(len(nodes))]


def duplicate_node(model: ModelProto, r: Random) -> None:
    nodes = _graph(model, r).node
    if nodes:
        copy = NodeProto()
        copy.CopyFrom(r.choice(nodes))
        if r.random() < 0.5:
            copy.output[:] = [f"{name}_again" for name in copy.output]
        nodes.insert(r.randrange(len(nodes) + 1), copy)


def reorder_nodes(model: ModelProto, r: Random) -> None:
    graph = _graph(model, r)
    nodes = list(graph.node)
    r.shuffle(nodes)
    del graph.node[:]
    graph.node.extend(nodes)


def reconnect(model: ModelProto, r: Random) -> None:
    graph = _graph(model, r)
    node = _pick(graph.node, r)
    names = [x.name for x in (*graph.input, *graph.initializer)]
    names += [name for other in graph.node for name in other.output]
    if node and names and node.input:
        node.input[r.randrange(len(node.input))] = r.choice([*names, "", "nowhere"])


def change_operand_count(model: ModelProto, r: Random) -> None:
    node = _node(model, r)
    if node is None:
        return
    names: MutableSequence[str] = r.choice([node.input, node.output])
    if names and r.random() < 0.6:
        del names[r.randrange(len(names))]
    else:
        names.append(names[0] if names and r.random() < 0.5 else "more")


def change_operator(model: ModelProto, r: Random) -> None:
    node = _node(model, r)
    if node is not None:
        known = sorted({s.name for s in onnx.defs.get_all_schemas() if s.domain == ""})
        node.op_type = r.choice([*known, "NoSuchThing", ""])
        if r.random() < 0.1:
            node.domain = r.choice(["com.microsoft", "ai.onnx.ml", "ai.onnx", "local"])


def change_number(model: ModelProto, r: Random) -> None:
    attribute = _attribute(model, r)
    if attribute is None:
        return
    attribute.i, attribute.f = r.choice(WHOLE), r.choice(REAL)
    lists: Any = ((attribute.ints, WHOLE), (attribute.floats, REAL))
    for values, choices in lists:
        if len(values):
            values[r.randrange(len(values))] = r.choice(choices)


def change_length(model: ModelProto, r: Random) -> None:
    attribute = _attribute(model, r)
    if attribute is None:
        return
    lists: Any = (attribute.ints, attribute.floats, attribute.strings)
    for values in lists:
        if len(values) and r.random() < 0.5:
            del values[-1]
        elif len(values):
            values.append(values[0])


def change_text(model: ModelProto, r: Random) -> None:
    attribute = _attribute(model, r)
    if attribute is not None:
        attribute.s = r.choice([*BYTES, *(t.encode() for t in TEXT)])


def change_attribute_kind(model: ModelProto, r: Random) -> None:
    attribute = _attribute(model, r)
    if attribute is not None:
        kinds = (AttributeProto.INT, AttributeProto.FLOATS, AttributeProto.STRING)
        attribute.type = r.choice((*kinds, AttributeProto.TENSOR, AttributeProto.GRAPH))


def drop_attribute(model: ModelProto, r: Random) -> None:
    node = _node(model, r)
    if node is not None and node.attribute:
        del node.attribute[r.randrange(len(node.attribute))]


def add_attribute(model: ModelProto, r: Random) -> None:
    node = _node(model, r)
    other = _attribute(model, r)
    if node is None:
        return
    if other is not None and r.random() < 0.5:
        node.attribute.append(other)
    else:
        name = r.choice(
            ["axis", "axes", "keepdims", "to", "group", "perm", "mode", "value", "body"]
        )
        values: list[Any] = [r.choice(WHOLE), r.choice(REAL), [r.choice(WHOLE)] * 2, "text"]
        node.attribute.append(helper.make_attribute(name, r.choice(values)))


def change_shape(model: ModelProto, r: Random) -> None:
    graph = _graph(model, r)
    value = _pick(r.choice([graph.input, graph.input, graph.output]), r)
    if value is None:
        return
    dims = value.type.tensor_type.shape.dim
    change = r.randrange(4)
    if change == 0 and dims:
        del dims[-1]
    elif change == 1:
        dims.add().dim_value = r.choice(WHOLE)
    elif dims and change == 2:
        dims[r.randrange(len(dims))].dim_param = r.choice(TEXT)
    elif dims:
        dims[r.randrange(len(dims))].dim_value = r.choice(WHOLE)


def change_type(model: ModelProto, r: Random) -> None:
    graph = _graph(model, r)
    kinds = list(TensorProto.DataType.values())
    value = _pick(graph.input, r)
    tensor = _pick(graph.initializer, r)
    if value is not None and (tensor is None or r.random() < 0.5):
        value.type.tensor_type.elem_type = r.choice(kinds)
        if r.random() < 0.1:
            value.ClearField("type")
    elif tensor is not None:
        tensor.data_type = r.choice(kinds)


def _tensor(model: ModelProto, r: Random) -> TensorProto | None:
    found = [t for graph in graphs(model) for t in graph.initializer]
    found += [a.t for g in graphs(model) for n in g.node for a in n.attribute if a.HasField("t")]
    return _pick(found, r)


def change_tensor_sizes(model: ModelProto, r: Random) -> None:
    tensor = _tensor(model, r)
    if tensor is None:
        return
    if tensor.dims and r.random() < 0.7:
        tensor.dims[r.randrange(len(tensor.dims))] = r.choice(WHOLE)
    else:
        tensor.dims.extend([r.choice(WHOLE)] * r.choice([1, 1, 2, 100]))


def change_tensor_values(model: ModelProto, r: Random) -> None:
    """Change data, but keep its length: sizes, axes and places that a model computes with."""
    tensor = _tensor(model, r)
    if tensor is None:
        return
    if tensor.data_type == TensorProto.INT64 and tensor.raw_data:
        words = len(tensor.raw_data) // 8
        at = 8 * r.randrange(max(words, 1))
        value = r.choice(WHOLE).to_bytes(8, "little", signed=True)
        tensor.raw_data = tensor.raw_data[:at] + value + tensor.raw_data[at + 8 :]
    elif tensor.raw_data:
        data = bytearray(tensor.raw_data)
        at = r.randrange(len(data))
        data[at : at + 4] = r.randbytes(len(data[at : at + 4]))
        tensor.raw_data = bytes(data)
    elif tensor.int64_data:
        tensor.int64_data[r.randrange(len(tensor.int64_data))] = r.choice(WHOLE)


def cut_tensor(model: ModelProto, r: Random) -> None:
    tensor = _tensor(model, r)
    if tensor is None:
        return
    if r.random() < 0.7:
        tensor.raw_data = tensor.raw_data[: r.randrange(len(tensor.raw_data) + 1)]
    else:
        tensor.data_location = TensorProto.EXTERNAL
        entry = tensor.external_data.add()
        entry.key, entry.value = r.choice(["location", "offset", "length"]), r.choice(TEXT)


def feed_tensor(model: ModelProto, r: Random) -> None:
    """Make an initializer an input: what was known now is not."""
    graph = model.graph
    if graph.initializer:
        tensor = graph.initializer[r.randrange(len(graph.initializer))]
        sizes = list(tensor.dims)
        graph.input.append(helper.make_tensor_value_info(tensor.name, tensor.data_type, sizes))
        if r.random() < 0.7:
            graph.initializer.remove(tensor)


def change_name(model: ModelProto, r: Random) -> None:
    """Rename a value, a node or a size everywhere or in one place only."""
    graph = _graph(model, r)
    new = r.choice(TEXT)
    old = r.choice([*(x.name for x in (*graph.input, *graph.output, *graph.initializer)), "x"])
    everywhere = r.random() < 0.7
    for item in (*graph.input, *graph.output, *graph.initializer):
        if item.name == old and (everywhere or r.random() < 0.5):
            item.name = new
    for node in graph.node:
        if r.random() < 0.2:
            node.name = new
        if everywhere:
            node.input[:] = [new if name == old else name for name in node.input]
            node.output[:] = [new if name == old else name for name in node.output]


def change_ends(model: ModelProto, r: Random) -> None:
    graph = _graph(model, r)
    ends: MutableSequence[onnx.ValueInfoProto] = r.choice([graph.input, graph.output])
    values = [name for node in graph.node for name in node.output]
    change = r.randrange(3)
    if ends and change == 0:
        del ends[r.randrange(len(ends))]
    elif ends and change == 1:
        ends.append(r.choice(ends))
    elif values:
        ends.append(onnx.ValueInfoProto(name=r.choice(values)))


def change_versions(model: ModelProto, r: Random) -> None:
    change = r.randrange(4)
    if change == 0:
        model.ir_version = r.choice([*WHOLE, 3, 8, 13])
    elif change == 1 and model.opset_import:
        del model.opset_import[0]
    elif change == 2:
        model.opset_import.append(helper.make_opsetid(r.choice(TEXT[:6]), r.choice(WHOLE)))
    elif model.opset_import:
        model.opset_import[0].version = r.choice([*range(1, 27), *WHOLE])


def nest(model: ModelProto, r: Random) -> None:
    """Move the nodes of the model into a branch of an ``If``, several times over at times."""
    graph = model.graph
    condition = TensorProto(name="always", data_type=TensorProto.BOOL, raw_data=b"\1")
    for _ in range(r.choice([1, 1, 2, 30])):
        inner = GraphProto(name="branch", node=graph.node, output=graph.output)
        other = GraphProto(name="other", output=graph.output)  # a copy would double each time
        names = [x.name for x in graph.output]
        node = helper.make_node("If", ["always"], names, then_branch=inner, else_branch=other)
        del graph.node[:]
        graph.node.append(node)
    graph.initializer.append(condition)


def call_function(model: ModelProto, r: Random) -> None:
    """Move a node into a function of the model; at times it calls itself, or doubles often."""
    node = _node(model, r)
    if node is None:
        return
    inner = NodeProto()
    inner.CopyFrom(node)
    inputs = [name for name in dict.fromkeys(inner.input) if name]
    imports = [*model.opset_import, helper.make_opsetid("local", 1)]
    outputs = list(dict.fromkeys(inner.output))
    body = [inner]
    if r.random() < 0.3:
        body.append(helper.make_node("f", inputs, [f"{o}_2" for o in outputs], domain="local"))
    f = helper.make_function("local", "f", inputs, outputs, body, imports)
    model.functions.append(f)
    model.opset_import.append(helper.make_opsetid("local", 1))
    node.op_type, node.domain = "f", "local"
    del node.input[:], node.attribute[:]
    node.input.extend(inputs)


def chain(model: ModelProto, r: Random) -> None:
    """Put another operator before an operand."""
    graph = _graph(model, r)
    place = r.randrange(len(graph.node)) if graph.node else None
    if place is None or not graph.node[place].input:
        return
    node = graph.node[place]
    which = r.randrange(len(node.input))
    kind = r.choice(CHAINED)
    new = f"c{r.randrange(10**6)}"
    added = helper.make_node(kind, [node.input[which]], [new])
    if kind == "Cast":
        added.attribute.append(helper.make_attribute("to", r.randrange(1, 17)))
    graph.node.insert(place, added)
    graph.node[place + 1].input[which] = new


MUTATIONS: tuple[Mutation, ...] = (
    drop_node, duplicate_node, reorder_nodes, reconnect, change_operand_count, change_operator,
    change_number, change_length, change_text, change_attribute_kind, drop_attribute, add_attribute,
    change_shape, change_type, change_tensor_sizes, change_tensor_values, cut_tensor, feed_tensor,
    change_name, change_ends, change_versions, nest, call_function, chain,
)  # fmt: skip
TAME: tuple[Mutation, ...] = (
    reorder_nodes, change_number, drop_attribute, change_shape, chain, reconnect,
    change_tensor_values, feed_tensor,
)  # fmt: skip
"""Those after which a model often still means something."""


def mutate(model: ModelProto, r: Random) -> bytes:
    """Return the bytes of a changed copy of a model."""
    copy = ModelProto()
    copy.CopyFrom(model)
    for _ in range(r.choice([1, 1, 1, 2, 3])):
        r.choice(r.choice([MUTATIONS, TAME]))(copy, r)
    data = copy.SerializeToString()
    return _damaged(data, r) if r.random() < 0.1 else data


def _damaged(data: bytes, r: Random) -> bytes:
    damaged = bytearray(data)
    for _ in range(r.choice([1, 2, 8])):
        at = r.randrange(len(damaged) + 1)
        change = r.randrange(3)
        if change == 0:
            damaged[at : at + 1] = r.randbytes(1)
        elif change == 1:
            del damaged[at : at + r.randrange(1, 40)]
        else:
            damaged[at:at] = damaged[: r.randrange(1, 20)]
    return bytes(damaged)


FLOATS = (TensorProto.FLOAT16, TensorProto.BFLOAT16, TensorProto.DOUBLE)


def retype(model: ModelProto, r: Random) -> ModelProto:
    """Return a copy in which every tensor of 32-bit floats has another type of floats."""
    kind = r.choice(FLOATS)
    copy = ModelProto()
    copy.CopyFrom(model)
    for graph in graphs(copy):
        for value in (*graph.input, *graph.output, *graph.value_info):
            tensor_type = value.type.tensor_type
            if tensor_type.elem_type == TensorProto.FLOAT:
                tensor_type.elem_type = kind
        attributes = [a for node in graph.node for a in node.attribute]
        tensors = [*graph.initializer, *(a.t for a in attributes if a.HasField("t"))]
        for tensor in tensors:
            if tensor.data_type == TensorProto.FLOAT:
                tensor.CopyFrom(_as(tensor, kind))
        for attribute in attributes:
            if attribute.name in ("to", "dtype") and attribute.i == TensorProto.FLOAT:
                attribute.i = kind
    return copy


def _as(tensor: TensorProto, kind: int) -> TensorProto:
    with np.errstate(over="ignore"):  # a mask of -1e9 becomes infinite
        array = numpy_helper.to_array(tensor).astype(helper.tensor_dtype_to_np_dtype(kind))
    return numpy_helper.from_array(array, tensor.name)
