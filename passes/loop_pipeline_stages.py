"""Bring the tiles of later slices while one is multiplied."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from xdsl.builder import Builder
from xdsl.context import Context
from xdsl.dialects import scf
from xdsl.dialects.builtin import ModuleOp, UnitAttr
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.core.affine import extent
from dlc.core.locations import operation_text
from dlc.core.passes import DlcPass
from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop import AllocOp, ForOp, KernelOp, StageOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.stage import TileOp
from dlc.errors import CompileError
from dlc.lowering.scope import LoopScope
from dlc.simt.arrivals import Arrivals
from dlc.simt.slots import (
    Slots,
    check_slices,
    is_alone,
    is_asynchronous,
    reads_in_place,
    stages_of,
    with_slots,
)
from dlc.simt.staggered import Staggered


class LoopPipelineStagesPass(DlcPass):
    """Obey ``pipeline = N``: each staged tile of the loop gets N slots, slices are brought N - 1
    iterations ahead, and an iteration waits only for its own.

    Loops without the attribute, or with N = 1, stay: their tiles are brought and awaited in turn.

    Where there is a slot for every slice, all of them are brought before the loop.

    Where threads also work on tiles in registers, products are awaited before that. A tile that is
    staged right before such a loop comes with the first slice, and only that is awaited then.

    Where products are asynchronous, copies start under them. From three slots on the products of
    the slice before are still under way, too; so its slot stays as it is, and slices are brought
    N - 2 iterations ahead.

    A ``staggered`` loop begins a slice while the one before ends; the slot of that stays, too, as
    it is.

    ``tensor`` stages of a slice arrive at an ``mbarrier`` object of its slot: the first thread
    starts their copies, all wait for the phase. A barrier of the block says that a slot was read.

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
        check_slices(self.loop, self.slots)
        *old, _ = self.loop.body.block.ops
        slots = Slots(self.slots, {s.tile: self._with_slots(s.tile) for s in stages_of(self.loop)})
        ahead, count = self._ahead, len(self.loop.range)
        scope = LoopScope(Builder(self._before), {})
        arrivals = self._arrivals(scope)
        for number in map(AffineExpr.constant, range(ahead)):
            stage = partial(self._stage, scope, slots, number, arrivals)
            scope.where_reached(number, self.loop, stage)
            self._commit(scope)
        if self._by_threads and self._beside:
            self._await_beside(scope, ahead)
        staggered = None if self.loop.staggered is None else Staggered.of(self.loop, slots)
        if staggered is not None:
            scope.b.builder.insertion_point = InsertPoint.before(self.loop)
            first = AffineExpr.constant(0)
            self._write_slice(scope, slots, first, arrivals, staggered.begin)
        scope.b.builder.insertion_point = InsertPoint.at_start(self.loop.body.block)
        slice = scope.dim(self.loop.induction, extent(count))
        work = partial(slots.contract, loop=self.loop) if staggered is None else staggered.both
        self._write_slice(scope, slots, slice, arrivals, work)
        self._write_waits(scope)
        if staggered is not None:
            scope.b.builder.insertion_point = InsertPoint.after(self.loop)
            staggered.end(scope, staggered.count(scope) - 1)
            staggered.leave_first()
            self.loop.staggered = None
        for op in reversed(old):
            Rewriter.erase_op(op)
        for tile in slots.tiles:
            assert isinstance(tile.owner, AllocOp)
            Rewriter.erase_op(tile.owner)

    def _write_slice(
        self,
        scope: LoopScope,
        slots: Slots,
        slice: AffineExpr,
        arrivals: Arrivals | None,
        work: Callable[..., None],
    ) -> None:
        """Write the wait for a slice, the copies of a following one, and the work."""
        ahead, following = self._ahead, slice + self._ahead
        if arrivals is not None:
            arrivals.ring.wait_until_full(scope, slice)
        if self._by_threads:
            scope.b.builder.insert(gpu.CpAsyncWaitOp(ahead - 1))
        self._write_barrier(scope)
        if self._is_asynchronous:  # then copies start under the products
            work(scope, number=slice)
        if ahead < len(self.loop.range):
            stage = partial(self._stage, scope, slots, following, arrivals)
            scope.where_reached(following, self.loop, stage)
        self._commit(scope)
        if not self._is_asynchronous:
            work(scope, number=slice)

    @cached_property
    def _before(self) -> InsertPoint:
        """The place of the first copies: behind those of stages that come with them, or before
        such where there is nothing to await together.
        """
        if not self._beside:
            return InsertPoint.before(self.loop)
        first, last = self._beside[-1], self._beside[0]
        return InsertPoint.after(last) if self._by_threads else InsertPoint.before(first)

    @cached_property
    def _beside(self) -> Sequence[StageOp]:
        """The stages right before the loop, the last one first, which no slice reads: where threads
        also work on tiles in registers, they come together with the first slice.
        """
        op = None if is_alone(self.loop) else self.loop.prev_op
        regions = (stage.element.block for stage in stages_of(self.loop))
        read = {v for region in regions for inner in region.walk() for v in inner.operands}
        found = list[StageOp]()
        while isinstance(op, AllocOp | TileOp) and read.isdisjoint(_named(op)):
            found += [op] if isinstance(op, StageOp) else []
            op = op.prev_op
        return found

    @property
    def _ahead(self) -> int:
        """The slices that are brought before the first one is multiplied."""
        count = len(self.loop.range)
        return count if count <= self.slots else self.slots - 1 - self._behind

    def _await_beside(self, scope: LoopScope, ahead: int) -> None:
        """Write the wait for what comes with the first slice."""
        for stage in self._beside:
            stage.asynchronous = UnitAttr()
        scope.b.builder.insert(gpu.CpAsyncWaitOp(ahead - 1))

    @cached_property
    def _is_asynchronous(self) -> bool:
        """Whether products may be under way while threads go on."""
        return is_asynchronous(self.loop)

    @property
    def _behind(self) -> int:
        """The slices before the present one whose products are still under way: the slots that they
        read are not written to yet.
        """
        if self.loop.staggered is not None:
            return 1
        return 1 if self._is_asynchronous and self.slots > 2 else 0

    def _write_barrier(self, scope: LoopScope) -> None:
        """Write that all threads' copies of the present slice have come, and that the slot of the
        one before has been read.
        """
        if reads_in_place(self.loop) and self._by_threads:
            scope.b.builder.insert(gpu.AsyncFenceOp())
        scope.b.builder.insert(gpu.BarrierOp())

    def _write_waits(self, scope: LoopScope) -> None:
        """Write the waits for products: at the end of a slice for those of the one that many
        before, after the loop for all.
        """
        if self._is_asynchronous:
            scope.b.builder.insert(gpu.WgmmaWaitOp(self._behind))
        if self._behind and self._is_asynchronous:
            Rewriter.insert_op(gpu.WgmmaWaitOp(0), InsertPoint.after(self.loop))

    def _with_slots(self, tile: SSAValue) -> SSAValue:
        """Return a buffer of as many tiles in place of one."""
        new = with_slots(tile, self.slots)
        assert isinstance(tile.owner, AllocOp)
        at_loop = self._before.insert_before is self.loop
        Rewriter.insert_op(new, InsertPoint.before(tile.owner) if at_loop else self._before)
        return new.buffer

    @cached_property
    def _mapped(self) -> Sequence[StageOp]:
        """The stages that tensor copies bring."""
        return [stage for stage in stages_of(self.loop) if stage.tensor]

    @cached_property
    def _by_threads(self) -> Sequence[StageOp]:
        """The stages that all threads bring."""
        return [stage for stage in stages_of(self.loop) if not stage.tensor]

    def _arrivals(self, scope: LoopScope) -> Arrivals | None:
        """Write the objects at which tensor copies arrive, if there are any."""
        if not self._mapped:
            return None
        parent = self.loop.parent_op()
        while isinstance(parent, scf.IfOp):
            parent = parent.parent_op()
        if not isinstance(parent, ForOp) or parent.map.data is not LoopMap.THREAD:
            raise CompileError(
                "a pipeline of tensor copies stands in the loop over threads, not in another loop: "
                "the phases of its slots are counted once",
                at=operation_text(self.loop),
            )
        return Arrivals.of(scope, self.slots, parent.induction)

    def _commit(self, scope: LoopScope) -> None:
        if self._by_threads:
            scope.b.builder.insert(gpu.CpAsyncCommitOp())

    def _stage(
        self, scope: LoopScope, slots: Slots, slice: AffineExpr, arrivals: Arrivals | None
    ) -> None:
        """Write the stages of a slice."""
        value, loop, mapped = scope.index_value(slice), self.loop, self._mapped
        slots.stage(scope, loop, value, slice, self._by_threads)
        if arrivals is not None:

            def write(barrier: Place) -> None:
                slots.stage(scope, loop, value, slice, mapped, barrier)

            arrivals.start(scope, slice, mapped, write)


def _named(op: Operation) -> set[SSAValue]:
    """Return the values that an op takes and gives."""
    return {*op.operands, *op.results}
