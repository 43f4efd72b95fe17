"""Which layer an op belongs to: the ONNX node that it came from."""

from collections.abc import Callable, Iterator

from xdsl.ir import Block, Operation

from dlc.analysis.dataflow import origin
from dlc.core.locations import node_names
from dlc.dialects.graph.structure import GraphOp


def layers_of(block: Block, is_layer: Callable[[str], bool] | None = None) -> dict[Operation, str]:
    """Return the layer of each op of a block that computes something, in order.

    is_layer: whether a name is one's; by default each is. An op of no node (a conversion of an
    input or an output) belongs to the layer that reads it first, else to the one that it reads.
    """
    found: dict[Operation, str | None] = {}
    for op in block.ops:
        if isinstance(op, GraphOp) and not op.is_constant:
            names = node_names(op.location)
            found[op] = next((n for n in names if is_layer is None or is_layer(n)), None)
    for op in reversed(found):
        found[op] = found[op] or _first(found, _readers(op))
    for op in found:
        found[op] = found[op] or _first(found, _producers(op))
    return {op: name or op.name for op, name in found.items()}


def _first(found: dict[Operation, str | None], others: Iterator[Operation]) -> str | None:
    return next((name for op in others if (name := found.get(op))), None)


def _readers(op: Operation) -> Iterator[Operation]:
    """Yield the ops that read a result, or a view of it, then these views."""
    readers = [use.operation for result in op.results for use in result.uses]
    views = [each for each in readers if isinstance(each, GraphOp) and each.is_view]
    for view in views:
        yield from _readers(view)
    yield from (each for each in readers if each not in views)
    yield from views


def _producers(op: Operation) -> Iterator[Operation]:
    """Yield the ops that compute what is read, looking through views, then these views."""
    yield from (x.owner for v in op.operands if isinstance((x := origin(v)).owner, Operation))
    yield from (v.owner for v in op.operands if isinstance(v.owner, Operation))
