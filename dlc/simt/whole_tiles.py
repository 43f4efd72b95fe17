"""Tiles that are staged once before a loop over slices, which warps of their own bring: they bring
these, too.

Where a block walks over tiles of the result, each such tile has two slots, so that those of the
next one come while one is worked on.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects.builtin import MemRefType, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.core.locations import operation_text
from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop import AllocOp, ForOp, StageOp
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.scope import LoopScope
from dlc.simt.ring_slice import arrive_by_warps
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
    """tiles: the buffer of all slots of each, in the order of the stages. full, empty: an object
    for each slot; those who multiply arrive at the latter where there is a walk. step: that of the
    walk; 0 where there is none.
    """

    tiles: Sequence[SSAValue]
    full: SSAValue
    empty: SSAValue | None
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
        full = _objects(scope, "full_whole", slots)
        empty = _objects(scope, "empty_whole", slots) if step else None
        return WholeTiles(tiles, full, empty, step)

    @property
    def slots(self) -> int:
        """How many there are of each."""
        return 2 if self.step else 1

    def objects(self, multiplying_warps: int) -> dict[SSAValue, int]:
        """Return the objects, and how many arrive at each."""
        empty = {} if self.empty is None else {self.empty: multiplying_warps}
        return {self.full: 1, **empty}

    def wait(self, loop: ForOp) -> None:
        """Let those who multiply wait for the tiles before the loop, and give them back after."""
        scope = LoopScope(Builder(InsertPoint.before(loop)), {})
        number = tiles_before(scope, loop, self.step)
        parity = scope.index_value(number // self.slots % 2)
        scope.b.builder.insert(gpu.MbarrierWaitOp(self._place(scope, self.full, number), parity))
        if self.empty is not None:
            scope.b.builder.insertion_point = InsertPoint.after(loop)
            arrive_by_warps(scope, loop, self._place(scope, self.empty, number))

    def slots_of(self, scope: LoopScope, loop: ForOp) -> Mapping[SSAValue, Place]:
        """Return where each staged tile is, from the buffer that the stage has."""
        number = tiles_before(scope, loop, self.step)
        stages = zip(stages_before(loop), self.tiles, strict=True)
        return {stage.tile: self._place(scope, tile, number) for stage, tile in stages}

    def write_copies(self, loop: ForOp) -> None:
        """Let one thread start the copies when the slots are empty."""
        stages = stages_before(loop)
        scope = LoopScope(Builder(InsertPoint.before(loop)), {})
        number, insert = tiles_before(scope, loop, self.step), scope.b.builder.insert
        if self.empty is not None:
            parity = scope.index_value((number // self.slots + 1) % 2)
            insert(gpu.MbarrierWaitOp(self._place(scope, self.empty, number), parity))
        arrival = self._place(scope, self.full, number)
        insert(gpu.MbarrierArriveOp(arrival, sum(stage.bytes for stage in stages)))
        for stage, tile in zip(stages, self.tiles, strict=True):
            copy = stage.clone()
            place, element = self._place(scope, tile, number), copy.detach_region(0)
            insert(StageOp(place, stage.map.data, element, True, True, arrival))
            copy.erase()

    def erase(self, loop: ForOp) -> None:
        """Take the stages away of which nothing reads the tiles any more."""
        for stage in stages_before(loop):
            tile = stage.tile.owner
            assert isinstance(tile, AllocOp)
            Rewriter.erase_op(stage)
            Rewriter.erase_op(tile)

    def _place(self, scope: LoopScope, buffer: SSAValue, number: AffineExpr) -> Place:
        slot, dims = scope.resolve([number % self.slots])
        return buffer, slot, dims


def _objects(scope: LoopScope, name: str, count: int) -> SSAValue:
    """Write a buffer of ``mbarrier`` objects."""
    type = MemRefType(i64, [count], memory_space=SpaceAttr(Space.SHARED))
    buffer = scope.b.insert(AllocOp(type))
    buffer.name_hint = name
    return buffer
