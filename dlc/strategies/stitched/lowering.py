"""The kernel of ``stitched``: the loops of each stage as its strategy writes them, one after the
other, and meetings in between.
"""

from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType, i32
from xdsl.ir import SSAValue

from dlc.analysis.dataflow import Cluster, Dataflow
from dlc.analysis.outline import outline_apart
from dlc.dialects.loop import BarrierOp, BarrierScope
from dlc.errors import CompileError
from dlc.ir.tensor import tensor_type
from dlc.lowering.job import Job, buffer_of
from dlc.strategies._choice import implementation
from dlc.strategies._schedule import Schedule
from dlc.strategies.stitched.schedule import GRID, NONE, StitchedOnGpu
from dlc.strategies.stitched.stages import stages_of


def lower(job: Job, schedule: StitchedOnGpu) -> None:
    """Write the kernel of a group of several stages; raises CompileError where a stage cannot obey
    its schedule.
    """
    flow = Dataflow(job.group.body.block)
    stages = stages_of(Cluster(flow, tuple(flow.ops)))
    results = {value for stage in stages for value in stage.results}
    job.threads, job.blocks = schedule.threads, schedule.blocks
    job.cluster = schedule.blocks if schedule.is_cluster else 1
    job.cooperative = schedule.is_cooperative
    if any(value not in results for value, _ in job.outputs):
        raise CompileError("a kernel of stages gives results of ops; take views of them out of it")
    kernel = _Kernel(job)
    for number, (stage, own) in enumerate(zip(stages, schedule.parts, strict=True)):
        if number:
            kernel.meet(schedule.carry[number - 1])
        kernel.write(stage, own)


@dataclass
class _Kernel:
    """buffers: where the inputs of the group are, and what stages give. counter: at which blocks of
    the grid arrive; meetings: of the grid so far.
    """

    job: Job
    buffers: dict[SSAValue, SSAValue] = field(init=False)
    counter: SSAValue | None = None
    meetings: int = 0

    def __post_init__(self) -> None:
        self.buffers = {**self.job.buffers, **dict(self.job.outputs)}

    def meet(self, carry: str) -> None:
        """Write that threads meet before a stage: those of a block, which use its shared memory
        again, where it reads nothing of others.
        """
        if carry == GRID:
            if self.counter is None:
                self.counter = self.job.add_scratch(MemRefType(i32, [1]))
                self.job.filled.append(self.counter)
            self.meetings += 1
            barrier = BarrierOp(BarrierScope.GRID, self.counter, self.meetings)
        else:
            barrier = BarrierOp(BarrierScope.BLOCK if carry == NONE else BarrierScope(carry))
        self.job.builder.insert(barrier)

    def write(self, stage: Cluster, schedule: Schedule) -> None:
        """Write the loops of a stage."""
        group = outline_apart(stage, self.job.group.sym_name.data)
        own = Job.of(group)
        implementation(schedule).lower(own, schedule)
        alone = own.threads in (None, self.job.threads) and own.cluster == 1
        if own.earlier or own.scratch or own.repacked or own.cooperative or not alone:
            raise CompileError("a stage is one kernel whose blocks need nothing but its inputs")
        given = [self.buffers[stage.flow.origin(x)] for x in group.inputs]
        given += [self._buffer(value) for value in stage.results]
        for old, new in zip(own.block.args, given, strict=True):
            old.replace_all_uses_with(new)
        for op in tuple(own.block.ops):
            op.detach()
            self.job.block.add_op(op)
        group.drop_all_references()

    def _buffer(self, value: SSAValue) -> SSAValue:
        """Return the buffer for what a stage gives: scratch, unless it is a result of the group."""
        if value not in self.buffers:
            self.buffers[value] = self.job.add_scratch(buffer_of(tensor_type(value)))
        return self.buffers[value]
