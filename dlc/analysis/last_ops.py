"""The ops at the end of a cluster, in an order in which names and places play no part."""

from hashlib import blake2b

from dlc.analysis.dataflow import Cluster
from dlc.analysis.operand import Operand

Vertex = int | Operand
"""The place of an op of a cluster, or a tensor that it reads."""

_ROUNDS = 3
"""How far a label looks. Ops whose surroundings differ further away only are few in a cluster."""


def last_ops(cluster: Cluster) -> list[int]:
    """Return the places of the ops that no other op of the cluster reads.

    Several are ordered by labels: an op's kind first, then again and again the labels of what it
    reads and of what reads it (Weisfeiler and Leman). Program order decides where these are equal.
    """
    read = {each.producer for place in cluster.places for each in cluster.flow.operands(place)}
    last = [place for place in cluster.places if place not in read]
    if len(last) < 2:
        return last
    return sorted(last, key=_Labels(cluster).run().__getitem__)


class _Labels:
    def __init__(self, cluster: Cluster):
        self._flow = cluster.flow
        self._leaving = dict(zip(cluster.places, cluster.leaving, strict=True))
        self._sources = {place: self._read(place) for place in cluster.places}
        self._users: dict[Vertex, list[tuple[str, int]]] = {}
        for place, sources in self._sources.items():
            for number, (source, how) in enumerate(sources):
                self._users.setdefault(source, []).append((f"{number} {how}", place))

    def run(self) -> dict[Vertex, str]:
        labels = {each: self._first(each) for each in {**self._sources, **self._users}}
        for _ in range(_ROUNDS):
            labels = {each: self._next(each, labels) for each in labels}
        return labels

    def _read(self, place: int) -> list[tuple[Vertex, str]]:
        """Return what an op's operands are read from, and the views between."""
        return [
            (each.producer, str(each.way)) if each.producer in self._leaving else (each, "")
            for each in self._flow.operands(place)
        ]

    def _first(self, each: Vertex) -> str:
        if isinstance(each, Operand):
            return f"{each.value.type} {each.is_weight} {each.constant}"
        results = range(len(self._flow.outlets(each)))
        leaving = [number in self._leaving[each] for number in results]
        return f"{self._flow.form(each)} {leaving}"

    def _next(self, each: Vertex, labels: dict[Vertex, str]) -> str:
        sources = self._sources.get(each, ()) if isinstance(each, int) else ()
        read = [f"{labels[source]} {how}" for source, how in sources]
        users = sorted(f"{labels[place]} {how}" for how, place in self._users.get(each, ()))
        return _digest("\n".join((labels[each], *read, "read by", *users)))


def _digest(text: str) -> str:
    return blake2b(text.encode(), digest_size=16).hexdigest()
