"""When two clusters are the same: one text for all that differ only in names, in where they stand
and in who computes what they read.

The text is the same in every process, so databases and lock files may keep its digest.
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from typing import NamedTuple

from dlc.analysis.dataflow import Cluster
from dlc.analysis.last_ops import last_ops
from dlc.analysis.operand import Operand
from dlc.dialects.graph.computed import ComputedOp

Reference = tuple[str | int, ...]
"""Where an operand comes from: ``(node, result, views...)``, ``("input", number)``, ``("weight",
number)`` or ``("constant", form)``.
"""


class Node(NamedTuple):
    """An op of a cluster.

    form: what it is, without its operands. operands: where these come from. leaves: the numbers of
    the results that something outside reads.
    """

    form: str
    operands: tuple[Reference, ...]
    leaves: tuple[int, ...]


@dataclass(frozen=True)
class Structure:
    """The ops of a cluster, each after those that it reads."""

    nodes: tuple[Node, ...]

    @property
    def text(self) -> str:
        """One line for each op."""
        return "\n".join(f"{n.form} of {n.operands} leaves {n.leaves}" for n in self.nodes)

    @cached_property
    def key(self) -> str:
        """The digest of the text: 32 hexadecimal digits."""
        return sha256(self.text.encode()).hexdigest()[:32]


def structure(cluster: Cluster) -> Structure:
    """Return the structure of a cluster.

    Ops are in the order of a walk from the last ones, those that no other op of the cluster reads,
    through their operands, so that program order plays no part. Different clusters never have one
    structure; equal ones have two only where ``last_ops`` cannot tell two last ones apart that
    differ.
    """
    return Structure(tuple(_walk(cluster).nodes))


def walked(cluster: Cluster) -> tuple[ComputedOp, ...]:
    """Return the ops of a cluster in the order of its structure: ops at one place of it are the
    same in clusters of equal structure.
    """
    return tuple(cluster.flow.ops[place] for place in _walk(cluster).numbers)


def _walk(cluster: Cluster) -> "_Walk":
    walk = _Walk(cluster)
    for place in last_ops(cluster):
        walk.visit(place)
    return walk


class _Walk:
    def __init__(self, cluster: Cluster):
        self.nodes: list[Node] = []
        self.numbers: dict[int, int] = {}
        self._flow = cluster.flow
        self._leaving = dict(zip(cluster.places, cluster.leaving, strict=True))
        self._inputs: dict[Operand, int] = {}

    def visit(self, place: int) -> None:
        """Add an op after what it reads."""
        operands = tuple(map(self._reference, self._flow.operands(place)))
        self.numbers[place] = len(self.nodes)
        self.nodes.append(Node(self._flow.form(place), operands, self._leaving[place]))

    def _reference(self, operand: Operand) -> Reference:
        producer = operand.producer
        if producer in self._leaving:
            if producer not in self.numbers:
                self.visit(producer)
            return (self.numbers[producer], *operand.way)
        if operand.constant is not None:
            return ("constant", operand.constant)
        number = self._inputs.setdefault(operand, len(self._inputs))
        return ("weight" if operand.is_weight else "input", number)
