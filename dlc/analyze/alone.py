"""What our plans take for each layer alone."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum

from xdsl.dialects.builtin import ModuleOp
from xdsl.ir import Block, Operation

from dlc import search
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.entry import find_main
from dlc.analysis.outline import outline
from dlc.analysis.stages import Stage, stages
from dlc.analyze.naming import layers_of
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.plan import Plan, Planner
from dlc.plan.structure import structure
from dlc.plan.whole_loop import whole_s
from dlc.search import Partition


@dataclass(frozen=True)
class Alone:
    """seconds: by our plan. by_library: by the libraries that compute something of the layer, each
    with our kernels for the rest.
    """

    seconds: float = 0.0
    by_library: Mapping[str, float] = field(default_factory=dict[str, float])


def layers_alone(
    module: ModuleOp, is_layer: Callable[[str], bool], planner: Planner, searched: str
) -> dict[str, Alone]:
    """Return what each layer takes in kernels of its own, one after the other.

    module: of the ``graph`` level, as it is when it is divided into kernels, but that no op comes
    from two layers. Layers that need no kernel are left out. searched: a name of a search.
    """
    prices = _Prices(planner, search.by_name(searched))
    block = find_main(module).body.block
    parts: dict[str, set[Operation]] = {}
    for op, name in layers_of(block, is_layer).items():
        parts.setdefault(name, set()).add(op)
    before = stages(block)
    return {name: prices.of(block, ops, before) for name, ops in parts.items()}


@dataclass
class _Prices:
    planner: Planner
    choose: search.Search
    known: dict[object, Alone] = field(default_factory=dict[object, Alone])
    whole: dict[Block, Dataflow] = field(default_factory=dict[Block, Dataflow])

    def of(self, block: Block, ops: set[Operation], before: Sequence[Stage] = ()) -> Alone:
        parts = [self._straight(block, stage & ops) for stage in before or stages(block)]
        parts += [self._loop(op) for op in block.ops if op in ops and isinstance(op, StepLoopOp)]
        return _sum(parts)

    def _loop(self, loop: StepLoopOp) -> Alone:
        """Return what all steps take, in one kernel or in those of each step."""
        body = loop.body.block
        step = self.of(body, {*body.ops})
        return Alone(min(whole_s(loop, self.planner), loop.runs * step.seconds))

    def _straight(self, block: Block, ops: Stage) -> Alone:
        """Return what ops take with no loop between them; found once for equal ones."""
        if block not in self.whole:
            self.whole[block] = Dataflow(block)
        flow = self.whole[block]
        own = tuple(op for op in flow.ops if op in ops)
        if not own:
            return Alone()
        cluster = Cluster(flow, own)
        key = structure(cluster)
        if key not in self.known:
            self.known[key] = self._divided(cluster)
        return self.known[key]

    def _divided(self, cluster: Cluster) -> Alone:
        """Return what copies of ops take that have nothing around them."""
        group = outline(cluster, "alone")
        partition = self.choose(Dataflow(group.body.block), self.planner)
        found = Alone(search.cost(partition, self.planner), self._libraries(partition))
        group.drop_all_references()
        return found

    def _libraries(self, partition: Partition) -> dict[str, float]:
        """Return what each library takes with our kernels for what it does not compute."""
        ours: list[float] = []
        calls: list[dict[str, float]] = []
        for number in partition.order():
            plan = self.planner.whole(partition.clusters[number])
            if isinstance(plan, Plan):
                known = {each.schedule.library: each.estimate_s for each in plan.candidates[::-1]}
                ours.append(known.pop("", plan.s))
                calls.append(known)
        names = sorted({name for known in calls for name in known})
        pairs = [*zip(ours, calls, strict=True)]
        return {name: fsum(known.get(name, own) for own, known in pairs) for name in names}


def _sum(parts: list[Alone]) -> Alone:
    names = {name for part in parts for name in part.by_library}
    return Alone(
        fsum(part.seconds for part in parts),
        {name: fsum(p.by_library.get(name, p.seconds) for p in parts) for name in sorted(names)},
    )
