"""The loops of ``recurrent`` on a CPU: a loop over steps, and in it one over units.

1. The weights are packed as ``[unit block][part][k][unit]``: a core reads them in order.
2. In each phase of a step a core sums the products of a block of units up, for all sequences, into
   a buffer of its own.
3. It makes of them what the next phase multiplies, or new states. Those that products read are in
   two buffers by turns: what a step reads no core writes in it. So cores meet once in a phase.
4. Every other step goes backward through the units: a core begins with the weights that it has read
   last, which its cache still holds.
"""

from dataclasses import dataclass

from xdsl.dialects.builtin import UnitAttr
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineDimExpr, AffineExpr

from dlc.dialects.graph.step_loop import StepLoopOp
from dlc.dialects.loop.attributes import LoopKind
from dlc.dialects.loop.structure import ForOp, YieldOp
from dlc.lowering.job import Job
from dlc.strategies.contract.register_tile import RegisterTile
from dlc.strategies.recurrent.cell import Phase
from dlc.strategies.recurrent.cell_of_loop import cell_of
from dlc.strategies.recurrent.cpu_block import UnitBlock
from dlc.strategies.recurrent.cpu_cells import BlockCells, Output
from dlc.strategies.recurrent.cpu_kernel import Exprs, Kernel
from dlc.strategies.recurrent.cpu_schedule import RecurrentOnCpu
from dlc.strategies.recurrent.cpu_sums import sum_up


def lower(job: Job, schedule: RecurrentOnCpu) -> None:
    """Write the kernel of a group that is a loop of steps."""
    cell = cell_of(next(op for op in job.group.body.block.ops if isinstance(op, StepLoopOp)))
    results = list[SSAValue](cell.loop.outputs)
    outputs = [(results.index(value), buffer) for value, buffer in job.outputs]
    _Steps(Kernel(job, cell, schedule), outputs).write()


@dataclass
class _Steps:
    """All steps, one after the other."""

    kernel: Kernel
    outputs: list[Output]

    def write(self) -> None:
        kernel, scope = self.kernel, self.kernel.scope
        kernel.each_cell(self._begin)
        pairs, odd = divmod(kernel.loop.runs, 2)
        if pairs:
            loop = ForOp(0, pairs, kind=LoopKind.REDUCTION)
            with scope.loop(loop, stay=True) as pair:
                self._step(pair * 2, 0)
                self._step(pair * 2 + 1, 1)
                scope.b.builder.insert(YieldOp())
        if odd:
            self._step(AffineExpr.constant(kernel.loop.runs - 1), 0)
        self.last = [each for each in self.outputs if each[0] < len(kernel.states)]
        if self.last:
            kernel.each_cell(self._end)

    def _begin(self, at: Exprs) -> None:
        """Write the first states of a cell."""
        kernel, zero = self.kernel, AffineExpr.constant(0)
        for initial, buffer in zip(kernel.loop.initial, kernel.states, strict=True):
            kernel.store(kernel.scope.read(initial, at), buffer, [zero, *at])

    def _end(self, at: Exprs) -> None:
        """Write the last states of a cell, where they are results."""
        kernel = self.kernel
        for number, buffer in self.last:
            turn = kernel.turn(number, kernel.loop.runs % 2)
            kernel.store(kernel.load(kernel.states[number], [turn, *at]), buffer, at)

    def _step(self, step: AffineExpr, odd: int) -> None:
        for phase in self.kernel.cell.phases:
            self._phase(phase, step, odd)

    def _phase(self, phase: Phase, step: AffineExpr, odd: int) -> None:
        tile, units = self.kernel.tile, self.kernel.cell.units
        whole, rest = divmod(units, tile.columns)
        if whole:
            self._blocks(phase, step, odd, range(whole), tile, tile.columns)
        if rest:
            last = RegisterTile(tile.rows, -(-rest // tile.lanes), tile.lanes)
            self._blocks(phase, step, odd, range(whole, whole + 1), last, rest)

    def _blocks(
        self,
        phase: Phase,
        step: AffineExpr,
        odd: int,
        blocks: range,
        tile: RegisterTile,
        units: int,
    ) -> None:
        """Write a phase of a step of blocks of units, by their numbers."""
        kernel = self.kernel
        place = step * -1 + (kernel.loop.runs - 1) if kernel.loop.backward is not None else step
        stacked = [each for each in self.outputs if each[0] >= len(kernel.states)]

        def write(block: AffineExpr) -> None:
            loop = kernel.scope.index_value(block) if isinstance(block, AffineDimExpr) else None
            body = UnitBlock(kernel, phase, tile, odd, block + blocks.start, units, loop)
            sum_up(body, place)
            BlockCells(body, place, stacked).write()

        if len(blocks) == 1:
            write(AffineExpr.constant(0))
            return
        loop = kernel.scope.parallel_loop(len(blocks), kernel.cores, write)
        if odd and kernel.schedule.cores:
            loop.backward = UnitAttr()
