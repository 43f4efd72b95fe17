"""A ring of slots that some warps of a block fill while the others empty it.

For each slot there are two ``mbarrier`` objects: those who bring a slice arrive at the one as the
slice comes, those who multiply it at the other when they have read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from xdsl.builder import Builder
from xdsl.dialects import scf
from xdsl.dialects.builtin import IndexType, MemRefType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint, Rewriter

from dlc.analysis.index_expression import constant_of
from dlc.analysis.index_range import range_of
from dlc.analysis.staged_copy import is_copied
from dlc.arch.fragments import WARP_LANES
from dlc.core.affine import extent
from dlc.core.locations import operation_text
from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop import AllocOp, ForOp, RolesOp
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.scope import LoopScope
from dlc.simt.slots import Slots, is_asynchronous, stages_of, with_slots
from dlc.simt.workers import team_of


@dataclass(frozen=True)
class Ring:
    """slots: how many there are. tiles: the buffer of all slots of each staged tile, in the order
    of the stages. full, empty: an object for each slot. multiplying, bringing: threads. copies,
    stores: whether slices are brought by asynchronous copies, by stores, or some by each.
    """

    slots: int
    tiles: Sequence[SSAValue]
    full: SSAValue
    empty: SSAValue
    multiplying: int
    bringing: int
    copies: bool
    stores: bool

    @staticmethod
    def of(scope: LoopScope, loop: ForOp, multiplying: int, bringing: int) -> "Ring":
        """Write the buffers for the slices of a loop."""
        slots, stages = loop.slots, stages_of(loop)
        tiles = [scope.b.insert(with_slots(stage.tile, slots)) for stage in stages]
        objects = MemRefType(i64, [slots], memory_space=SpaceAttr(Space.SHARED))
        full, empty = (scope.b.insert(AllocOp(objects)) for _ in range(2))
        full.name_hint, empty.name_hint = "full", "empty"
        copied = [is_copied(stage) for stage in stages]
        counts = multiplying, bringing
        return Ring(slots, tiles, full, empty, *counts, any(copied), not all(copied))

    def write_objects(self, scope: LoopScope, thread: SSAValue) -> None:
        """Let the first thread make the objects, and all wait for it."""
        arrivals = {
            self.full: self.bringing * (self.copies + self.stores),
            self.empty: self.multiplying // WARP_LANES,
        }

        def make() -> None:
            for slot in range(self.slots):
                for buffer, count in arrivals.items():
                    place = buffer, [AffineExpr.constant(slot)], ()
                    scope.b.builder.insert(gpu.MbarrierInitOp(place, count))

        zero = scope.b.constant(0, IndexType())
        scope.where(scope.b.compare("eq", thread, zero), make)
        scope.b.builder.insert(gpu.BarrierOp())

    def write_products(self, loop: ForOp) -> None:
        """Let a loop over slices wait for each, multiply it and give its slot back.

        Asynchronous products of a slice are under way while the next one is waited for.
        """
        slice = _Slice.of(self, loop)
        scope, insert = slice.scope, slice.scope.b.builder.insert
        slice.wait(self.full, 0)
        behind = 0
        if is_asynchronous(loop):
            insert(gpu.AsyncFenceOp())  # the slice was written by copies and stores of threads
            behind = min(1, self.slots - 1)
        slice.slots.contract(scope, loop, slice.number)
        if is_asynchronous(loop):
            insert(gpu.WgmmaWaitOp(behind))
        if behind:
            zero = scope.b.constant(0, IndexType())
            later = scope.b.compare("gt", loop.induction, zero)
            scope.where(later, lambda: slice.give_back(self.empty, slice.number - behind))
            last = slice.after_last()
            insert(gpu.WgmmaWaitOp(0))
            slice.give_back(self.empty, last)
        else:
            slice.give_back(self.empty, slice.number)
        slice.finish()

    def write_copies(self, loop: ForOp) -> None:
        """Let a loop over slices bring each to its slot, when that is empty."""
        slice = _Slice.of(self, loop)
        insert = slice.scope.b.builder.insert
        slice.wait(self.empty, 1)
        slice.slots.stage(slice.scope, loop, loop.induction, slice.number, stages_of(loop))
        if self.copies:
            insert(gpu.CpAsyncArriveOp(slice.place(self.full, slice.number)))
        if self.stores:
            insert(gpu.MbarrierArriveOp(slice.place(self.full, slice.number)))
        slice.finish()


@dataclass(frozen=True)
class _Slice:
    """One iteration of a loop over slices, on its way to a ring. scope: writes at its start.
    before: the slices that the block has brought before the loop. number: that of the slice among
    all that it brings. old: what the iteration has consisted of.
    """

    loop: ForOp
    scope: LoopScope
    slots: Slots
    before: AffineExpr
    number: AffineExpr
    old: Sequence[Operation]

    @staticmethod
    def of(ring: Ring, loop: ForOp) -> "_Slice":
        """Return the iteration with the count of the slices."""
        tiles = dict(zip((stage.tile for stage in stages_of(loop)), ring.tiles, strict=True))
        *old, _ = loop.body.block.ops
        scope = LoopScope(Builder(InsertPoint.before(loop)), {})
        before = _slices_before(scope, loop)
        scope.b.builder.insertion_point = InsertPoint.at_start(loop.body.block)
        number = before + scope.dim(loop.induction, extent(len(loop.range)))
        return _Slice(loop, scope, Slots(ring.slots, tiles), before, number, old)

    def place(self, buffer: SSAValue, number: AffineExpr) -> Place:
        """Return the object of a slice's slot."""
        slot, dims = self.scope.resolve([number % self.slots.count])
        return buffer, slot, dims

    def wait(self, buffer: SSAValue, rounds: int) -> None:
        """Write the wait for the phase before the one that the slot is in for the slice, where
        ``rounds`` is 1, or for this one (0).
        """
        parity = (self.number // self.slots.count + rounds) % 2
        value = self.scope.index_value(parity)
        self.scope.b.builder.insert(gpu.MbarrierWaitOp(self.place(buffer, self.number), value))

    def give_back(self, buffer: SSAValue, number: AffineExpr) -> None:
        """Write that each warp arrives at the object of a slice's slot."""
        scope, team = self.scope, team_of(self.loop)
        scope.b.builder.insert(gpu.WarpBarrierOp())
        lane = scope.dim(team.number, extent(team.threads)) % WARP_LANES
        first = scope.b.compare("eq", scope.index_value(lane), scope.b.constant(0, IndexType()))

        def arrive() -> None:
            scope.b.builder.insert(gpu.MbarrierArriveOp(self.place(buffer, number)))

        scope.where(first, arrive)

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
        self.loop.pipeline = self.loop.producers = self.loop.registers = None


def _slices_before(scope: LoopScope, loop: ForOp) -> AffineExpr:
    """Write how many slices the block has brought before the loop: the loop may stand in one over
    tiles, ``scf.for %tile = %first to .. step %s``, ``%first`` below ``%s``.
    """
    tiles = loop.parent_op()
    if isinstance(tiles, RolesOp):
        return AffineExpr.constant(0)
    if isinstance(tiles, scf.ForOp) and isinstance(tiles.parent_op(), RolesOp):
        step, first = constant_of(tiles.step), range_of(tiles.lb)
        if step is not None and first.within(0, step - 1):
            tile = tiles.body.block.args[0]
            return scope.dim(tile, range_of(tile)) // step * len(loop.range)
    raise CompileError(
        "a loop with producers stands in the loop over threads, or there in one loop over tiles, "
        "scf.for from below its step on",
        at=operation_text(loop),
    )
