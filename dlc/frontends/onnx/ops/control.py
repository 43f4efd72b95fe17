"""Control flow: branches are chosen or computed both, loops are loops of steps or unrolled."""

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np
from onnx import GraphProto
from xdsl.ir import SSAValue

from dlc.dialects.graph.comparison import WhereOp
from dlc.dialects.graph.composer import Composer
from dlc.dialects.graph.properties import normalized_axis
from dlc.dialects.graph.recurrent import LOOPED_STEPS
from dlc.errors import CompileError, OpenSizeError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.limits import MOST_STEPS, check_steps
from dlc.frontends.onnx.looping import Steps, WriteStep, without_steps, write_loop
from dlc.frontends.onnx.ops.layout import concat, slice_axes
from dlc.frontends.onnx.ops.shape import reshape
from dlc.frontends.onnx.shape_rules import RefusedError
from dlc.frontends.onnx.unrolling import remark_unrolling
from dlc.ir.tensor import DYNAMIC, element_type, is_float, numpy_dtype, shape

T = TypeVar("T")

UNROLLED_ITERATIONS = 1024
"""A loop that must be unrolled and has more iterations is not imported: each becomes ops of its
own."""


@converts("If", since=1)
def _if(node: NodeContext) -> Sequence[SSAValue | None]:
    then_branch, else_branch = _graph(node, "then_branch"), _graph(node, "else_branch")
    condition = node.constant(0)
    if condition is not None:
        if condition.size != 1:
            raise CompileError(f"the condition of If has {condition.size} elements, it takes one")
        return node.inline(then_branch if condition.item() else else_branch)
    choose = reshape(node, node.operand(0), [])
    then_values, else_values = _both(node, then_branch, else_branch)
    return [
        node.insert(WhereOp.make(choose, x, y))
        for x, y in zip(then_values, else_values, strict=True)
    ]


def _graph(node: NodeContext, name: str, own: int = 0) -> GraphProto:
    """Return a graph of a node. own: how many of the values that it gives are no outputs of the
    node (whether a Loop goes on). Raises CompileError where the node has more or fewer outputs.
    """
    graph = node.graph(name)
    given = len(graph.output) - own
    if node.output_count != given:
        raise CompileError(
            f"{node.op_type} lists {node.output_count} outputs where its {name} gives {given}; "
            'give an output that is not wanted the name ""'
        )
    return graph


def _both(
    node: NodeContext, then_branch: GraphProto, else_branch: GraphProto
) -> tuple[Sequence[SSAValue], Sequence[SSAValue]]:
    """Return the results of both branches of an If; those of one that cannot run are NaN.

    Raises UnknownValueError where one value cannot stand for either branch's, or where a branch
    needs what is not supported: with a known condition it might be left out.
    """
    then_values, else_values = _branch(node, then_branch), _branch(node, else_branch)
    if isinstance(then_values, RefusedError):
        if isinstance(else_values, RefusedError):
            raise then_values
        return _not_a_number(node, else_values, then_values), else_values
    if isinstance(else_values, RefusedError):
        return then_values, _not_a_number(node, then_values, else_values)
    for number, (x, y) in enumerate(zip(then_values, else_values, strict=True)):
        if x.type != y.type:
            why = f"output {node.output_name(number)} is {x.type} or {y.type}"
            node.require_constant(0, "condition", why)
    return then_values, else_values


def _branch(node: NodeContext, branch: GraphProto) -> Sequence[SSAValue] | RefusedError:
    """Return a branch's outputs, or why these sizes do not fit its nodes."""
    try:
        return node.inline(branch)
    except RefusedError as error:
        return error
    except CompileError as error:
        node.require_constant(0, "condition", str(error))
        raise


def _not_a_number(
    node: NodeContext, others: Sequence[SSAValue], error: RefusedError
) -> Sequence[SSAValue]:
    """Return NaN for each output of a branch that cannot run, in the types of the other branch."""
    if not all(is_float(element_type(x)) for x in others):
        node.require_constant(0, "condition", str(error))
    return [
        node.constant_value(np.full(shape(x), np.nan, numpy_dtype(element_type(x)))) for x in others
    ]


@converts("Loop", since=1)
def _loop(node: NodeContext) -> Sequence[SSAValue | None]:
    count, going = _iterations(node), node.optional(1)
    initial = [node.operand(i) for i in range(2, node.operand_count)]
    known = _truth(node, going)
    if count == 0 or known is False:
        return _counted_loop(node, 0, initial, without_steps)
    if count is not None and LOOPED_STEPS <= count <= MOST_STEPS and known:
        found = _counted_loop(node, count, initial, write_loop)
        if found is not None:
            return found
    return _unrolled_loop(node, count, going, initial)


def _counted_loop(
    node: NodeContext,
    count: int,
    initial: Sequence[SSAValue],
    write: Callable[[NodeContext, Steps, WriteStep], T],
) -> T:
    """Return what ``write`` makes of a Loop that runs ``count`` times if its condition stays true;
    it is told where that is not known.
    """
    body, g = _graph(node, "body", 1), Composer(node.insert)

    def write_step(
        states: Sequence[SSAValue], parts: Sequence[SSAValue]
    ) -> Sequence[SSAValue] | None:
        running = node.constant_value(np.array(True))
        going, *results = node.inline(body, [*parts, running, *states])
        return results if _truth(node, going) else None

    return write(node, Steps(count, initial, [g.positions(count)]), write_step)


def _truth(node: NodeContext, condition: SSAValue | None) -> bool | None:
    """Return whether a condition holds, ``None`` where that is not known; an absent one does."""
    if condition is None:
        return True
    known = node.known(condition)
    return None if known is None else bool(known.item())


