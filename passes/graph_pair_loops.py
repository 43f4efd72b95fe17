"""Run two loops of steps that need nothing of each other as one loop."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp

from dlc import arch
from dlc.analysis.loop_link import needing
from dlc.core.context import dlc_context
from dlc.core.passes import DlcPass
from dlc.dialects.graph.step_loop import StepLoopOp, blocks
from dlc.dialects.graph.strands import Strand
from dlc.ir.tensor import element_type, shape
from dlc.lowering.joined_loops import JoinedLoops
from dlc.plan import Planner
from dlc.plan.whole_loop import joined_s, whole_s


@dataclass(frozen=True)
class GraphPairLoopsPass(DlcPass):
    """Two loops with as many steps and states of one shape, of which neither needs the other,
    become one: both directions of a recurrent layer.

    A kernel of all steps has the whole chip, so two of them come one after the other, and each
    waits for its own states. In one kernel both have states in each wait. Where one goes backwards
    and the other does not, the parts that the second one takes and gives are turned around.

    Only for a GPU, where all of it is one kernel, which the plan says takes less time than two.

    Runs on: ``graph``. Leaves: ``graph``. Order: after ``graph-skew-loops``, which gains more.

    ::

        %g, %y = graph.step_loop slice (%x) .. { f }               %t = %p backwards
        %h, %z = graph.step_loop slice (%p) backward .. { q }  ->  %g, %h, %y, %s = graph.step_loop
                                                                       slice (%x, %t) .. { f, q }
                                                                   %z = %s backwards
    """

    name = "graph-pair-loops"
    joins_nodes = True

    arch: str = arch.DEFAULT_TARGET

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        chip = arch.by_name(self.arch)
        if not isinstance(chip, arch.GpuArch):
            return
        context, taken = dlc_context(ctx), set[StepLoopOp]()
        planner = Planner(chip, context.measurements)
        for first, second in _pairs(op):
            later = needing(use for value in first.outputs for use in value.uses)
            if not taken.isdisjoint((first, second)) or second in later:
                continue
            turned = first.backward != second.backward
            strands = [Strand(first, _wanted(first)), Strand(second, _wanted(second), 0, turned)]
            both = JoinedLoops(strands, later, context.weights)
            if joined_s(both.loop, planner) < whole_s(first, planner) + whole_s(second, planner):
                both.replace([first, second])
                taken |= {first, second}
            else:
                both.drop()


def _pairs(module: ModuleOp) -> Iterator[tuple[StepLoopOp, StepLoopOp]]:
    """Yield loops of a block that may run beside each other, in the order in which they stand."""
    for block in list(blocks(module)):
        loops = [op for op in block.ops if isinstance(op, StepLoopOp)]
        for pair in combinations(loops, 2):
            if len({_form(loop) for loop in pair}) == 1:
                yield pair


def _form(loop: StepLoopOp) -> object:
    """Return what loops that share a kernel have in common."""
    states = {(shape(value), element_type(value)) for value in loop.initial}
    return loop.runs, frozenset(states)


def _wanted(loop: StepLoopOp) -> list[int]:
    """Return the results of all steps that are read."""
    count = len(loop.initial)
    return [n for n, value in enumerate(loop.outputs) if n >= count and value.uses]
