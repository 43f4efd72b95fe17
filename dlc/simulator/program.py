"""Runs the launches of ``main`` one after the other."""

from collections.abc import Mapping, Sequence

import numpy as np
from xdsl.dialects.builtin import ModuleOp
from xdsl.dialects.func import FuncOp, ReturnOp
from xdsl.ir import Operation, SSAValue

from dlc.analysis.entry import find_main, input_names
from dlc.analysis.evaluation import constant_value
from dlc.core.locations import operation_text
from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import LaunchOp
from dlc.dialects.graph.overlay import stored, stored_type
from dlc.dialects.graph.structure import GraphOp
from dlc.errors import CompileError
from dlc.ir.tensor import numpy_dtype
from dlc.simulator._buffer import Array
from dlc.simulator.launch import Order, SimulationReport, simulate


def run_module(
    module: ModuleOp,
    feeds: Sequence[Array] | Mapping[str, Array],
    weights: WeightStore | None = None,
    *,
    block_order: Order = "forward",
    checks: bool = True,
    reports: list[SimulationReport] | None = None,
) -> list[Array]:
    """Return the results of ``main`` at the ``gpu`` level, every launch simulated.

    feeds: the inputs in order or by name. reports: gets the report of each launch.

    Raises SimulationError for a fault of a kernel, CompileError for an op of ``main`` that is
    neither a launch nor a view nor a constant.
    """
    main = find_main(module)
    store = WeightStore() if weights is None else weights
    values: dict[SSAValue, Array] = dict(zip(main.args, _inputs(main, feeds), strict=True))
    for op in main.body.block.ops:
        if isinstance(op, ReturnOp):
            return [values[value] for value in op.arguments]
        if not isinstance(op, LaunchOp):
            values[op.results[0]] = _value(op, [values[x] for x in op.operands], store)
            continue
        outputs = [
            np.zeros(t.get_shape(), numpy_dtype(t.element_type))
            for t in map(stored_type, op.outputs)
        ]
        arrays = [*(values[x] for x in op.inputs), *outputs]
        report = simulate(
            module,
            op.kernel_name,
            arrays,
            block_order=block_order,
            checks=checks,
            conflicts=reports is not None,
        )
        if reports is not None:
            reports.append(report)
        found = (stored(x, array) for x, array in zip(op.outputs, outputs, strict=True))
        values.update(zip(op.outputs, found, strict=True))
    return []


def _inputs(main: FuncOp, feeds: Sequence[Array] | Mapping[str, Array]) -> Sequence[Array]:
    if not isinstance(feeds, Mapping):
        return [np.asarray(array, order="C") for array in feeds]
    return [np.asarray(feeds[name], order="C") for name in input_names(main)]


def _value(op: Operation, operands: Sequence[Array], weights: WeightStore) -> Array:
    """Return the result of an op that needs no kernel."""
    if isinstance(op, GraphOp) and (op.is_view or op.operand_offsets is not None):
        return np.asarray(op.reference(*operands), order="C")
    if isinstance(op, GraphOp) and op.is_constant:
        known = constant_value(op.results[0], weights)
        if known is not None:
            return np.asarray(known, order="C")
    raise CompileError("is in no kernel; lower the module to gpu first", at=operation_text(op))
