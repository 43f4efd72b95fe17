"""Run loops of steps, of which each continues the one before, as one loop."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, SSAValue

from dlc import arch
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.loop_link import LoopLink, link_of, needing
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.weights import WeightStore
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.step_loop import StepLoopOp, step_loops
from dlc.dialects.graph.step_part import with_room
from dlc.dialects.graph.strands import Feed, Strand
from dlc.ir.tensor import shape
from dlc.lowering.joined_loops import JoinedLoops
from dlc.plan import Plan, Planner
from dlc.plan.whole_loop import joined_s, whole_s


@dataclass(frozen=True)
class GraphSkewLoopsPass(DlcPass):
    """Loops of which each multiplies the states of the one before by weights become one loop, in
    which each is a step behind the one before.

    Layers of a recurrent network then wait for each other once for each step, not once for each
    layer and step. The product between two becomes one of each step. The loop has a step more for
    each loop but the first: in the first steps the later loops keep their states, in the last ones
    the earlier loops do.

    Only for a GPU, where all of it is one kernel. A loop joins those before it where the plan says
    that their kernel takes less time than the kernel without it, the product, and its own kernel.

    Runs on: ``graph``. Leaves: ``graph``. Order: after all that changes weights or loops.

    ::

        %y = graph.step_loop .. { h = f(h, x) }          %z = graph.step_loop .. {
        %p = graph.matmul %y, %w                    ->     g = where(not first, q(g, h @ w), g)
        %z = graph.step_loop slice (%p) .. { .. }          h = where(not last, f(h, x), h) }
    """

    name = "graph-skew-loops"
    joins_nodes = True

    arch: str = arch.DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = arch.by_name(self.arch)
        if not isinstance(chip, arch.GpuArch):
            return
        context = dlc_context(ctx)
        planner = Planner(chip, context.measurements)
        found = [link for loop in step_loops(op) if (link := link_of(loop)) is not None]
        behind = {link.first: link for link in found}
        seconds = {link.second for link in behind.values()}
        for link in found:
            if behind[link.first] is link and link.first not in seconds:
                _skew(behind, link.first, planner, context.weights)


def _skew(
    behind: dict[StepLoopOp, LoopLink], loop: StepLoopOp, planner: Planner, weights: WeightStore
) -> None:
    """Join a loop and those that continue it, each while that takes less time."""
    links: list[LoopLink] = []
    best, best_s = None, whole_s(loop, planner)
    while (link := behind.get(loop)) is not None:
        both = _joined([*links, link], weights)
        both_s = float("inf") if both is None else joined_s(both.loop, planner)
        loop = link.second
        own_s = whole_s(loop, planner)
        if both is not None and both_s < best_s + _product_s(link, planner) + own_s:
            if best is not None:
                best.drop()
            links, best, best_s = [*links, link], both, both_s
            continue
        if both is not None:
            both.drop()
        _take(best, links)
        links, best, best_s = [], None, own_s
    _take(best, links)


def _take(joined: JoinedLoops | None, links: Sequence[LoopLink]) -> None:
    if joined is not None:
        between = [op for link in links for op in (*link.path, link.second)]
        joined.replace([links[0].first, *between])


def _joined(links: Sequence[LoopLink], weights: WeightStore) -> JoinedLoops | None:
    """Return the loop of those that are linked; ``None`` where one needs last states of another."""
    later = needing(use for link in links for use in link.other_uses)
    loops = [links[0].first, *(link.second for link in links)]
    if not later.isdisjoint(loops):
        return None
    strands = [
        Strand(loop, _wanted(loop, links[n : n + 1]), n, feed=_feed(links[n - 1]) if n else None)
        for n, loop in enumerate(loops)
    ]
    return JoinedLoops(strands, later, weights)


def _wanted(loop: StepLoopOp, links: Sequence[LoopLink]) -> list[int]:
    """Return the results of all steps that are read, but for the path to the next loop."""
    path = {op for link in links for op in link.path}
    count = len(loop.initial)
    outputs = enumerate(loop.outputs[count:], count)
    return [n for n, value in outputs if any(use.operation not in path for use in value.uses)]


def _feed(link: LoopLink) -> Feed:
    """Return what is between two loops, for one step."""

    def write(g: Composer, states: Sequence[SSAValue], factors: Sequence[SSAValue]) -> SSAValue:
        found = g.insert(link.product.with_operands([states[link.state], factors[0]]))
        if link.sum is not None:
            y = link.product.results[0]
            pair = [found if v is y else factors[1] for v in link.sum.operands]
            found = g.insert(link.sum.with_operands(pair))
        part = shape(link.second.sliced[link.number])[1:]
        return g.reshape(with_room(g, found) if len(part) == 1 else found, part)

    vector = [] if link.vector is None else [link.vector]
    return Feed(link.number, [link.factor, *vector], write)


def _product_s(link: LoopLink, planner: Planner) -> float:
    """Return the seconds of what is between two loops, of all steps."""
    block, values = Block(), dict[SSAValue, SSAValue]()
    given = [link.product.operands[0], link.factor]
    for value in [*given, *([] if link.vector is None else [link.vector])]:
        values[value] = block.insert_arg(value.type, len(block.args))
    for op in link.between:
        block.add_op(copy := op.clone(values))
        values[op.results[0]] = copy.results[0]
    block.add_op(ReturnOp(values[link.between[-1].results[0]]))
    flow = Dataflow(block)
    plan = planner.whole(Cluster(flow, tuple(flow.ops)))
    return plan.s if isinstance(plan, Plan) else float("inf")
