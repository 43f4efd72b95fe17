"""Choose which ops share a kernel, and put each choice in a group."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf
from time import monotonic

from xdsl.context import Context
from xdsl.dialects.builtin import ArrayAttr, ModuleOp, StringAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.passes import ModulePass
from xdsl.rewriter import InsertPoint, Rewriter

from dlc import arch, search
from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.outline import outline
from dlc.analysis.placement import Placement, claimed
from dlc.analysis.stages import stages
from dlc.analysis.whole_loop import WHOLE, outlined
from dlc.core.context import dlc_context
from dlc.core.locations import operation_text
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.composite import decompose_composites
from dlc.dialects.graph.overlay import write_overlay
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.step_loop import StepLoopOp, blocks
from dlc.dialects.graph.structure import GraphOp
from dlc.errors import CompileError
from dlc.plan import NoPlan, Plan, Planner, fitting, write
from dlc.plan.whole_loop import plan_whole
from dlc.search import Partition


@dataclass(frozen=True)
class FusePass(ModulePass):
    """Every computing op of ``main`` ends in a ``fused_group.group``; equal values are read once
    and what a group does not give away never reaches memory.

    ``search`` is the way to choose, by the plans for ``arch``: ops share a kernel where the plan of
    that takes less time than those of two. ``greedy`` merges neighbours, ``beam`` puts patterns of
    ops together, ``dp`` looks for the cheapest of all divisions, ``evolve`` changes its division at
    random and keeps what is better; ``seed`` says what it draws. After ``budget`` seconds the last
    three take the best that they have, which is never worse than that of ``greedy``. A group gets
    the ``schedule`` of its plan with its ``bound``, and says in ``boundaries`` why each of its
    readers is not part of it. ``libraries`` may compute groups, too, where a call of one takes less
    time.

    Composite ops, which have no kernel of their own, are first replaced by what they mean. A loop
    of steps is one group where one kernel takes less time than those of all its steps; else its
    body has groups of its own, of which the first says why. No group has ops from before and behind
    a loop.

    Runs on: ``graph``. Leaves: ``fused_group``; weights and views (reshapes, slices of whole rows)
    stay between the groups, small constants and splats are copied into them. A concatenation along
    the first axis stays too where other groups give its operands anyway: they write them where they
    stand in its result.
    """

    name = "fuse"
    search: str = "greedy"
    budget: float | None = None
    seed: int = 0
    libraries: tuple[str, ...] = ()
    arch: str = arch.DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        decompose_composites(ctx, op)
        choose = dlc_context(ctx).search or search.by_name(self.search)
        deadline = inf if self.budget is None else monotonic() + self.budget
        effort = search.Effort(deadline, self.seed)
        chip, known = arch.by_name(self.arch), dlc_context(ctx).measurements
        planner = Planner(chip, known, self.libraries)
        number = 0
        taken: dict[str, _Whole] = {}
        for block in blocks(op):
            _check_not_fused(block)
            whole = _Whole.of(block, planner)
            groups: list[Operation] = []
            for stage in stages(block):
                partition = search.stitch(choose(Dataflow(block, stage), planner, effort), planner)
                placed = _take_out_placed(partition)
                groups += _Outliner(partition, placed, planner, number + len(groups)).run()
                for each in placed:
                    write_overlay(partition.clusters[each].ops[-1])
                _generate_parts(groups, planner)
                if whole is not None:
                    whole.apart_s += sum(map(planner.seconds, partition.clusters.values()))
            _arrange(block, groups)
            if whole is not None and whole.is_best:
                taken[f"g{number}"] = whole
                number += 1
            else:
                number += len(groups)
                if whole is not None and groups:
                    whole.say_why_not(groups[0])
        for name, whole in taken.items():
            whole.replace(name)


@dataclass
class _Whole:
    """A loop as one kernel. body: a copy. apart_s: what the kernels of the body take in a step."""

    loop: StepLoopOp
    body: Region
    plan: Plan | NoPlan
    apart_s: float = 0.0

    @staticmethod
    def of(block: Block, planner: Planner) -> "_Whole | None":
        """Return the loop whose body a block is, if it is one's."""
        loop = block.parent_op()
        if not isinstance(loop, StepLoopOp):
            return None
        return _Whole(loop, loop.body.clone(), plan_whole(loop, planner))

    @property
    def is_best(self) -> bool:
        """Whether one kernel takes less time than those of all steps."""
        return isinstance(self.plan, Plan) and self.plan.s < self.loop.runs * self.apart_s

    def say_why_not(self, first: Operation) -> None:
        """Note on the first group of a step why its loop is not one kernel."""
        if isinstance(self.plan, NoPlan):
            reason = f": {self.plan.reason}"
        else:
            lost_s = self.plan.s - self.loop.runs * self.apart_s
            reason = f" would take {lost_s * 1e6:.3g} us more"
        assert isinstance(first, GroupOp)
        before = () if first.boundaries is None else first.boundaries.data
        first.boundaries = ArrayAttr([*before, StringAttr(f"{WHOLE}{reason}")])

    def replace(self, name: str) -> None:
        """Put a group in the place of the loop."""
        loop = self.loop
        assert isinstance(self.plan, Plan)
        group = outlined(loop, self.body, name)
        write(self.plan.best.rated, group)
        owners = dict.fromkeys(v.owner for v in group.inputs)
        loose = [x for x in owners if isinstance(x, WeightOp) and x.parent is None]
        Rewriter.insert_op((*loose, group), InsertPoint.before(loop))
        used = [value for value in loop.outputs if value.uses]
        for old, new in zip(used, group.outputs, strict=True):
            new.name_hint = old.name_hint
            old.replace_all_uses_with(new)
        Rewriter.erase_op(loop)