def _unrolled_loop(
    node: NodeContext, count: int | None, going: SSAValue | None, carried: Sequence[SSAValue]
) -> Sequence[SSAValue]:
    """Write the iterations of a Loop one by one, as long as its condition is known to be true."""
    body = _graph(node, "body", 1)
    scanned: list[Sequence[SSAValue]] = []
    number, before = 0, node.inserted
    while number != count and (going is None or node.require_known(going, "condition").item()):
        _check_iterations(number)
        index = node.constant_value(np.array(number, np.int64))
        running = going if going is not None else node.constant_value(np.array(True))
        results = node.inline(body, [index, running, *carried])
        going = results[0]
        carried = list(results[1 : len(carried) + 1])
        scanned.append(results[len(carried) + 1 :])
        number += 1
    remark_unrolling(node, number, node.inserted - before)
    return [*carried, *(_stack(node, parts) for parts in zip(*scanned, strict=True))]


def _iterations(node: NodeContext) -> int | None:
    """Return the trip count of a Loop; ``None`` when only its condition ends it."""
    if node.optional(0) is None:
        return None
    return max(int(node.require_constant(0, "trip count").item()), 0)


@converts("Scan", since=9)
def _scan(node: NodeContext) -> Sequence[SSAValue | None]:
    body, g = _graph(node, "body"), Composer(node.insert)
    scan_count = node.integer("num_scan_inputs")
    values = node.operands()
    initial, scanned = values[:-scan_count], values[-scan_count:]
    axes = _axes(node, "scan_input_axes", scanned)
    count = shape(scanned[0])[axes[0]]
    if count == DYNAMIC:
        raise OpenSizeError(node.op_type)
    check_steps(count)
    backward = node.integers("scan_input_directions", [0] * scan_count)
    outputs = len(body.output) - len(initial)
    output_axes = node.integers("scan_output_axes", [0] * outputs)
    output_backward = node.integers("scan_output_directions", [0] * outputs)
    steps = Steps(
        count,
        initial,
        [
            _turned(g, _axis_to_front(g, x, axis), back != backward[0])
            for x, axis, back in zip(scanned, axes, backward, strict=True)
        ],
        bool(backward[0]),
    )

    def write_step(states: Sequence[SSAValue], parts: Sequence[SSAValue]) -> Sequence[SSAValue]:
        return node.inline(body, [*states, *parts])

    found = _steps_of_scan(node, steps, write_step)
    return [
        *found[: len(initial)],
        *(
            _axis_from_front(g, _turned(g, x, back != backward[0]), axis)
            for x, axis, back in zip(
                found[len(initial) :], output_axes, output_backward, strict=True
            )
        ),
    ]


def _steps_of_scan(node: NodeContext, steps: Steps, write_step: WriteStep) -> list[SSAValue]:
    if steps.count == 0:
        return without_steps(node, steps, write_step)
    found = write_loop(node, steps, write_step) if steps.count >= LOOPED_STEPS else None
    return found if found is not None else _unrolled_scan(node, steps, write_step)


def _unrolled_scan(node: NodeContext, steps: Steps, write_step: WriteStep) -> list[SSAValue]:
    """Write the steps of a Scan one by one."""
    _check_iterations(steps.count - 1)
    states = list(steps.initial)
    rows: list[Sequence[SSAValue]] = []
    before = node.inserted
    for step in range(steps.count):
        at = steps.count - 1 - step if steps.backward else step
        found = write_step(states, [_take(node, x, at) for x in steps.sliced])
        assert found is not None
        states, outputs = list(found[: len(states)]), found[len(states) :]
        rows.append(outputs)
    remark_unrolling(node, steps.count, node.inserted - before)
    ordered = rows[::-1] if steps.backward else rows
    return [*states, *(_stack(node, parts) for parts in zip(*ordered, strict=True))]


def _axes(node: NodeContext, name: str, values: Sequence[SSAValue]) -> list[int]:
    axes = node.integers(name, [0] * len(values))
    return [normalized_axis(a, len(shape(x))) for a, x in zip(axes, values, strict=True)]


def _turned(g: Composer, x: SSAValue, is_turned: bool) -> SSAValue:
    return g.reverse(x, [0]) if is_turned else x


def _axis_to_front(g: Composer, x: SSAValue, axis: int) -> SSAValue:
    others = [a for a in range(len(shape(x))) if a != axis]
    return g.transpose(x, [axis, *others])


def _axis_from_front(g: Composer, x: SSAValue, axis: int) -> SSAValue:
    rank = len(shape(x))
    axis = normalized_axis(axis, rank)
    return g.transpose(x, [*range(1, axis + 1), 0, *range(axis + 1, rank)])


def _take(node: NodeContext, x: SSAValue, at: int) -> SSAValue:
    """Return the part of ``x`` at one position of its first axis, without that axis."""
    return reshape(node, slice_axes(node, x, {0: slice(at, at + 1)}), shape(x)[1:])


def _stack(node: NodeContext, parts: Sequence[SSAValue]) -> SSAValue:
    """Return equal-shaped values joined along a new first axis."""
    return concat(node, [reshape(node, part, [1, *shape(part)]) for part in parts], 0)


def _check_iterations(number: int) -> None:
    if number >= UNROLLED_ITERATIONS:
        raise CompileError(
            f"the loop has more than {UNROLLED_ITERATIONS} iterations, which is the most; export "
            "one iteration as the model, and call it in a loop of your program"
        )
