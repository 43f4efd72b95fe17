"""Bring the tiles of later slices while one is multiplied."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects.builtin import MemRefType, ModuleOp
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.core.affine import extent
from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.dialects import gpu
from dlc.dialects.loop import AllocOp, ContractOp, ForOp, KernelOp, StageOp, YieldOp
from dlc.dialects.loop.stage import TilePlace
from dlc.errors import CompileError
from dlc.ir.space import buffer_type
from dlc.lowering.scope import LoopScope


class LoopPipelineStagesPass(DlcPass):
    """Obey ``pipeline = N``: each staged tile of the loop gets N slots, slices are brought N - 1
    iterations ahead, and an iteration waits only for its own.

    Loops without the attribute, or with N = 1, stay: their tiles are brought and awaited in turn.

    Where products are asynchronous, copies start under them. From three slots on the products of
    the slice before are still under way, too; so its slot stays as it is, and slices are brought
    N - 2 iterations ahead.

    Runs on: ``loop``. Leaves: ``loop`` with the synchronisation of ``gpu``. Order: before
    ``loop-assign-stages``.

    ::

        loop.for %k = 0 to 9 {pipeline = 3}   ->  loop.stage async %s[0] (%k = 0)  commit
          loop.stage %s {..}                      loop.stage async %s[1] (%k = 1)  commit
          loop.contract %acc, %s, ..              loop.for %k = 0 to 9
                                                    wait {outstanding = 1}  barrier
                                                    if %k + 2 < 9
                                                      loop.stage async %s[(%k + 2) mod 3] (%k + 2)
                                                    commit
                                                    loop.contract %acc, %s[%k mod 3], ..
    """

    name = "loop-pipeline-stages"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for kernel in op.ops:
            if isinstance(kernel, KernelOp):
                for loop in [o for o in kernel.walk() if isinstance(o, ForOp)]:
                    slots, loop.pipeline = loop.slots, None
                    if slots > 1:
                        _Pipeline(loop, slots).write()


@dataclass(frozen=True)
class _Pipeline:
    """The loop on its way to ``slots`` slices at a time."""

    loop: ForOp
    slots: int

    def write(self) -> None:
        """Rewrite the loop and put the first copies before it."""
        self._check()
        body = self.loop.body.block
        stages = [op for op in body.ops if isinstance(op, StageOp)]
        for stage in stages:
            self._check_tile(stage)
        tiles = {stage.tile: self._with_slots(stage.tile) for stage in stages}
        ahead, count = self.slots - 1 - self._behind, len(self.loop.range)
        scope = LoopScope(Builder(InsertPoint.before(self.loop)), {})
        insert = scope.b.builder.insert
        for number in range(ahead):
            if number < count:
                self._stage(scope, stages, tiles, AffineExpr.constant(number))
            insert(gpu.CpAsyncCommitOp())
        scope.b.builder.insertion_point = InsertPoint.at_start(body)
        slice = scope.dim(self.loop.induction, extent(count))
        following = slice + ahead
        insert(gpu.CpAsyncWaitOp(ahead - 1))
        self._write_barrier(scope)
        if self._is_asynchronous:  # then copies start under the products
            self._contract(scope, tiles)
        scope.where_below(following, count, lambda: self._stage(scope, stages, tiles, following))
        insert(gpu.CpAsyncCommitOp())
        if not self._is_asynchronous:
            self._contract(scope, tiles)
        self._write_waits(scope)
        for op in stages:
            Rewriter.erase_op(op)
        for old in tiles:
            assert isinstance(old.owner, AllocOp)
            Rewriter.erase_op(old.owner)

    @cached_property
    def _contractions(self) -> Sequence[ContractOp]:
        return [op for op in self.loop.body.block.ops if isinstance(op, ContractOp)]

    @cached_property
    def _is_asynchronous(self) -> bool:
        """Whether products may be under way while threads go on."""
        return any(op.instruction.is_asynchronous for op in self._contractions)

    @property
    def _behind(self) -> int:
        """The slices before the present one whose products are still under way: the slots that they
        read are not written to yet.
        """
        return 1 if self._is_asynchronous and self.slots > 2 else 0

    def _write_barrier(self, scope: LoopScope) -> None:
        """Write that all threads' copies of the present slice have come."""
        if self._is_asynchronous:
            scope.b.builder.insert(gpu.AsyncFenceOp())
        scope.b.builder.insert(gpu.BarrierOp())

    def _write_waits(self, scope: LoopScope) -> None:
        """Write the waits for products: at the end of a slice for those of the one that many
        before, after the loop for all.
        """
        if self._is_asynchronous:
            scope.b.builder.insert(gpu.WgmmaWaitOp(self._behind))
        if self._behind:
            Rewriter.insert_op(gpu.WgmmaWaitOp(0), InsertPoint.after(self.loop))

    def _check(self) -> None:
        """Raise CompileError for a loop that cannot be run ahead."""
        known = StageOp | ContractOp | YieldOp
        ops = tuple(self.loop.body.block.ops)
        plain = all(isinstance(op, known) for op in ops)
        if not plain or self.loop.range.step != 1 or self.loop.range.start:
            raise CompileError(
                f"a pipeline of {self.slots} needs slices 0, 1, 2 .. that are staged and "
                "contracted, and nothing else in the loop",
                at=operation_text(self.loop),
            )

    def _check_tile(self, stage: StageOp) -> None:
        """Raise CompileError for a tile that cannot get slots."""
        inside = all(use.operation.parent_op() is self.loop for use in stage.tile.uses)
        if not inside or not isinstance(stage.tile.owner, AllocOp) or stage.slot.data.results:
            raise CompileError(
                "the tile of a pipelined stage is a buffer of its own, used in the loop only",
                at=operation_text(stage),
            )

    def _with_slots(self, tile: SSAValue) -> SSAValue:
        """Return a buffer of as many tiles in place of one."""
        old, type = tile.owner, buffer_type(tile)
        assert isinstance(old, AllocOp)
        sizes = [self.slots, *type.get_shape()]
        slots = MemRefType(type.element_type, sizes, memory_space=type.memory_space)
        new = AllocOp(slots, old.swizzle)
        new.location = old.location
        Rewriter.insert_op(new, InsertPoint.before(old))
        return new.buffer

    def _stage(
        self,
        scope: LoopScope,
        stages: Sequence[StageOp],
        tiles: dict[SSAValue, SSAValue],
        slice: AffineExpr,
    ) -> None:
        """Write the stages of a slice; their copies may be under way afterwards."""
        value = scope.index_value(slice)
        slot, dims = scope.resolve([slice % self.slots])
        for old in stages:
            copy = old.clone({self.loop.induction: value})
            place = tiles[old.tile], slot, dims
            new = StageOp(place, old.map.data, copy.detach_region(0), asynchronous=True)
            new.location = old.location
            scope.b.builder.insert(new)
            copy.erase()

    def _contract(self, scope: LoopScope, tiles: dict[SSAValue, SSAValue]) -> None:
        """Write the contractions, of the slots of their slice."""
        slot = AffineExpr.dimension(0) % self.slots

        def place(tile: SSAValue) -> TilePlace:
            return (tiles[tile], [slot], [self.loop.induction]) if tile in tiles else (tile, (), ())

        for op in self._contractions:
            new = ContractOp(
                op.accumulator,
                place(op.lhs),
                place(op.rhs),
                op.transpose_lhs is not None,
                op.transpose_rhs is not None,
                op.interleaved,
                asynchronous=op.instruction.is_asynchronous,
            )
            new.location = op.location
            scope.b.builder.insert(new)
            Rewriter.erase_op(op)
