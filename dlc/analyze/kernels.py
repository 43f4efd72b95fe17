"""The kernels of a part of a model that has nothing around it."""

from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field

from xdsl.ir import Block, Operation

from dlc import search
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.outline import outline
from dlc.analysis.stages import Stage, stages
from dlc.dialects.graph.computed import ComputedOp, ContractionOp
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.plan import Planner
from dlc.plan.structure import Structure, structure, walked
from dlc.search import Search


@dataclass(frozen=True)
class Kernels:
    """each: ops that share a kernel, in an order in which the kernels can run. loops: loops of
    steps, with the kernels of one step.
    """

    each: tuple[Cluster, ...] = ()
    loops: tuple[tuple[StepLoopOp, "Kernels"], ...] = ()

    def apart(self) -> "Kernels":
        """Return kernels of which none computes anything beside a product."""
        return Kernels(tuple(part for cluster in self.each for part in _apart(cluster)), self.loops)


def _apart(cluster: Cluster) -> Sequence[Cluster]:
    if not any(isinstance(op, ContractionOp) for op in cluster.ops):
        return [cluster]
    return [Cluster(cluster.flow, (op,)) for op in cluster.ops]


def divided(
    block: Block, parts: Mapping[str, AbstractSet[Operation]], planner: Planner, choose: Search
) -> dict[str, Kernels]:
    """Return the kernels of parts of a block, each divided as if it were the whole model."""
    found = _Divider(planner, choose)
    before = stages(block)
    return {name: found.of(block, ops, before) for name, ops in parts.items()}


@dataclass
class _Divider:
    """known: of each structure the places, in its order, of the ops that share a kernel."""

    planner: Planner
    choose: Search
    known: dict[Structure, list[list[int]]] = field(
        default_factory=dict[Structure, list[list[int]]]
    )
    whole: dict[Block, Dataflow] = field(default_factory=dict[Block, Dataflow])

    def of(self, block: Block, ops: AbstractSet[Operation], before: Sequence[Stage]) -> Kernels:
        each = [cluster for stage in before for cluster in self._straight(block, stage & ops)]
        loops = [op for op in ops if isinstance(op, StepLoopOp)]
        return Kernels(tuple(each), tuple((loop, self._step(loop.body.block)) for loop in loops))

    def _step(self, body: Block) -> Kernels:
        return self.of(body, {*body.ops}, stages(body))

    def _straight(self, block: Block, ops: Stage) -> list[Cluster]:
        """Return the kernels of ops with no loop between them; divided once for equal ones."""
        if block not in self.whole:
            self.whole[block] = Dataflow(block)
        flow = self.whole[block]
        places = sorted(
            flow.position[x] for x in ops if isinstance(x, ComputedOp) and x in flow.position
        )
        own = tuple(flow.ops[place] for place in places)
        if not own:
            return []
        cluster = Cluster(flow, own)
        key, order = structure(cluster), walked(cluster)
        if key not in self.known:
            self.known[key] = [[*map(order.index, kernel)] for kernel in self._shared(cluster)]
        kernels = [[order[n] for n in kernel] for kernel in self.known[key]]
        return [Cluster(flow, tuple(sorted(x, key=flow.position.__getitem__))) for x in kernels]

    def _shared(self, cluster: Cluster) -> list[list[ComputedOp]]:
        """Return the ops that share a kernel, by copies that have nothing around them."""
        group = outline(cluster, "alone")
        flow = Dataflow(group.body.block)
        partition = self.choose(flow, self.planner)
        original = dict(zip(flow.ops, cluster.ops, strict=True))
        clusters = search.kernels(partition, self.planner)
        found = [[original[op] for op in each.ops] for each in clusters]
        group.drop_all_references()
        return found
