"""Control flow: branches are chosen or computed both, loops are unrolled."""

from collections.abc import Sequence

import numpy as np
from onnx import GraphProto
from xdsl.ir import SSAValue

from dlc.dialects.graph.comparison import WhereOp
from dlc.dialects.graph.properties import normalized_axis
from dlc.errors import CompileError
from dlc.frontends.onnx.conversion import NodeContext, converts
from dlc.frontends.onnx.ops.layout import concat, slice_axes
from dlc.frontends.onnx.ops.shape import reshape
from dlc.frontends.onnx.shape_rules import RefusedError
from dlc.frontends.onnx.unrolling import remark_unrolling
from dlc.ir.tensor import element_type, is_float, numpy_dtype, shape

UNROLLED_ITERATIONS = 1024
"""A loop of more iterations is not imported: each iteration becomes ops of its own."""


@converts("If", since=1)
def _if(node: NodeContext) -> Sequence[SSAValue | None]:
    then_branch, else_branch = node.graph("then_branch"), node.graph("else_branch")
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
    body = node.graph("body")
    count = _iterations(node)
    going = node.optional(1)
    carried = [node.operand(i) for i in range(2, node.operand_count)]
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
    return [*carried, *(_stack(node, parts, 0) for parts in zip(*scanned, strict=True))]


def _iterations(node: NodeContext) -> int | None:
    """Return the trip count of a Loop; ``None`` when only its condition ends it."""
    if node.optional(0) is None:
        return None
    return max(int(node.require_constant(0, "trip count").item()), 0)


@converts("Scan", since=9)
def _scan(node: NodeContext) -> Sequence[SSAValue | None]:
    body = node.graph("body")
    scan_count = node.integer("num_scan_inputs")
    values = node.operands()
    carried, scanned = values[:-scan_count], values[-scan_count:]
    axes = _axes(node, "scan_input_axes", scanned)
    count = shape(scanned[0])[axes[0]]
    _check_iterations(count - 1)
    backward = node.integers("scan_input_directions", [0] * scan_count)
    outputs: list[Sequence[SSAValue]] = []
    before = node.inserted
    for step in range(count):
        at = [count - 1 - step if back else step for back in backward]
        parts = [_take(node, x, a, i) for x, a, i in zip(scanned, axes, at, strict=True)]
        results = node.inline(body, [*carried, *parts])
        carried = list(results[: len(carried)])
        outputs.append(results[len(carried) :])
    remark_unrolling(node, count, node.inserted - before)
    return [*carried, *_scan_outputs(node, list(zip(*outputs, strict=True)))]


def _scan_outputs(node: NodeContext, outputs: Sequence[Sequence[SSAValue]]) -> list[SSAValue]:
    axes = node.integers("scan_output_axes", [0] * len(outputs))
    backward = node.integers("scan_output_directions", [0] * len(outputs))
    return [
        _stack(node, parts[::-1] if back else parts, axis)
        for parts, axis, back in zip(outputs, axes, backward, strict=True)
    ]


def _axes(node: NodeContext, name: str, values: Sequence[SSAValue]) -> list[int]:
    axes = node.integers(name, [0] * len(values))
    return [normalized_axis(a, len(shape(x))) for a, x in zip(axes, values, strict=True)]


def _take(node: NodeContext, x: SSAValue, axis: int, at: int) -> SSAValue:
    """Return the part of ``x`` at one position of an axis, without that axis."""
    part = slice_axes(node, x, {axis: slice(at, at + 1)})
    sizes = shape(part)
    return reshape(node, part, [*sizes[:axis], *sizes[axis + 1 :]])


def _stack(node: NodeContext, parts: Sequence[SSAValue], axis: int) -> SSAValue:
    """Return equal-shaped values joined along a new axis."""
    sizes = shape(parts[0])
    axis = normalized_axis(axis, len(sizes) + 1)
    sizes = [*sizes[:axis], 1, *sizes[axis:]]
    return concat(node, [reshape(node, part, sizes) for part in parts], axis)


def _check_iterations(number: int) -> None:
    if number >= UNROLLED_ITERATIONS:
        raise CompileError(
            f"the loop has more than {UNROLLED_ITERATIONS} iterations, which is the most; export "
            "one iteration as the model, and call it in a loop of your program"
        )
