"""A load once more in another place, with the loops and conditions around it."""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.dialects import arith, scf
from xdsl.dialects.builtin import IndexType, IntegerAttr
from xdsl.ir import Block, Operation, Region, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.analysis.load_ahead import LoadAhead
from dlc.analysis.unrolled import neighbours_in
from dlc.dialects.gpu import CopyOp
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.gpu.unroll import UNROLL


@dataclass(frozen=True)
class LoadNest:
    """A load with what is around it, once more. held: the registers that it fills. values: what is
    computed again, by what it was.
    """

    load: LoadAhead
    held: SSAValue
    values: dict[SSAValue, SSAValue]

    def ops(self, depth: int = 0) -> list[Operation]:
        """Return what stands inside of so many of the loops and conditions around the load."""
        path = self.load.path
        inside = (op for op in self.load.needed if sum(a.is_ancestor(op) for a in path) == depth)
        made = [op.clone(self.values) for op in inside]
        if depth == len(path):
            return [*made, self._copy()]
        around = path[depth]
        if isinstance(around, scf.IfOp):
            condition = self.values.get(around.cond, around.cond)
            return [*made, scf.IfOp(condition, [], [*self.ops(depth + 1), scf.YieldOp()])]
        return [*made, *self._loop(around, depth)]

    def _loop(self, around: scf.ForOp, depth: int) -> list[Operation]:
        block = Block(arg_types=[IndexType()])
        self.values[around.body.block.args[0]] = block.args[0]
        block.add_ops([*self.ops(depth + 1), scf.YieldOp()])
        numbers = (0, neighbours_in(around), 1)
        bounds = [arith.ConstantOp(IntegerAttr(each, IndexType())) for each in numbers]
        first, end, step = (each.result for each in bounds)
        loop = scf.ForOp(first, end, step, [], Region(block))
        UNROLL.mark(loop)
        return [*bounds, loop]

    def _copy(self) -> CopyOp:
        source, _ = self.load.copy.accesses()
        operands = [self.values.get(value, value) for value in source.operands]
        rounds = [self.values[value] for value in self.load.positions]
        place = source.buffer, source.map.results, operands
        return CopyOp(place, self.place(rounds), source.elements)

    def place(self, rounds: Sequence[SSAValue]) -> Place:
        """Return where a round of the load is held."""
        dims = [AffineExpr.dimension(number) for number in range(len(rounds))]
        return self.held, [*dims, AffineExpr.constant(0)], rounds
