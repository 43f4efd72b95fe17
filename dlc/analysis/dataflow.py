"""Who computes and who reads each tensor of a block, looking through views."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from xdsl.ir import Block, Operation, OpResult, SSAValue

from dlc.dialects.graph._source import WeightOp
from dlc.dialects.graph._structure import CompositeOp, ComputedOp, GraphOp
from dlc.errors import CompileError


def origin(value: SSAValue) -> SSAValue:
    """Return the value that ``value`` is a view of; itself when it is no view."""
    while isinstance(value.owner, GraphOp) and value.owner.is_view:
        value = value.owner.operands[0]
    return value


def is_free(op: Operation) -> bool:
    """Whether an op needs no kernel: a view, or known at compile time."""
    return isinstance(op, GraphOp) and (op.is_view or op.is_constant)


def is_inlined(value: SSAValue) -> bool:
    """Whether a group that reads ``value`` holds a copy of it: small constants and splats."""
    owner = value.owner
    return isinstance(owner, GraphOp) and owner.is_constant and not isinstance(owner, WeightOp)


class Dataflow:
    """The computing ops of a block, in order, with their producers and readers."""

    def __init__(self, block: Block):
        self.ops: list[ComputedOp] = [
            _computed(op) for op in block.ops if isinstance(op, GraphOp) and not is_free(op)
        ]
        self.position = {op: n for n, op in enumerate(self.ops)}
        self._readers: dict[SSAValue, list[ComputedOp]] = {}
        self._escaping: set[SSAValue] = set()
        for op in block.ops:
            if is_free(op):
                continue
            for value in map(origin, op.operands):
                if op in self.position:
                    self._readers.setdefault(value, []).append(_computed(op))
                else:
                    self._escaping.add(value)

    def producers(self, op: ComputedOp) -> list[ComputedOp]:
        """Return the computing ops whose results ``op`` reads, each once, in operand order."""
        owners = dict.fromkeys(origin(v).owner for v in op.operands)
        return [p for p in owners if isinstance(p, ComputedOp) and p in self.position]

    def readers(self, value: SSAValue) -> Sequence[ComputedOp]:
        """Return the computing ops that read ``value``, with repetitions."""
        return self._readers.get(value, ())

    def consumers(self, op: ComputedOp) -> list[ComputedOp]:
        """Return the computing ops that read some result of ``op``, each once."""
        return list(dict.fromkeys(c for v in op.results for c in self.readers(v)))

    def escapes(self, value: SSAValue) -> bool:
        """Whether something that is not computed reads ``value`` (the end of the function)."""
        return value in self._escaping


def _computed(op: Operation) -> ComputedOp:
    if isinstance(op, CompositeOp):
        raise CompileError(f"{op.name} has no kernel of its own; run graph-decompose first")
    if not isinstance(op, ComputedOp):
        raise CompileError(f"{op.name} has no kernel on any target")
    return op


@dataclass(frozen=True, eq=False)
class Cluster:
    """Ops that are to share a kernel, in program order."""

    flow: Dataflow = field(repr=False)
    ops: tuple[ComputedOp, ...]

    def merged(self, other: "Cluster") -> "Cluster":
        """Return the cluster of the ops of both."""
        ops = sorted({*self.ops, *other.ops}, key=self.flow.position.__getitem__)
        return Cluster(self.flow, tuple(ops))

    @cached_property
    def members(self) -> frozenset[ComputedOp]:
        """The ops as a set."""
        return frozenset(self.ops)

    @property
    def inputs(self) -> tuple[SSAValue, ...]:
        """The tensors read from outside, each once, as the ops read them (views not undone)."""
        operands = dict.fromkeys(v for op in self.ops for v in op.operands)
        return tuple(v for v in operands if not self.inner(v) and not is_inlined(v))

    @cached_property
    def results(self) -> tuple[SSAValue, ...]:
        """The tensors that something outside reads, in program order."""
        return tuple(v for op in self.ops for v in op.results if self._leaves(v))

    def inner(self, value: SSAValue) -> bool:
        """Whether an op of the cluster computes ``value``, or what it is a view of."""
        return origin(value).owner in self.members

    def readers(self, value: SSAValue) -> Iterable[ComputedOp]:
        """Return the ops of the cluster that read ``value``, each once."""
        return dict.fromkeys(c for c in self.flow.readers(value) if c in self.members)

    def _leaves(self, value: OpResult) -> bool:
        readers = self.flow.readers(value)
        return self.flow.escapes(value) or any(c not in self.members for c in readers)

    def after(self, roots: Iterable[ComputedOp]) -> set[ComputedOp]:
        """Return the ops of the cluster that depend on one of ``roots``, without the roots."""
        roots = set(roots)
        reached: set[ComputedOp] = set()
        for op in self.ops:
            producers = self.flow.producers(op)
            if any(p in reached or p in roots for p in producers if p in self.members):
                reached.add(op)
        return reached
