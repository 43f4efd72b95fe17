"""Lists that a loop fills, as what the loop gives of each iteration.

A scripted loop of PyTorch appends a tensor to a list in each iteration and stacks the list behind
the loop. ONNX has an output of a Loop for that: the tensors of all iterations along a new first
axis. So a sequence that begins empty, and to whose end each iteration inserts one tensor, becomes
such an output, and what reads the sequence reads that.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from onnx import GraphProto, ModelProto, NodeProto, TensorProto, ValueInfoProto, helper

from dlc.frontends.onnx.structure import subgraphs

_BEFORE_STATES = 2
"""Inputs of a Loop and of its body: how often it runs, and whether it goes on."""

_END = (1 << 31) - 1
"""Where a slice ends that takes all that is left."""


def fills_sequences(model: ModelProto) -> bool:
    """Whether a loop of a model fills a sequence that ``stack_sequences`` can do without."""
    return next(_filled(model.graph), None) is not None


def stack_sequences(model: ModelProto) -> None:
    """Replace the sequences that loops fill, in place."""
    while (found := next(_filled(model.graph), None)) is not None:
        _replace(found)


@dataclass(frozen=True)
class _Filled:
    """A sequence. number: which state of the loop it is. insert: the node of the body that adds to
    it. readers: the nodes behind the loop that read it, each with those that take its place.
    """

    graph: GraphProto
    loop: NodeProto
    number: int
    insert: NodeProto
    readers: Sequence[tuple[NodeProto, Sequence[NodeProto]]]


def _filled(graph: GraphProto) -> Iterator[_Filled]:
    """Yield the sequences of the loops of a graph, and of the graphs inside."""
    empty = {name for n in graph.node if n.op_type == "SequenceEmpty" for name in n.output}
    for node in graph.node:
        for inner in subgraphs(node):
            yield from _filled(inner)
        if node.op_type == "Loop" and not node.domain:
            for number, name in enumerate(node.input[_BEFORE_STATES:]):
                if name in empty and (found := _filled_state(graph, node, number)):
                    yield found


def _filled_state(graph: GraphProto, loop: NodeProto, number: int) -> _Filled | None:
    body, *others = [*subgraphs(loop), GraphProto()]
    few = len(body.input) <= _BEFORE_STATES + number or len(body.output) <= 1 + number
    if few or len(loop.output) <= number or len(others) != 1:
        return None  # the import says what is wrong with the loop
    state, result = body.input[_BEFORE_STATES + number].name, body.output[1 + number].name
    inserts = [n for n in body.node if result in n.output and n.op_type == "SequenceInsert"]
    reads = _reads(body)
    once = reads[state] == 1 and reads[result] == 1  # the second one is the body's own output
    if not once or len(inserts) != 1 or len([x for x in inserts[0].input if x]) != 2:
        return None
    insert, whole = inserts[0], loop.output[number]
    readers = [n for n in graph.node if whole in n.input]
    found = [(n, _READERS.get(n.op_type, _unknown)(graph, n)) for n in readers]
    if insert.input[0] != state or _reads(graph)[whole] != len(readers):
        return None
    known = [(reader, made) for reader, made in found if made is not None]
    return _Filled(graph, loop, number, insert, known) if len(known) == len(found) else None


def _reads(graph: GraphProto) -> Counter[str]:
    """Return how often the names of a graph are read, as its outputs and in graphs inside, too."""
    names = Counter(output.name for output in graph.output)
    for node in graph.node:
        names.update(node.input)
        for inner in subgraphs(node):
            names.update(_reads(inner))
    return names


def _replace(found: _Filled) -> None:
    graph, loop, insert = found.graph, found.loop, found.insert
    (body,) = subgraphs(loop)
    empty, whole = loop.input[_BEFORE_STATES + found.number], loop.output[found.number]
    value = insert.input[1]
    insert.op_type = "Identity"
    insert.input[:] = [value]
    del loop.input[_BEFORE_STATES + found.number]
    del body.input[_BEFORE_STATES + found.number]
    del body.output[1 + found.number]
    body.output.append(ValueInfoProto(name=insert.output[0]))
    del loop.output[found.number]
    loop.output.append(whole)
    nodes: list[NodeProto] = []
    instead = {id(reader): made for reader, made in found.readers}
    unread = _reads(graph)[empty] == 0
    for node in graph.node:
        if not (unread and empty in node.output):
            nodes += instead.get(id(node), [node])
    kept = [NodeProto.FromString(node.SerializeToString()) for node in nodes]
    del graph.node[:]
    graph.node.extend(kept)


def _stacked(graph: GraphProto, node: NodeProto) -> Sequence[NodeProto] | None:
    """Return what joins the tensors of all iterations as ConcatFromSequence does."""
    attributes = {a.name: a.i for a in node.attribute}
    axis, is_new = attributes.get("axis"), bool(attributes.get("new_axis", 0))
    if axis is None or len(node.input) != 1 or len(node.output) != 1:
        return None
    rank = _rank(graph, node.output[0])
    if axis != 0 and (rank is None or not -rank <= axis < rank):
        return None
    axis = axis + rank if axis < 0 and rank is not None else axis
    name, (source,), (result,) = node.name, node.input, node.output
    order = [*range(1, axis + 1), 0, *range(axis + 1, (rank or 0) + (not is_new))]
    turned = source if axis == 0 else f"{result}/turned"
    made = (
        [] if axis == 0 else [helper.make_node("Transpose", [source], [turned], name, perm=order)]
    )
    if is_new:
        return [*made, helper.make_node("Identity", [turned], [result], name)]
    return [*made, *_joined(name, turned, result, axis)]


def _joined(name: str, source: str, result: str, axis: int) -> Sequence[NodeProto]:
    """Return what makes one axis of ``axis`` and the next one."""

    def constant(part: str, numbers: Sequence[int]) -> NodeProto:
        value = helper.make_tensor("", TensorProto.INT64, [len(numbers)], numbers)
        return helper.make_node("Constant", [], [f"{result}/{part}"], name, value=value)

    parts = ("all", "first", "axis", "one", "next", "end", "before", "behind", "sizes")
    whole, first, at, one, next, end, before, behind, sizes = (f"{result}/{x}" for x in parts)
    return [
        helper.make_node("Shape", [source], [whole], name),
        constant("first", [0]),
        constant("axis", [axis]),
        constant("one", [-1]),
        constant("next", [axis + 2]),
        constant("end", [_END]),
        helper.make_node("Slice", [whole, first, at], [before], name),
        helper.make_node("Slice", [whole, next, end], [behind], name),
        helper.make_node("Concat", [before, one, behind], [sizes], name, axis=0),
        helper.make_node("Reshape", [source, sizes], [result], name),
    ]


def _taken(graph: GraphProto, node: NodeProto) -> Sequence[NodeProto] | None:
    """Return what takes the tensor of one iteration as SequenceAt does. Its position is one number,
    which some write with an axis.
    """
    if len(node.input) != 2 or len(node.output) != 1:
        return None
    (source, position), (result,) = node.input, node.output
    place = f"{result}/place"
    return [
        helper.make_node("Squeeze", [position], [place], node.name),
        helper.make_node("Gather", [source, place], [result], node.name, axis=0),
    ]


def _unknown(graph: GraphProto, node: NodeProto) -> None:
    """Say that a reader of another kind needs the sequence."""


_Reader = Callable[[GraphProto, NodeProto], Sequence[NodeProto] | None]
_READERS: Mapping[str, _Reader] = {"ConcatFromSequence": _stacked, "SequenceAt": _taken}


def _rank(graph: GraphProto, name: str) -> int | None:
    """Return the rank that a model states of a value."""
    for info in (*graph.value_info, *graph.output):
        if info.name == name and info.type.tensor_type.HasField("shape"):
            return len(info.type.tensor_type.shape.dim)
    return None
