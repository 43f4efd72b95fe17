"""Run a loop of steps and the one that continues it as one loop."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, TensorType, i32
from xdsl.dialects.func import ReturnOp
from xdsl.ir import Block, Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc import arch
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.loop_link import LoopLink, link_of
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.core.rewrite import inherit_location
from dlc.core.weights import WeightStore
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.step_loop import StepLoopOp, YieldOp, step_loops
from dlc.dialects.graph.structure import GraphOp
from dlc.ir.tensor import element_type, shape
from dlc.plan import Plan, Planner
from dlc.plan.whole_loop import plan_whole

_TURNS = 4
"""Numbers of a step, of which two say which loops run: a row of 16 bytes."""


@dataclass(frozen=True)
class GraphSkewLoopsPass(DlcPass):
    """Two loops of which the second multiplies the states of the first by weights become one loop,
    in which the second is a step behind.

    Layers of a recurrent network then wait for each other once for each step, not once for each
    layer and step. The product between them becomes one of each step. The loop has a step more: in
    the first one the second loop keeps its states, in the last one the first loop does.

    Only for a GPU, where all of it is one kernel, which the plan says takes less time than two and
    the product.

    Runs on: ``graph``. Leaves: ``graph``. Order: after all that changes weights or loops.

    ::

        %y = graph.step_loop .. { h = f(h, x) }          %z = graph.step_loop .. {
        %p = graph.matmul %y, %w                    ->     g = where(not first, q(g, h @ w), g)
        %z = graph.step_loop slice (%p) .. { .. }          h = where(not last, f(h, x), h) }
    """

    name = "graph-skew-loops"

    arch: str = arch.DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = arch.by_name(self.arch)
        if not isinstance(chip, arch.GpuArch):
            return
        planner = Planner(chip, dlc_context(ctx).measurements)
        skewed: set[StepLoopOp] = set()
        for loop in step_loops(op):
            link = link_of(loop)
            if link is not None and link.first not in skewed:
                both = _Skewed(link, dlc_context(ctx).weights)
                if both.is_faster(planner):
                    both.replace()
                    skewed.add(both.loop)
                else:
                    both.drop()


class _Skewed:
    """The loop that does both, written before the second one. results: its own, as the two loops
    give them.
    """

    def __init__(self, link: LoopLink, weights: WeightStore):
        self.link = link
        self.first, self.second = link.first, link.second
        self.inserted: list[Operation] = []
        self.g = Composer(self._insert)
        self.turns = self._insert(self._turns(weights))
        self.loop = self._write_loop()
        count = len(self.first.initial) + len(self.second.initial)
        last, given = self.loop.outputs[:count], self.loop.outputs[count:]
        self.results = [*last, *map(self._cut, given)]

    def _insert(self, op: GraphOp) -> SSAValue:
        inherit_location(op, self.second.location)
        Rewriter.insert_op(op, InsertPoint.before(self.second))
        self.inserted.append(op)
        return op.results[0]

    @property
    def _is_backward(self) -> bool:
        return self.first.backward is not None

    # The loop -----------------------------------------------------------------------------------

    def _turns(self, weights: WeightStore) -> WeightOp:
        """Return the table of which loops run in each step."""
        table = np.ones((self.first.runs + 1, _TURNS), np.int32)
        begin, end = (-1, 0) if self._is_backward else (0, -1)
        table[end, 0] = table[begin, 1] = 0
        return WeightOp(weights.add("turns", table), TensorType(i32, table.shape))

    def _write_loop(self) -> StepLoopOp:
        first, second, link = self.first, self.second, self.link
        others = [v for n, v in enumerate(second.sliced) if n != link.number]
        early = [self._longer(v, is_late=False) for v in first.sliced]
        late = [self._longer(v, is_late=True) for v in others]
        sliced = [*early, *late, self.turns]
        factors = [link.factor, *([] if link.vector is None else [link.vector])]
        shared = [*first.shared, *second.shared, *factors]
        initial = [*first.initial, *second.initial]
        parts = [TensorType(element_type(v), shape(v)[1:]) for v in sliced]
        body = Block(arg_types=[*(v.type for v in initial), *parts, *(v.type for v in shared)])
        self._write_body(body, len(others))
        runs = first.runs + 1
        loop = StepLoopOp.of(initial, sliced, shared, body, runs, self._is_backward)
        self._insert(loop)
        return loop

    def _longer(self, value: SSAValue, is_late: bool) -> SSAValue:
        """Return a sliced operand with a part more, for the step in which its loop rests."""
        low = is_late != self._is_backward
        none = [0] * (len(shape(value)) - 1)
        return self.g.pad(value, [int(low), *none], [int(not low), *none])

    def _cut(self, value: SSAValue) -> SSAValue:
        """Return the parts of the second loop's steps."""
        start = 0 if self._is_backward else 1
        return self.g.part(value, 0, start, start + self.first.runs)

    def _write_body(self, body: Block, others: int) -> None:
        first, second = self.first, self.second
        rest = list[SSAValue](body.args)

        def take(count: int) -> list[SSAValue]:
            taken = rest[:count]
            del rest[:count]
            return taken

        def insert(op: GraphOp) -> SSAValue:
            body.add_op(op)
            return op.results[0]

        g = Composer(insert)
        old = take(len(first.initial)), take(len(second.initial))
        parts = take(len(first.sliced)), take(others)
        (turns,) = take(1)
        shared = take(len(first.shared)), take(len(second.shared))
        new = _copied(body, first, [*old[0], *parts[0], *shared[0]])[: len(old[0])]
        parts[1].insert(self.link.number, self._between(g, old[0][self.link.state], rest))
        given = _copied(body, second, [*old[1], *parts[1], *shared[1]])
        kept = _where(g, turns, 0, new, old[0])
        later = _where(g, turns, 1, given[: len(old[1])], old[1])
        own = dict(zip(given, later, strict=False))
        results = (own.get(value, value) for value in given[len(later) :])
        body.add_op(YieldOp(*kept, *later, *results))

    def _between(self, g: Composer, state: SSAValue, factors: Sequence[SSAValue]) -> SSAValue:
        """Write what is between the loops for one step; return the second one's part of it."""
        link = self.link
        found = g.insert(link.product.with_operands([state, factors[0]]))
        if link.sum is not None:
            y = link.product.results[0]
            pair = [found if v is y else factors[1] for v in link.sum.operands]
            found = g.insert(link.sum.with_operands(pair))
        return g.reshape(found, shape(self.second.sliced[link.number])[1:])

    # Choice -------------------------------------------------------------------------------------

    def is_faster(self, planner: Planner) -> bool:
        """Whether one kernel takes less time than two and the product."""
        user = ReturnOp(*self.loop.outputs)  # a plan counts results that are needed
        together = plan_whole(self.loop, planner)
        user.drop_all_references()
        if not isinstance(together, Plan):
            return False
        flow = Dataflow(self._product())
        plans = [plan_whole(loop, planner) for loop in (self.first, self.second)]
        plans.append(planner.plan(Cluster(flow, tuple(flow.ops))))
        apart = [plan.s if isinstance(plan, Plan) else float("inf") for plan in plans]
        return together.s < sum(apart)

    def _product(self) -> Block:
        """Return a program of what is between the loops, of all steps."""
        link, block = self.link, Block()
        given = [link.product.operands[0], link.factor]
        given += [] if link.vector is None else [link.vector]
        values = dict[SSAValue, SSAValue]()
        for value in given:
            values[value] = block.insert_arg(value.type, len(block.args))
        for op in link.between:
            block.add_op(copy := op.clone(values))
            values[op.results[0]] = copy.results[0]
        block.add_op(ReturnOp(values[link.between[-1].results[0]]))
        return block

    def replace(self) -> None:
        """Let all read the new results; the old loops vanish."""
        firsts = self.first.outputs[: len(self.first.initial)]
        for old, new in zip([*firsts, *self.second.outputs], self.results, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        op: Operation = self.second
        while op is not self.first:  # one op reads what another one gives, from there to here
            before = _reader_of(self.first, op)
            Rewriter.erase_op(op)
            op = before
        Rewriter.erase_op(self.first)

    def drop(self) -> None:
        """Take away what was written."""
        for op in reversed(self.inserted):
            Rewriter.erase_op(op)


def _reader_of(first: StepLoopOp, op: Operation) -> Operation:
    """Return the op that gives ``op`` what is computed of a loop."""
    owners = [value.owner for value in op.operands]
    return next(x for x in owners if isinstance(x, Operation) and _comes_from(first, x))


def _comes_from(first: StepLoopOp, op: Operation) -> bool:
    owners = (value.owner for value in op.operands)
    return op is first or any(isinstance(x, Operation) and _comes_from(first, x) for x in owners)


def _where(
    g: Composer,
    turns: SSAValue,
    number: int,
    new: Sequence[SSAValue],
    old: Sequence[SSAValue],
) -> list[SSAValue]:
    """Write the states after a step, which are those before where a loop does not run."""
    own = g.part(turns, 0, number, number + 1)
    runs = g.below(g.like(0, own), own)
    return [g.where(runs, n, o) for n, o in zip(new, old, strict=True)]


def _copied(body: Block, loop: StepLoopOp, arguments: Sequence[SSAValue]) -> list[SSAValue]:
    """Write the ops of a loop's body into another one; return what they yield."""
    values = dict[SSAValue, SSAValue](zip(loop.body.block.args, arguments, strict=True))
    for op in list(loop.body.block.ops)[:-1]:
        body.add_op(op.clone(values))
    return [values[value] for value in loop.yielded]
