"""Puts nodes in an order in which every value is made before it is used.

The standard asks for that order; models without it exist, and other runtimes take them.
"""

from collections.abc import Iterator, MutableSequence, Sequence

import onnx
from onnx import GraphProto, NodeProto

from dlc.errors import CompileError
from dlc.frontends.onnx.attributes import node_name
from dlc.frontends.onnx.structure import subgraphs


def used_early(model: onnx.ModelProto) -> str:
    """Return the first value that a node uses before another one makes it, ``""`` without one."""
    return next((name for nodes in _lists(model) for name in _used_early(nodes)), "")


def sort_nodes(model: onnx.ModelProto) -> None:
    """Sort the nodes of a model in place: of its graph, the subgraphs and the functions.

    A node stays where it is unless one before it needs its outputs. Raises CompileError, with the
    names of the nodes, for a cycle.
    """
    for nodes in _lists(model):
        if any(True for _ in _used_early(nodes)):
            order = _order(nodes)
            moved = [NodeProto.FromString(nodes[i].SerializeToString()) for i in order]
            del nodes[:]
            nodes.extend(moved)


def _lists(model: onnx.ModelProto) -> Iterator[MutableSequence[NodeProto]]:
    """Yield the lists of nodes of a model, those of subgraphs first."""
    for nodes in (*(function.node for function in model.functions), model.graph.node):
        yield from _inner_lists(nodes)
        yield nodes


def _inner_lists(nodes: Sequence[NodeProto]) -> Iterator[MutableSequence[NodeProto]]:
    for node in nodes:
        for graph in subgraphs(node):
            yield from _inner_lists(graph.node)
            yield graph.node


def _makers(nodes: Sequence[NodeProto]) -> dict[str, int]:
    return {name: i for i, node in enumerate(nodes) for name in node.output if name}


def _used_early(nodes: Sequence[NodeProto]) -> Iterator[str]:
    makers = _makers(nodes)
    for number, node in enumerate(nodes):
        yield from (name for name in _used_names(node) if makers.get(name, -1) >= number)


def _used_names(node: NodeProto) -> Iterator[str]:
    yield from node.input
    for graph in subgraphs(node):
        yield from _free_names(graph)


def _free_names(graph: GraphProto) -> Iterator[str]:
    """Yield the names that a subgraph takes from the graphs around it."""
    own = {value.name for value in (*graph.input, *graph.initializer)}
    own.update(sparse.values.name for sparse in graph.sparse_initializer)
    own.update(name for node in graph.node for name in node.output)
    used = (name for node in graph.node for name in _used_names(node))
    yield from (name for name in used if name not in own)
    yield from (output.name for output in graph.output if output.name not in own)


def _order(nodes: Sequence[NodeProto]) -> list[int]:
    """Return the numbers of the nodes in order, each right after what it needs."""
    makers = _makers(nodes)
    needs = [[makers[name] for name in _used_names(n) if name in makers] for n in nodes]
    order: list[int] = []
    done: set[int] = set()
    for root in range(len(needs)):
        path = {root: iter(needs[root])} if root not in done else {}
        while path:
            here = next(reversed(path))
            waits_for = next((n for n in path[here] if n not in done), None)
            if waits_for is None:
                del path[here]
                done.add(here)
                order.append(here)
            elif waits_for in path:
                raise CompileError(_cycle_message(list(path), waits_for, nodes))
            else:
                path[waits_for] = iter(needs[waits_for])
    return order


def _cycle_message(path: list[int], start: int, nodes: Sequence[NodeProto]) -> str:
    cycle = [*path[path.index(start) :], start]
    names = [node_name(nodes[i]) for i in reversed(cycle)]
    if len(names) > _NAMED_NODES:
        names = [*names[: _NAMED_NODES - 1], "...", names[-1]]
    return f"the graph has a cycle: {' -> '.join(names)}"


_NAMED_NODES = 8
"""A message names no more nodes of a cycle."""
