"""Checks that a graph names every value once and before its use."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Set as AbstractSet

import onnx

from dlc.errors import CompileError
from dlc.frontends.onnx.attributes import node_name
from dlc.frontends.onnx.limits import check_count, check_depth


def subgraphs(node: onnx.NodeProto) -> Iterable[onnx.GraphProto]:
    """Return the graphs among the attributes of a node."""
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            yield attribute.g
        yield from attribute.graphs


def check_extent(model: onnx.ModelProto) -> None:
    """Raise LimitError for too many nodes, or subgraphs in subgraphs, before anything walks them.

    It stops counting there, and does not recurse.
    """
    pending = [(0, model.graph.node), *((0, function.node) for function in model.functions)]
    count = 0
    while pending:
        depth, nodes = pending.pop()
        check_depth(depth)
        count += len(nodes)
        check_count(count)
        pending.extend((depth + 1, graph.node) for node in nodes for graph in subgraphs(node))


def check_structure(graph: onnx.GraphProto, outer: AbstractSet[str] = frozenset()) -> None:
    """Raise CompileError for names that are defined twice, or not before their use.

    outer: names visible from the graphs around this one; a graph may define them anew.
    """
    _check_ends([*graph.input, *graph.output])
    inputs = [i.name for i in graph.input]
    initializers = [t.name for t in graph.initializer]
    initializers += [t.values.name for t in graph.sparse_initializer]
    _check_unique(inputs, "input")
    _check_unique(initializers, "initializer")
    defined = {*inputs, *initializers}
    for node in graph.node:
        for name in node.input:
            if name and name not in defined and name not in outer:
                raise CompileError(
                    f"the input {name} is not defined by any node, input or initializer",
                    node_name(node),
                )
        for subgraph in subgraphs(node):
            check_structure(subgraph, defined | outer)
        for name in filter(None, node.output):
            if name in defined:
                raise CompileError(f"the value {name} is defined twice", node_name(node))
            defined.add(name)
    for output in graph.output:
        if output.name not in defined and output.name not in outer:
            raise CompileError(f"the graph output {output.name} is not defined by any node")
    _check_unique([o.name for o in graph.output], "output")


def check_outputs(graph: onnx.GraphProto) -> None:
    """Raise CompileError when a model gives nothing."""
    if not graph.output:
        raise CompileError("the graph has no outputs; add those that are wanted to its outputs")


def check_functions(model: onnx.ModelProto) -> None:
    """Raise CompileError when functions of a model call each other in a circle, LimitError when
    they have too many nodes once they are inlined.
    """
    calls = {(f.domain, f.name): Counter(_calls(f.node)) for f in model.functions}
    sizes: dict[tuple[str, str], int] = {}
    while calls:
        leaves = [name for name, called in calls.items() if not called.keys() & calls.keys()]
        if not leaves:
            names = ", ".join(sorted(".".join(filter(None, name)) for name in calls))
            raise CompileError(f"functions must not call themselves: {names}")
        for name in leaves:
            sizes[name] = _inlined_nodes(calls.pop(name), sizes)
    check_count(_inlined_nodes(Counter(_calls(model.graph.node)), sizes))


def _inlined_nodes(
    called: Mapping[tuple[str, str], int], sizes: Mapping[tuple[str, str], int]
) -> int:
    return sum(count * (1 + sizes.get(name, 0)) for name, count in called.items())


def _calls(nodes: Iterable[onnx.NodeProto]) -> Iterator[tuple[str, str]]:
    for node in nodes:
        yield node.domain, node.op_type
        for graph in subgraphs(node):
            yield from _calls(graph.node)


def _check_ends(values: Iterable[onnx.ValueInfoProto]) -> None:
    """Raise CompileError for a name that C could not hold: there, NUL ends a string."""
    for value in values:
        if "\0" in value.name:
            raise CompileError(f"the name {value.name} has a NUL character; rename it")


def _check_unique(names: list[str], what: str) -> None:
    seen: set[str] = set()
    for name in names:
        if name in seen:
            raise CompileError(f"two {what}s are called {name}")
        seen.add(name)
