"""A layer: what one ONNX node computes, as far as it is computed when the model runs."""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from hashlib import sha256

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Operation, SSAValue

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.entry import find_main
from dlc.analysis.evaluation import KnownValues
from dlc.analyze.naming import layers_of
from dlc.analyze.work import Work, work_of
from dlc.core.locations import node_names
from dlc.dialects.graph.computed import ComputedOp
from dlc.dialects.graph.source import SplatOp, WeightOp
from dlc.dialects.graph.structure import BodyOp, GraphOp
from dlc.ir.tensor import element_count, shape
from dlc.plan.structure import structure

Shape = tuple[int, ...]


@dataclass(frozen=True)
class Layer:
    """name: of the node. inputs, outputs: the shapes of tensors that are computed when the model
    runs. weights: elements of tensors that are known before. key: equal for layers that differ in
    names only. needs: the layers whose outputs it reads.
    """

    name: str
    inputs: tuple[Shape, ...]
    outputs: tuple[Shape, ...]
    weights: int
    work: Work
    key: str
    needs: frozenset[str]


@dataclass(frozen=True)
class Layers:
    """The layers of a model in the order of its nodes. whole: the work of all of it as if it were
    one. weights: elements of all known tensors, each tensor once.
    """

    each: Sequence[Layer]
    whole: Work
    weights: int


def read_layers(module: ModuleOp) -> Layers:
    """Return the layers of a module of the ``graph`` level that has no composite ops, whose ops
    say which nodes they came from. What is known before the model runs is no layer.
    """
    return _Reader(module).read()


@dataclass
class _Reader:
    module: ModuleOp
    known: KnownValues = field(default_factory=KnownValues)

    def __post_init__(self) -> None:
        block = find_main(self.module).body.block
        self.flow = Dataflow(block)
        home = layers_of(block)
        running = {name for op, name in home.items() if not self._is_known(op)}
        self.home = {op: name for op, name in home.items() if name in running}

    def _is_known(self, op: Operation) -> bool:
        return all(x in self.known for x in op.results)

    def read(self) -> Layers:
        parts: dict[str, list[Operation]] = {name: [] for name in self._order()}
        for op, name in self.home.items():
            parts[name].append(op)
        return Layers(
            [self._layer(name, ops) for name, ops in parts.items()],
            self._whole(),
            sum(map(element_count, self._constants({*self.home}))),
        )

    def _order(self) -> list[str]:
        """Return the layers in an order in which they can run: that of the ops of nodes. What
        converts inputs stands before all of them.
        """
        own = [name for op, name in self.home.items() if any(node_names(op.location))]
        return [*dict.fromkeys([*own, *self.home.values()])]

    def _whole(self) -> Work:
        """Return the work of all layers; what is known is read as the file has it, where that is
        less.
        """
        found = work_of(self._cluster(self.home))
        read = work_of(Cluster(self.flow, tuple(self.flow.ops))).bytes_read
        return replace(found, bytes_read=min(read, found.bytes_read))

    def _cluster(self, ops: Iterable[Operation]) -> Cluster:
        return Cluster(
            self.flow,
            tuple(op for op in ops if isinstance(op, ComputedOp) and op in self.flow.position),
        )

    def _layer(self, name: str, ops: Sequence[Operation]) -> Layer:
        own = {*ops}
        cluster = self._cluster(ops)
        read = dict.fromkeys(v for op in ops for v in op.operands if v.owner not in own)
        inputs = tuple(shape(v) for v in read if v not in self.known)
        outputs = tuple(shape(v) for op in ops for v in op.results if _leaves(v, own))
        return Layer(
            name,
            inputs,
            outputs,
            sum(map(element_count, self._constants(own))),
            work_of(cluster),
            self._key(ops, inputs, outputs),
            frozenset(other for op in ops for other in self._makers(op)) - {name},
        )

    def _key(self, ops: Sequence[Operation], *shapes: tuple[Shape, ...]) -> str:
        """Return what is equal for equal layers, whether or not they convert an input or output."""
        own = self._cluster(op for op in ops if any(node_names(op.location)))
        if own.ops:
            return structure(own).key
        return sha256(f"{[op.name for op in ops]} {shapes}".encode()).hexdigest()[:32]

    def _constants(self, ops: AbstractSet[Operation]) -> list[SSAValue]:
        """Return the tensors with elements of their own that ops read and others know."""
        read = {v for op in ops for v in op.operands if v.owner not in ops}
        inside = (x.results[0] for op in ops for x in _bodies(op) if isinstance(x, WeightOp))
        known = (v for v in read if v in self.known and not isinstance(v.owner, SplatOp))
        return [*known, *inside]

    def _makers(self, op: Operation) -> Iterator[str]:
        """Yield the layers that compute what an op reads, looking through conversions of inputs."""
        for maker in (value.owner for value in op.operands):
            if isinstance(maker, GraphOp) and maker in self.home:
                of_node = next(node_names(maker.location), None) is not None
                yield from [self.home[maker]] if of_node else self._makers(maker)


def _bodies(op: Operation) -> Iterator[Operation]:
    return op.regions[0].walk() if isinstance(op, BodyOp) else iter(())


def _leaves(value: SSAValue, own: set[Operation]) -> bool:
    return any(use.operation not in own for use in value.uses)
