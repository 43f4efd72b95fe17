"""A block of units in a phase of a step, which a core has."""

from collections.abc import Iterator
from dataclasses import dataclass

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.loop.memory import AllocOp
from dlc.ir.space import Space, SpaceAttr
from dlc.ir.tensor import compute_type
from dlc.strategies.contract.register_tile import RegisterTile
from dlc.strategies.recurrent.cell import Part, Phase
from dlc.strategies.recurrent.cpu_kernel import Kernel, Weights


@dataclass
class UnitBlock:
    """``units`` units of all sequences in a phase of a step.

    odd: whether the step is. number: of the block. loop: counts the blocks, where there are some.
    sums: ``[sequence, part * columns + unit]``.
    """

    kernel: Kernel
    phase: Phase
    tile: RegisterTile
    odd: int
    number: AffineExpr
    units: int
    loop: SSAValue | None

    def __post_init__(self) -> None:
        self.scope, self.cell = self.kernel.scope, self.kernel.cell
        self.compute = compute_type(self.cell.exchanged_type)
        sizes = [self.cell.sequences, len(self.phase.parts) * self.tile.columns]
        type = MemRefType(self.compute, sizes, memory_space=SpaceAttr(Space.REGISTER))
        self.sums = self.scope.b.insert(AllocOp(type))

    def parts(self) -> Iterator[tuple[Weights, int]]:
        """Yield the parts of units in the order in which they are summed up."""
        own = [each for each in self.kernel.weights if each.parts[0] in self.phase.parts]
        for weights in own:
            for number in range(len(weights.parts)):
                yield weights, number

    def sums_of(self, part: Part) -> tuple[SSAValue, AffineExpr]:
        """Return the buffer of the sums of a part of the phase, and the first column there.

        Sums that later phases read are at once where these find them: copied from the block's, GCC
        12 kept an accumulator of the product in memory, which took twice as long.
        """
        if part in self.kernel.kept:
            return self.kernel.kept[part], self.number * self.kernel.tile.columns
        column = self.phase.parts.index(part) * self.tile.columns
        return self.sums, AffineExpr.constant(column)
