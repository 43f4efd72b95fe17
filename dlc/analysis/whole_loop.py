"""A loop of steps as the group of one kernel."""

from xdsl.ir import Block, Operation, Region, SSAValue

from dlc.analysis.operand import is_inlined
from dlc.dialects.fused_group import GroupOp, YieldOp
from dlc.dialects.graph.source import WeightOp
from dlc.dialects.graph.step_loop import StepLoopOp

WHOLE = "all steps as one kernel"
"""How a boundary begins that says why a loop is not one kernel."""


def outlined(loop: StepLoopOp, body: Region, name: str = "whole") -> GroupOp:
    """Return a detached group of a loop with a body that takes the place of its own.

    Weights in the body become inputs of the group, from detached ops. The group gives the results
    of the loop that are used.
    """
    shared = [*loop.shared, *_taken_out(body.block)]
    operands = [*loop.initial, *loop.sliced, *shared]
    given = [v for v in dict.fromkeys(operands) if not is_inlined(v)]
    used = [number for number, value in enumerate(loop.outputs) if value.uses]
    group = GroupOp(name, given, [loop.outputs[number].type for number in used])
    block = group.body.block
    values = dict[SSAValue, SSAValue](zip(given, block.args, strict=True))
    for value in dict.fromkeys(operands):
        if value not in values:
            assert isinstance(value.owner, Operation)
            block.add_op(copy := value.owner.clone())
            values[value] = copy.results[0]
    initial, sliced, read = (
        [values[v] for v in some] for some in (loop.initial, loop.sliced, shared)
    )
    own, is_backward = body.detach_block(0), loop.backward is not None
    inner = StepLoopOp.of(initial, sliced, read, own, loop.runs, is_backward)
    inner.location = group.location = loop.location
    block.add_op(inner)
    block.add_op(YieldOp(*(inner.outputs[number] for number in used)))
    return group


def _taken_out(body: Block) -> list[SSAValue]:
    """Let a body take its weights as arguments; return them."""
    weights = [op for op in body.ops if isinstance(op, WeightOp)]
    for op in weights:
        op.output.replace_all_uses_with(body.insert_arg(op.output.type, len(body.args)))
        op.detach()
    return [op.output for op in weights]
