"""The slots in shared memory of the tiles of a loop over slices.

What a loop brings and multiplies may be written again for another slice: each tile has as many
slots as slices are there at a time, and slice number ``n`` is in slot ``n mod slots``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from xdsl.dialects.builtin import MemRefType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.core.locations import operation_text
from dlc.dialects.loop import AllocOp, ContractOp, ForOp, StageOp, YieldOp
from dlc.dialects.loop.stage import TileOp, TilePlace
from dlc.errors import CompileError
from dlc.ir.space import buffer_type
from dlc.lowering.scope import LoopScope


def check_slices(loop: ForOp, slots: int) -> None:
    """Raise CompileError for a loop whose slices cannot be brought ahead."""
    if not _is_plain(loop) or loop.range.step != 1 or loop.range.start:
        raise CompileError(
            f"a pipeline of {slots} needs slices 0, 1, 2 .. that are staged and contracted, and "
            "nothing else in the loop",
            at=operation_text(loop),
        )
    for stage in stages_of(loop):
        inside = all(use.operation.parent_op() is loop for use in stage.tile.uses)
        if not inside or not isinstance(stage.tile.owner, AllocOp) or stage.slot.data.results:
            raise CompileError(
                "the tile of a pipelined stage is a buffer of its own, used in the loop only",
                at=operation_text(stage),
            )


def _is_plain(loop: ForOp) -> bool:
    """Whether slices are staged and contracted; beside that, all threads may work on tiles in
    registers, where products are done when they go on.
    """
    ops = [op for op in loop.body.block.ops if not isinstance(op, YieldOp)]
    return all(isinstance(op, TileOp) for op in ops)


def stages_of(loop: ForOp) -> list[StageOp]:
    """Return the stages of a slice."""
    return [op for op in loop.body.block.ops if isinstance(op, StageOp)]


def contractions_of(loop: ForOp) -> list[ContractOp]:
    """Return the products of a slice."""
    return [op for op in loop.body.block.ops if isinstance(op, ContractOp)]


def after_stages(loop: ForOp) -> list[TileOp]:
    """Return what is done with a slice that was brought."""
    tiles = (op for op in loop.body.block.ops if isinstance(op, TileOp))
    return [op for op in tiles if not isinstance(op, StageOp)]


def is_alone(loop: ForOp) -> bool:
    """Return whether nothing else is done with tiles in the loop than staging and contracting."""
    tiles = (op for op in loop.body.block.ops if isinstance(op, TileOp))
    return all(isinstance(op, StageOp | ContractOp) for op in tiles)


def reads_in_place(loop: ForOp) -> bool:
    """Return whether instructions read slices where they lie in shared memory."""
    return any(op.instruction.is_asynchronous for op in contractions_of(loop))


def is_asynchronous(loop: ForOp) -> bool:
    """Return whether products of a slice may be under way while threads go on: where these do
    nothing else with the sums.
    """
    return is_alone(loop) and reads_in_place(loop)


def with_slots(tile: SSAValue, slots: int) -> AllocOp:
    """Return an allocation of as many tiles in place of one; it is not inserted yet."""
    old, type = tile.owner, buffer_type(tile)
    assert isinstance(old, AllocOp)
    sizes = [slots, *type.get_shape()]
    slots_type = MemRefType(type.element_type, sizes, memory_space=type.memory_space)
    new = AllocOp(slots_type, old.swizzle)
    new.location = old.location
    new.buffer.name_hint = tile.name_hint
    return new


@dataclass(frozen=True)
class Slots:
    """tiles: from the tile of a slice to the buffer of its slots. whole: from a tile that stays for
    all slices to where it is.
    """

    count: int
    tiles: Mapping[SSAValue, SSAValue]
    whole: Mapping[SSAValue, TilePlace] = field(default_factory=dict[SSAValue, TilePlace])

    def stage(
        self,
        scope: LoopScope,
        loop: ForOp,
        slice: SSAValue,
        number: AffineExpr,
        stages: Sequence[StageOp],
        barrier: TilePlace | None = None,
    ) -> None:
        """Write some stages of a slice of the loop as number ``number`` of all slices; their copies
        may be under way afterwards. barrier: where tensor copies arrive.
        """
        slot, dims = scope.resolve([number % self.count])
        for old in stages:
            copy = old.clone({loop.induction: slice})
            place, element = (self.tiles[old.tile], slot, dims), copy.detach_region(0)
            tensor = old.tensor is not None
            new = StageOp(place, old.map.data, element, True, tensor, barrier)
            new.location = old.location
            scope.b.builder.insert(new)
            copy.erase()

    def contract(self, scope: LoopScope, loop: ForOp, number: AffineExpr) -> None:
        """Write the products of a slice that is number ``number`` of all slices, and what else is
        done in registers; products that may are under way afterwards.
        """
        made = dict[SSAValue, SSAValue]()
        for old in after_stages(loop):
            if isinstance(old, ContractOp):
                self.product(scope, old, number, made, is_asynchronous(loop))
            else:
                new = old.clone(made)
                new.location = old.location
                scope.b.builder.insert(new)
                made.update(zip(old.results, new.results, strict=True))

    def product(
        self,
        scope: LoopScope,
        old: ContractOp,
        number: AffineExpr,
        made: Mapping[SSAValue, SSAValue],
        asynchronous: bool,
    ) -> None:
        """Write a product of a slice that is number ``number`` of all slices. made: what stands for
        values of the loop.
        """
        slot, dims = scope.resolve([number % self.count])
        new = ContractOp(
            made.get(old.accumulator, old.accumulator),
            self._place(made.get(old.lhs, old.lhs), slot, dims),
            self._place(old.rhs, slot, dims),
            old.transpose_lhs is not None,
            old.transpose_rhs is not None,
            old.interleaved,
            asynchronous=asynchronous,
            groups=old.products,
        )
        new.location = old.location
        scope.b.builder.insert(new)

    def _place(
        self, tile: SSAValue, slot: Sequence[AffineExpr], dims: Sequence[SSAValue]
    ) -> TilePlace:
        if tile in self.tiles:
            return self.tiles[tile], slot, dims
        return self.whole.get(tile, (tile, (), ()))
