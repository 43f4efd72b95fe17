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
from dlc.strategies.recurrent.cell import Cell
from dlc.strategies.recurrent.cell_of_loop import cell_of
from dlc.strategies.recurrent.exchange import published_type
from dlc.strategies.recurrent.layout import Layout, layouts_of
from dlc.strategies.recurrent.schedule import RecurrentOnGpu


def published_values(group: GroupOp, arguments: Sequence[Array], _: WeightStore) -> list[Array]:
    """Return the buffers of what each phase exchanges in all steps, as they are when a launch has
    ended.
    """
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
    exchanged = _exchanged(cell, [_wide(values[x]) for x in loop.operands])
    return [
        _published(cell, layout, own)
        for layout, own in zip(layouts_of(cell, schedule), exchanged, strict=True)
    ]


def _published(cell: Cell, layout: Layout, values: Array) -> Array:
    """Return a buffer of values ``[step, factor, sequence, unit]``."""
    schedule, count = layout.schedule, len(layout.parts)
    groups = cell.sequences // schedule.sequences
    shape = cell.loop.runs, groups, count, schedule.sequences, layout.depth
    found = np.zeros(shape)
    own = values.reshape(shape[0], count, groups, schedule.sequences, cell.units)
    found[..., : cell.units] = own.swapaxes(1, 2)
    type = published_type(layout, cell.exchanged_type, cell.loop.runs)
    with np.errstate(all="ignore"):
        stored = found.astype(numpy_dtype(cell.exchanged_type))
    return stored.reshape(type.get_shape())


def _exchanged(cell: Cell, operands: Sequence[Array]) -> list[Array]:
    """Return what each phase exchanges in each step, in the order in which these run: the first one
    the states after the step.
    """
    loop = cell.loop
    states = [loop.yielded[number] for number in cell.exchanged]
    wanted = [states, *(phase.factors for phase in cell.phases[1:])]
    kept: list[list[list[Array]]] = [[] for _ in wanted]

    def run(arguments: list[Array]) -> Sequence[Array]:
        found = loop.body_values(arguments)
        for own, values in zip(kept, wanted, strict=True):
            own.append([found[value] for value in values])
        return [found[value] for value in loop.yielded]

    with np.errstate(all="ignore"):
        loop.run(operands, run)
    return [np.array(own) for own in kept]


def _wide(x: Array) -> Array:
    return x if x.dtype.kind in "iub" else x.astype(np.float64)