def _check_not_fused(block: Block) -> None:
    """Raise CompileError at the first op that is neither a graph op nor the terminator."""
    for op in block.ops:
        if not isinstance(op, GraphOp) and op is not block.last_op:
            raise CompileError("fuse takes graph ops only", at=operation_text(op))


def _take_out_placed(partition: Partition) -> set[int]:
    """Make each op that needs no kernel a cluster of its own; return their numbers."""
    numbers: set[int] = set()
    taken: set[SSAValue] = set()
    placement = Placement(partition.flow)
    for n in partition.order():
        op = placement.placed(partition.clusters[n], taken)
        if op is not None:
            numbers.add(partition.detach(op))
            taken |= claimed(op)
    return numbers


def _generate_parts(groups: Sequence[Operation], planner: Planner) -> None:
    """Take away the library of groups whose results are parts of larger tensors."""
    for group in groups:
        if isinstance(group, GroupOp) and group.schedule and "library" in group.schedule:
            flow = Dataflow(group.body.block)
            plan = planner.plan(Cluster(flow, tuple(flow.ops)))
            assert isinstance(plan, Plan)
            write(fitting(plan, group).rated, group)


class _Outliner:
    """Replaces the clusters of a partition by groups named ``g<number>``, in running order; those
    ``placed`` stay as they are.
    """

    def __init__(self, partition: Partition, placed: set[int], planner: Planner, number: int):
        self.partition = partition
        self.planner = planner
        self.order = [n for n in partition.order() if n not in placed]
        self.names = {n: f"g{number + i}" for i, n in enumerate(self.order)}

    def run(self) -> list[Operation]:
        """Return the groups, which stand in no block yet."""
        clusters = self.partition.clusters
        results = {n: clusters[n].results for n in self.order}
        boundaries = search.Boundaries(self.partition, self.planner, self.names)
        reasons = {n: boundaries.of(n) for n in self.order}  # while no cluster is a group yet
        groups: list[Operation] = []
        for n in self.order:
            group = outline(clusters[n], self.names[n])
            if isinstance(plan := self.planner.plan(clusters[n]), Plan):
                write(plan.best.rated, group)
            if reasons[n]:
                group.boundaries = ArrayAttr(map(StringAttr, reasons[n]))
            for old, new in zip(results[n], group.outputs, strict=True):
                new.name_hint = old.name_hint
                old.replace_all_uses_with(new)
            groups.append(group)
        return groups


def _arrange(block: Block, groups: list[Operation]) -> None:
    """Put the groups in ``block`` in place of what they were made from; ops outside of them stand
    before their first reader, unused ones vanish.
    """
    last = block.last_op
    assert last is not None
    loose = dict.fromkeys(op for op in block.ops if op is not last)
    for op in loose:
        op.detach()
    standing: set[Operation] = set()

    def place(op: Operation) -> None:
        for value in op.operands:
            owner = value.owner
            if isinstance(owner, Operation) and owner in loose and owner not in standing:
                place(owner)
        standing.add(op)
        if op is not last:
            block.insert_op_before(op, last)

    for op in (*groups, last):
        place(op)
    for op in reversed([op for op in loose if op not in standing]):
        op.erase()
