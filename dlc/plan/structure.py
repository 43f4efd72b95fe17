"""When two clusters are the same: one text for all that differ only in names, in where they stand
and in who computes what they read.

The text is the same in every process, so databases and lock files may keep its digest.
"""

from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster
from dlc.dialects.graph.computed import ComputedOp
from dlc.plan._last_ops import last_ops
from dlc.plan._operands import constant, is_weight, way

Reference = tuple[str | int, ...]
"""Where an operand comes from: ``(node, result, views...)``, ``("input", number)``, ``("weight",
number)`` or ``("constant", form)``.
"""


@dataclass(frozen=True)
class Node:
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
    walk = _Walk(cluster)
    for op in last_ops(cluster):
        walk.visit(op)
    return Structure(tuple(walk.nodes))


class _Walk:
    def __init__(self, cluster: Cluster):
        self.nodes: list[Node] = []
        self._cluster = cluster
        self._results = set(cluster.results)
        self._numbers: dict[ComputedOp, int] = {}
        self._inputs: dict[SSAValue, int] = {}

    def visit(self, op: ComputedOp) -> None:
        """Add an op after what it reads."""
        operands = tuple(map(self._reference, op.operands))
        leaves = tuple(n for n, v in enumerate(op.results) if v in self._results)
        self._numbers[op] = len(self.nodes)
        self.nodes.append(Node(self._cluster.flow.form(op), operands, leaves))

    def _reference(self, value: SSAValue) -> Reference:
        producer = self._cluster.producer(value)
        if producer is not None:
            if producer not in self._numbers:
                self.visit(producer)
            return (self._numbers[producer], *way(value, producer))
        if (text := constant(value)) is not None:
            return ("constant", text)
        number = self._inputs.setdefault(value, len(self._inputs))
        return ("weight" if is_weight(value) else "input", number)
