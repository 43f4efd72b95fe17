"""What the blocks of a launch publish, by the meaning of the loop: for checks of some blocks."""

from collections.abc import Sequence

import numpy as np
from xdsl.ir import SSAValue

from dlc.core.weights import WeightStore
from dlc.dialects.fused_group import GroupOp
from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.graph.structure import Array, GraphOp
from dlc.ir.tensor import numpy_dtype
from dlc.strategies._choice import read
from dlc.strategies.recurrent.cell import cell_of
from dlc.strategies.recurrent.exchange import published_type
from dlc.strategies.recurrent.layout import layout_of
from dlc.strategies.recurrent.schedule import RecurrentOnGpu


def published_values(group: GroupOp, arguments: Sequence[Array], _: WeightStore) -> list[Array]:
    """Return the buffer of the states of all steps, as it is when a launch has ended."""
    loop, values = None, dict[SSAValue, Array](zip(group.body.block.args, arguments, strict=True))
    for op in group.body.block.ops:
        if isinstance(op, StepLoopOp):
            loop = op
        elif isinstance(op, GraphOp):
            found = op.reference()
            assert not isinstance(found, tuple)
            values[op.results[0]] = found
    assert loop is not None
    assert group.schedule is not None
    schedule = read(group.schedule)
    assert isinstance(schedule, RecurrentOnGpu)
    cell = cell_of(loop)
    layout = layout_of(cell, schedule)
    states = _states(loop, [_wide(values[x]) for x in loop.operands], cell.exchanged)
    groups = cell.sequences // schedule.sequences
    shape = loop.runs, groups, len(cell.exchanged), schedule.sequences, layout.depth
    found = np.zeros(shape)
    own = states.reshape(*shape[:1], len(cell.exchanged), groups, schedule.sequences, cell.units)
    found[..., : cell.units] = own.swapaxes(1, 2)
    type = published_type(layout, cell.exchanged_type, loop.runs)
    with np.errstate(all="ignore"):
        stored = found.astype(numpy_dtype(cell.exchanged_type))
    return [stored.reshape(type.get_shape())]


def _states(loop: StepLoopOp, operands: Sequence[Array], which: Sequence[int]) -> Array:
    """Return states after each step, in the order in which these run."""
    kept: list[list[Array]] = []

    def run(arguments: list[Array]) -> Sequence[Array]:
        found = loop.run_body(arguments)
        kept.append([found[number] for number in which])
        return found

    with np.errstate(all="ignore"):
        loop.run(operands, run)
    return np.array(kept)


def _wide(x: Array) -> Array:
    return x if x.dtype.kind in "iub" else x.astype(np.float64)
