"""Tiles that are staged once before a loop over slices, which warps of their own bring: they bring
these, too.

Where a block walks over tiles of the result, each such tile has two slots, so that those of the
next one come while one is worked on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.ir import SSAValue
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.core.locations import operation_text
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop import AllocOp, ForOp, StageOp
from dlc.errors import CompileError
from dlc.lowering.scope import LoopScope
from dlc.simt.slot_ring import SlotRing
from dlc.simt.slots import with_slots
from dlc.simt.tile_walk import tiles_before


def stages_before(loop: ForOp) -> list[StageOp]:
    """Return the stages that stand beside a loop, before it, and nobody brings yet."""
    block = loop.parent_block()
    assert block is not None
    ops = list(block.ops)
    stages = (op for op in ops[: ops.index(loop)] if isinstance(op, StageOp))
    return [stage for stage in stages if stage.asynchronous is None]


@dataclass(frozen=True)
class WholeTiles:
    """tiles: the buffer of all slots of each, in the order of the stages. ring: the objects of the
    slots, which are used again where there is a walk. step: that of the walk; 0 where there is
    none.
    """

    tiles: Sequence[SSAValue]
    ring: SlotRing
    step: int

    @staticmethod
    def of(scope: LoopScope, loop: ForOp, step: int) -> "WholeTiles | None":
        """Write the buffers for what is staged before a loop; nothing where that is nothing.

        Raises CompileError for a tile that tensor copies do not bring.
        """
        stages, slots = stages_before(loop), 2 if step else 1
        for stage in stages:
            if stage.tensor is None:
                raise CompileError(
                    "a tile that is staged before a loop with producers comes by tensor copies: "
                    "it must be a box of a tensor in memory",
                    at=operation_text(stage),
                )
        if not stages:
            return None
        tiles = [scope.b.insert(with_slots(stage.tile, slots)) for stage in stages]
        ring = SlotRing.of(scope, slots, "_whole", is_reused=step > 0)
        return WholeTiles(tiles, ring, step)

    def wait(self, loop: ForOp) -> None:
        """Let those who multiply wait for the tiles before the loop, and give them back after."""
        scope = LoopScope(Builder(InsertPoint.before(loop)), {})
        number = tiles_before(scope, loop, self.step)
        self.ring.wait_until_full(scope, number)
        scope.b.builder.insertion_point = InsertPoint.after(loop)
        self.ring.give_back(scope, loop, number)

    def slots_of(self, scope: LoopScope, loop: ForOp) -> Mapping[SSAValue, Place]:
        """Return where each staged tile is, from the buffer that the stage has."""
        number = tiles_before(scope, loop, self.step)
        stages = zip(stages_before(loop), self.tiles, strict=True)
        return {stage.tile: self.ring.in_slot(scope, tile, number) for stage, tile in stages}

    def write_copies(self, loop: ForOp) -> None:
        """Let one thread start the copies when the slots are empty."""
        stages = stages_before(loop)
        scope = LoopScope(Builder(InsertPoint.before(loop)), {})
        number, insert = tiles_before(scope, loop, self.step), scope.b.builder.insert
        self.ring.wait_until_empty(scope, number)
        arrival = self.ring.expect(scope, number, sum(stage.bytes for stage in stages))
        for stage, tile in zip(stages, self.tiles, strict=True):
            copy = stage.clone()
            place, element = self.ring.in_slot(scope, tile, number), copy.detach_region(0)
            insert(StageOp(place, stage.map.data, element, True, True, arrival))
            copy.erase()

    def erase(self, loop: ForOp) -> None:
        """Take the stages away of which nothing reads the tiles any more."""
        for stage in stages_before(loop):
            tile = stage.tile.owner
            assert isinstance(tile, AllocOp)
            Rewriter.erase_op(stage)
            Rewriter.erase_op(tile)
