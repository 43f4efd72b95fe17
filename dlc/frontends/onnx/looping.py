"""Writes what a Loop or a Scan repeats as one loop of steps."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import TensorType
from xdsl.ir import Block, SSAValue

from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.step_loop import StepLoopOp, YieldOp
from dlc.dialects.graph.step_part import with_room, without_room
from dlc.frontends.onnx.conversion import NodeContext
from dlc.ir.tensor import element_type, shape

WriteStep = Callable[[Sequence[SSAValue], Sequence[SSAValue]], Sequence[SSAValue] | None]
"""Inserts the ops of a step for its states and its parts. Gives the new states, then what goes to
the results of all steps; ``None`` where one step does not do what another one does."""


@dataclass(frozen=True)
class Steps:
    """What is repeated: ``count`` times, ``initial`` states, one part of each of ``sliced``.

    The first axis of ``sliced`` counts the steps. backward: the last part is the first step's, and
    what the first step gives comes last.
    """

    count: int
    initial: Sequence[SSAValue]
    sliced: Sequence[SSAValue]
    backward: bool = False


def write_loop(node: NodeContext, steps: Steps, write_step: WriteStep) -> list[SSAValue] | None:
    """Insert a loop and return its results; ``None`` where its steps must be written one by one:
    states change their types, or something must be known of each step.
    """
    return node.attempt(lambda: _write(node, steps, write_step))


def without_steps(node: NodeContext, steps: Steps, write_step: WriteStep) -> list[SSAValue]:
    """Return what no step at all gives: the initial states, and nothing of each result."""
    g, kept = Composer(node.insert), [x.type for x in steps.initial]
    body = Block(
        arg_types=[*kept, *(TensorType(element_type(x), shape(x)[1:]) for x in steps.sliced)]
    )
    with node.inside(body):
        given = write_step(body.args[: len(kept)], body.args[len(kept) :]) or []
    empty = [g.splat(0, element_type(x), [0, *shape(x)]) for x in given[len(kept) :]]
    return [*steps.initial, *empty]


def _write(node: NodeContext, steps: Steps, write_step: WriteStep) -> list[SSAValue] | None:
    g = Composer(node.insert)
    rows = [with_room(g, x, [steps.count]) for x in steps.sliced]
    kept = [x.type for x in steps.initial]
    body = Block(arg_types=[*kept, *(TensorType(element_type(x), shape(x)[1:]) for x in rows)])
    states, parts = body.args[: len(kept)], body.args[len(kept) :]
    with node.inside(body):
        own = [
            without_room(g, part, shape(x)[1:]) for part, x in zip(parts, steps.sliced, strict=True)
        ]
        given = write_step(states, own)
        if given is None or [x.type for x in given[: len(kept)]] != kept:
            return None
        outputs = given[len(kept) :]
        body.add_op(YieldOp(*given[: len(kept)], *(with_room(g, x) for x in outputs)))
    shared = _close(body)
    loop = StepLoopOp.of(steps.initial, rows, shared, body, steps.count, steps.backward)
    results = list(node.insert_all(loop))
    whole = zip(results[len(kept) :], outputs, strict=True)
    return [
        *results[: len(kept)],
        *(without_room(g, x, shape(own), [steps.count]) for x, own in whole),
    ]


def _close(body: Block) -> list[SSAValue]:
    """Make what the ops of a body read from outside its arguments; return these values."""
    arguments: dict[SSAValue, SSAValue] = {}
    for op in body.ops:
        for number, value in enumerate(op.operands):
            if _is_outside(value, body):
                if value not in arguments:
                    arguments[value] = body.insert_arg(value.type, len(body.args))
                op.operands[number] = arguments[value]
    return list(arguments)


def _is_outside(value: SSAValue, body: Block) -> bool:
    maker = value.owner
    return maker is not body if isinstance(maker, Block) else maker.parent is not body
