"""One iteration of a loop over slices, on its way to a ring of slots."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.core.affine import extent
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop import AllocOp, ForOp, StageOp
from dlc.lowering.scope import LoopScope
from dlc.simt.slots import Slots, stages_of
from dlc.simt.tile_walk import tiles_before


@dataclass(frozen=True)
class Slice:
    """scope: writes at the start of the iteration. before: the slices that the block has brought
    before the loop. number: that of the slice among all that it brings. old: what the iteration has
    consisted of.
    """

    loop: ForOp
    scope: LoopScope
    slots: Slots
    before: AffineExpr
    number: AffineExpr
    old: Sequence[Operation]

    @staticmethod
    def of(
        loop: ForOp,
        count: int,
        buffers: Sequence[SSAValue],
        step: int,
        whole: Callable[[LoopScope, ForOp], Mapping[SSAValue, Place]],
    ) -> "Slice":
        """Return the iteration of a loop. count: of slots. buffers: those of each stage's tile.
        step: of the loop over tiles around it. whole: says where tiles that stay for all slices
        are.
        """
        tiles = dict(zip((stage.tile for stage in stages_of(loop)), buffers, strict=True))
        *old, _ = loop.body.block.ops
        scope = LoopScope(Builder(InsertPoint.before(loop)), {})
        before = tiles_before(scope, loop, step) * len(loop.range)
        scope.b.builder.insertion_point = InsertPoint.at_start(loop.body.block)
        number = before + scope.dim(loop.induction, extent(len(loop.range)))
        return Slice(loop, scope, Slots(count, tiles, whole(scope, loop)), before, number, old)

    def stage(self, stages: Sequence[StageOp], barrier: Place | None = None) -> None:
        """Write stages of the slice; tensor copies arrive at an object."""
        loop = self.loop
        self.slots.stage(self.scope, loop, loop.induction, self.number, stages, barrier)

    def after_last(self) -> AffineExpr:
        """Go behind the loop; return the number of its last slice."""
        self.scope.b.builder.insertion_point = InsertPoint.after(self.loop)
        return self.before + len(self.loop.range) - 1

    def finish(self) -> None:
        """Erase what the iteration was, and the tiles that have slots now."""
        for op in reversed(self.old):
            Rewriter.erase_op(op)
        for tile in self.slots.tiles:
            assert isinstance(tile.owner, AllocOp)
            Rewriter.erase_op(tile.owner)
        self.loop.pipeline = self.loop.producers = self.loop.turns = self.loop.registers = None
        self.loop.staggered = None
