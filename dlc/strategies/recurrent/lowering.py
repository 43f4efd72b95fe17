"""The loops of ``recurrent``: a kernel whose blocks go through the steps together."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.lowering.job import Job
from dlc.strategies.recurrent.block_phase import BlockPhase
from dlc.strategies.recurrent.cell import Phase
from dlc.strategies.recurrent.cell_of_loop import cell_of
from dlc.strategies.recurrent.cell_scope import CellScope
from dlc.strategies.recurrent.cells import Cells
from dlc.strategies.recurrent.exchange import Exchange, published_type
from dlc.strategies.recurrent.fma_product import FmaBlockProduct
from dlc.strategies.recurrent.layout import layouts_of
from dlc.strategies.recurrent.matrix_product import MatrixBlockProduct
from dlc.strategies.recurrent.schedule import RecurrentOnGpu
from dlc.strategies.recurrent.thread import Thread


def lower(job: Job, schedule: RecurrentOnGpu) -> None:
    """Write the kernel of a group that is a loop of steps."""
    cell = cell_of(next(op for op in job.group.body.block.ops if isinstance(op, StepLoopOp)))
    layouts = layouts_of(cell, schedule)
    types = [published_type(layout, cell.exchanged_type, cell.loop.runs) for layout in layouts]
    published = [job.add_scratch(type) for type in types]
    job.threads, job.cooperative = schedule.threads, True
    job.filled += published
    layout = layouts[0]  # phases have other products, the same blocks
    scope = CellScope(job.builder, job.buffers)
    for inner, outer in zip(cell.shared, cell.loop.shared, strict=True):
        if outer in job.buffers:  # products read their weights there
            scope.buffers[inner] = job.buffers[outer]

    def write_block(block: AffineExpr) -> None:
        unit = scope.named("unit", block % layout.unit_blocks * schedule.units)
        group = scope.named("group", block // layout.unit_blocks)

        def write_thread(thread: AffineExpr) -> None:
            phases = [
                _phase(Thread(scope, cell, own, thread, group, unit), phase, buffer)
                for own, phase, buffer in zip(layouts, cell.phases, published, strict=True)
            ]
            _Steps(phases, job).write()

        scope.named_loop("thread", schedule.threads, LoopMap.THREAD, write_thread)

    scope.named_loop("block", layout.blocks, LoopMap.GRID, write_block)


def _phase(thread: Thread, phase: Phase, published: SSAValue) -> BlockPhase:
    element, schedule = thread.cell.exchanged_type, thread.layout.schedule
    exchange = Exchange(thread, element, published)
    kind = FmaBlockProduct if schedule.is_fma else MatrixBlockProduct
    is_rounded = not schedule.is_fma and element == f32
    product = kind(thread, phase, element, is_rounded, exchange.states)
    return BlockPhase(phase, exchange, product)


@dataclass
class _Steps:
    """What a thread does: all steps, one after the other."""

    phases: Sequence[BlockPhase]
    job: Job

    def __post_init__(self) -> None:
        self.thread = self.phases[0].exchange.thread
        results = list[SSAValue](self.thread.cell.loop.outputs)
        outputs = [(results.index(value), buffer) for value, buffer in self.job.outputs]
        self.cells = Cells(self.thread, self.phases, outputs)

    def write(self) -> None:
        scope, cell = self.thread.scope, self.thread.cell
        first, *others = self.phases
        for phase in self.phases:
            phase.product.hold()
        first.exchange.begin([cell.loop.initial[number] for number in cell.exchanged])
        for phase in others:
            phase.exchange.begin_empty()
        self.cells.begin()
        loop = ForOp(0, cell.loop.runs, kind=LoopKind.REDUCTION)
        loop.induction.name_hint = "step"
        with scope.loop(loop, stay=True) as step:
            self._write_step(step)
            scope.b.builder.insert(YieldOp())
        self.cells.end()

    def _write_step(self, step: AffineExpr) -> None:
        """Write a step: what is the step's own is on its way while states are awaited."""
        scope, loop = self.thread.scope, self.thread.cell.loop
        place = step * -1 + (loop.runs - 1) if loop.backward is not None else step
        first, *others = self.phases
        self.cells.bring(place)
        zero = scope.b.constant(0, IndexType())
        later = scope.b.compare("gt", scope.index_value(step), zero)
        scope.where(later, lambda: first.exchange.bring(step - 1))
        first.product.multiply()
        for phase in others:
            self.cells.give(phase, step)
            phase.exchange.bring(step)
            phase.product.multiply()
        self.cells.finish(step, place)
        self.cells.results.fill(place)
