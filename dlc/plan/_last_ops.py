"""The ops at the end of a cluster, in an order in which names and places play no part."""

from hashlib import blake2b

from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.dialects.graph.computed import ComputedOp
from dlc.plan._operands import constant, is_weight, way

Vertex = ComputedOp | SSAValue
"""An op of a cluster, or a tensor that it reads."""

_ROUNDS = 3
"""How far a label looks. Ops whose surroundings differ further away only are few in a cluster."""


def last_ops(cluster: Cluster) -> list[ComputedOp]:
    """Return the ops that no other op of the cluster reads.

    Several are ordered by labels: an op's kind first, then again and again the labels of what it
    reads and of what reads it (Weisfeiler and Leman). Program order decides where these are equal.
    """
    read = {producer for op in cluster.ops for producer in cluster.flow.producers(op)}
    last = [op for op in cluster.ops if op not in read]
    if len(last) < 2:
        return last
    return sorted(last, key=_Labels(cluster).run().__getitem__)


class _Labels:
    def __init__(self, cluster: Cluster):
        self._cluster = cluster
        self._sources = {op: [*map(self._source, op.operands)] for op in cluster.ops}
        self._users: dict[Vertex, list[tuple[str, ComputedOp]]] = {}
        for op, sources in self._sources.items():
            for number, (source, how) in enumerate(sources):
                self._users.setdefault(source, []).append((f"{number} {how}", op))

    def run(self) -> dict[Vertex, str]:
        labels = {each: self._first(each) for each in {**self._sources, **self._users}}
        for _ in range(_ROUNDS):
            labels = {each: self._next(each, labels) for each in labels}
        return labels

    def _source(self, value: SSAValue) -> tuple[Vertex, str]:
        """Return what an operand is read from, and the views between."""
        producer = self._cluster.producer(value)
        return (producer, str(way(value, producer))) if producer else (value, "")

    def _first(self, each: Vertex) -> str:
        if isinstance(each, SSAValue):
            return f"{each.type} {is_weight(each)} {constant(each)}"
        leaving = [value in self._cluster.results for value in each.results]
        return f"{self._cluster.flow.form(each)} {leaving}"

    def _next(self, each: Vertex, labels: dict[Vertex, str]) -> str:
        sources = self._sources.get(each, ()) if not isinstance(each, SSAValue) else ()
        read = [f"{labels[source]} {how}" for source, how in sources]
        users = sorted(f"{labels[op]} {how}" for how, op in self._users.get(each, ()))
        return _digest("\n".join((labels[each], *read, "read by", *users)))


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()
