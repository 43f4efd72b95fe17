"""The loops of ``recurrent``: a kernel whose blocks go through the steps together."""

from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, f32
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.loop.attributes import LoopKind, LoopMap
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.lowering.job import Job
from dlc.strategies.recurrent.cell import CellScope, cell_of
from dlc.strategies.recurrent.cells import Cells
from dlc.strategies.recurrent.exchange import Exchange, published_type
from dlc.strategies.recurrent.fma_product import FmaBlockProduct
from dlc.strategies.recurrent.layout import layout_of
from dlc.strategies.recurrent.matrix_product import MatrixBlockProduct
from dlc.strategies.recurrent.schedule import RecurrentOnGpu
from dlc.strategies.recurrent.thread import Thread


def lower(job: Job, schedule: RecurrentOnGpu) -> None:
    """Write the kernel of a group that is a loop of steps."""
    cell = cell_of(next(op for op in job.group.body.block.ops if isinstance(op, StepLoopOp)))
    layout = layout_of(cell, schedule)
    published = job.add_scratch(published_type(layout, cell.exchanged_type, cell.loop.runs))
    job.threads, job.cooperative = schedule.threads, True
    job.filled.append(published)
    scope = CellScope(job.builder, job.buffers)
    for inner, outer in zip(cell.shared, cell.loop.shared, strict=True):
        if outer in job.buffers:  # products read their weights there
            scope.buffers[inner] = job.buffers[outer]

    def write_block(block: AffineExpr) -> None:
        unit = scope.named("unit", block % layout.unit_blocks * schedule.units)
        group = scope.named("group", block // layout.unit_blocks)

        def write_thread(thread: AffineExpr) -> None:
            _Steps(Thread(scope, cell, layout, thread, group, unit), job, published).write()

        scope.named_loop("thread", schedule.threads, LoopMap.THREAD, write_thread)

    scope.named_loop("block", layout.blocks, LoopMap.GRID, write_block)


@dataclass
class _Steps:
    """What a thread does: all steps, one after the other."""

    thread: Thread
    job: Job
    published: SSAValue

    def __post_init__(self) -> None:
        loop, schedule = self.thread.cell.loop, self.thread.layout.schedule
        element = self.thread.cell.exchanged_type
        self.exchange = Exchange(self.thread, element, self.published)
        kind = FmaBlockProduct if schedule.is_fma else MatrixBlockProduct
        is_rounded = not schedule.is_fma and element == f32
        self.product = kind(self.thread, element, is_rounded, self.exchange.states)
        results = list[SSAValue](loop.outputs)
        outputs = [(results.index(value), buffer) for value, buffer in self.job.outputs]
        self.cells = Cells(self.thread, self.product, self.exchange, outputs)

    def write(self) -> None:
        scope, cell = self.thread.scope, self.thread.cell
        self.product.hold()
        self.exchange.begin([cell.loop.initial[number] for number in cell.exchanged])
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
        self.cells.bring(place)
        first = scope.b.constant(0, IndexType())
        later = scope.b.compare("gt", scope.index_value(step), first)
        scope.where(later, lambda: self.exchange.bring(step - 1))
        self.product.multiply()
        self.cells.finish(step, place)
        self.cells.fill(place)
