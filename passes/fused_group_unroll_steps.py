"""Write what a loop runs once for each step."""

from collections.abc import Sequence

from xdsl.context import Context
from xdsl.dialects.builtin import ModuleOp, StringAttr
from xdsl.ir import Operation, SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.dataflow import origin
from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.core.rewrite import inherit_location
from dlc.dialects.fused_group import GroupOp, LaunchOp, group_of_step
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.step_loop import StepLoopOp, YieldOp, step_loops
from dlc.dialects.graph.structure import VIEW_ALIGNMENT_BYTES, GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import element_count, shape


class FusedGroupUnrollStepsPass(DlcPass):
    """A loop of steps becomes the launches of all its steps, in order. What was decided for one
    holds for all: they run the same kernels. A loop of groups becomes the groups of all steps.

    A step's part of a tensor is a view of it, and what the steps give is written where it stands in
    the whole. The group ``g2`` is called ``g2_step0`` in the step that runs first, ``g2_step1`` in
    the next one.

    Runs on: ``fused_group`` or launches. Leaves: the same without loops. Order: after
    ``convert-fused-group-to-loop``, so that what is repeated is small.
    """

    name = "fused-group-unroll-steps"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for loop in step_loops(op):
            _Unrolling(loop).run()


class _Unrolling:
    def __init__(self, loop: StepLoopOp):
        self.loop = loop
        self.ops = [op for op in loop.body.block.ops if not isinstance(op, YieldOp)]
        self.g = Composer(self._insert_graph_op)

    def run(self) -> None:
        """Replace the loop. Raises CompileError where a step's part has no place of its own."""
        loop = self.loop
        _check_whole(loop)
        states: Sequence[SSAValue] = list(loop.initial)
        rows: dict[int, Sequence[SSAValue]] = {}
        shared = self._shared()
        for number, place in enumerate(loop.places):
            given = self._step(shared, states, place, number)
            states, rows[place] = given[: len(states)], given[len(states) :]
        stacked = [rows[place] for place in range(loop.runs)]
        whole = [self._stacked(parts) for parts in zip(*stacked, strict=True)]
        Rewriter.replace_op(loop, [], [*states, *whole])

    def _insert(self, op: Operation) -> None:
        inherit_location(op, self.loop.location)
        Rewriter.insert_op(op, InsertPoint.before(self.loop))

    def _insert_graph_op(self, op: GraphOp) -> SSAValue:
        self._insert(op)
        return op.results[0]

    def _shared(self) -> dict[SSAValue, SSAValue]:
        """Return what all steps read, by its name in the body: constants are written once."""
        loop = self.loop
        arguments = loop.body.block.args[len(loop.initial) + len(loop.sliced) :]
        found = dict[SSAValue, SSAValue](zip(arguments, loop.shared, strict=True))
        for op in self.ops:
            if isinstance(op, GraphOp) and op.is_constant:
                found[op.results[0]] = self._insert_graph_op(op.clone())
        return found

    def _step(
        self,
        shared: dict[SSAValue, SSAValue],
        states: Sequence[SSAValue],
        place: int,
        number: int,
    ) -> list[SSAValue]:
        """Write step ``number`` of a run; return what it yields."""
        loop = self.loop
        parts = [self._part(value, place) for value in loop.sliced]
        own = zip(loop.body.block.args, [*states, *parts], strict=False)
        values = shared | dict[SSAValue, SSAValue](own)
        for op in self.ops:
            if op.results[0] not in shared:
                new = op.clone(values)
                _number(new, number)
                self._insert(new)
        return [values[value] for value in loop.yielded]

    def _part(self, value: SSAValue, place: int) -> SSAValue:
        """Return the view of a tensor that is a step's part of it."""
        part = self.g.part(value, 0, place, place + 1)
        if isinstance(part.owner, GraphOp) and part is not value and not part.owner.is_view:
            raise self._between(value)
        return self.g.reshape(part, shape(value)[1:])

    def _stacked(self, parts: Sequence[SSAValue]) -> SSAValue:
        """Return the parts of all steps, which are written where they stand in it."""
        sizes = shape(parts[0])
        whole = self.g.concat([self.g.reshape(part, [1, *sizes]) for part in parts], 0)
        assert isinstance(whole.owner, GraphOp)
        if len(parts) > 1 and whole.owner.operand_offsets is None:
            raise self._between(whole)
        return whole

    def _between(self, whole: SSAValue) -> CompileError:
        return CompileError(
            f"a step's part of {whole.type} does not begin at a multiple of {VIEW_ALIGNMENT_BYTES} "
            "bytes; pad it, and cut it behind the loop",
            at=operation_text(self.loop),
        )


def _number(op: Operation, step: int) -> None:
    """Give the group of an op the number of its step."""
    if isinstance(op, GroupOp):
        op.sym_name = StringAttr(group_of_step(op.sym_name.data, step))
    if isinstance(op, LaunchOp):
        op.group = StringAttr(group_of_step(op.group_name, step))


def _check_whole(loop: StepLoopOp) -> None:
    """Raise CompileError unless each part that a step gives to the results of all steps is all that
    a group of the step computes, and has no other place.
    """
    body = loop.body.block
    placed = [op for op in body.ops if isinstance(op, GraphOp) and op.operand_offsets is not None]
    taken = {origin(value) for op in placed for value in op.operands}
    for number, value in enumerate(loop.yielded[len(loop.initial) :]):
        source = origin(value)
        whole = element_count(value) == element_count(source)
        if not whole or source in taken or not isinstance(source.owner, GroupOp | LaunchOp):
            raise CompileError(
                f"part {number} of a step is not all that a group of its own computes; compute it "
                "by an op that nothing else of the step gives",
                at=operation_text(loop),
            )
        taken.add(source)
