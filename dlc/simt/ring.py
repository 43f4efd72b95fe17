"""A ring of slots that some warps of a block fill while the others empty it.

For each slot there are two ``mbarrier`` objects: those who bring a slice arrive at the one as the
slice comes, those who multiply it at the other when they have read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.analysis.staged_copy import is_copied
from dlc.arch.fragments import WARP_LANES
from dlc.core.locations import operation_text
from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop import ForOp, StageOp
from dlc.dialects.loop.memory import buffer_shape
from dlc.errors import CompileError
from dlc.lowering.scope import LoopScope
from dlc.simt.ring_slice import Slice
from dlc.simt.slot_ring import SlotRing, arrive_by_warps, make_objects, objects
from dlc.simt.slots import is_asynchronous, reads_in_place, stages_of, with_slots
from dlc.simt.staggered import Staggered
from dlc.simt.tile_walk import step_of_tiles, tiles_before
from dlc.simt.whole_tiles import WholeTiles
from dlc.simt.workers import team_of


class Bringing(Enum):
    """How a tile comes."""

    COPIES = auto()
    """Asynchronous copies of all threads that bring slices."""
    STORES = auto()
    """Elements that they compute and store."""
    BOXES = auto()
    """Tensor copies, which one of them starts."""


def _bringing(stage: StageOp) -> Bringing:
    if stage.tensor is not None:
        return Bringing.BOXES
    return Bringing.COPIES if is_copied(stage) else Bringing.STORES


@dataclass(frozen=True)
class Ring:
    """tiles: the buffer of all slots of each staged tile, in the order of the stages. ring: the
    objects of the slots. multiplying, bringing: threads; those that multiply are as many in each
    team. by: how slices are brought. step: of the loop over tiles around the slices; 0 where there
    is none. turns: an object for each team, where they are several. whole: tiles that are staged
    before the loop, if there are any.
    """

    tiles: Sequence[SSAValue]
    ring: SlotRing
    multiplying: int
    bringing: int
    by: frozenset[Bringing]
    step: int
    turns: Sequence[SSAValue]
    whole: WholeTiles | None

    @staticmethod
    def of(scope: LoopScope, loop: ForOp, multiplying: int, bringing: int) -> "Ring":
        """Write the buffers for the slices of a loop."""
        slots, stages, step = loop.slots, stages_of(loop), step_of_tiles(loop)
        if not stages:
            raise CompileError("has producers and nothing to bring", at=operation_text(loop))
        tiles = [scope.b.insert(with_slots(stage.tile, slots)) for stage in stages]
        ring = SlotRing.of(scope, slots)
        turns = [objects(scope, "turns", loop.team_count)] if loop.team_count > 1 else []
        by = frozenset(map(_bringing, stages))
        whole = WholeTiles.of(scope, loop, step)
        return Ring(tiles, ring, multiplying, bringing, by, step, turns, whole)

    def write_objects(self, scope: LoopScope, thread: SSAValue) -> None:
        """Let the first thread make the objects, and all wait for it."""
        warps = self.multiplying // WARP_LANES
        by = (1 if by is Bringing.BOXES else self.bringing for by in self.by)
        arrivals = self.ring.arrivals(sum(by), warps) | dict.fromkeys(self.turns, warps)
        if self.whole is not None:
            arrivals |= self.whole.ring.arrivals(1, warps)
        make_objects(scope, thread, arrivals)

    def _slice(self, loop: ForOp) -> Slice:
        whole = _nowhere if self.whole is None else self.whole.slots_of
        return Slice.of(loop, self.ring.slots, self.tiles, self.step, whole)

    def write_products(self, loop: ForOp, team: int) -> None:
        """Let a loop over slices wait for each, multiply it and give its slot back."""
        if self.whole is not None:
            self.whole.wait(loop)
        slice = self._slice(loop)
        if loop.staggered is None:
            self._write_slice(slice)
        else:
            self._write_staggered(slice)
        slice.finish()
        if self.whole is not None:
            self.whole.erase(loop)
        if self.turns:
            self._write_turn(loop, team)

    def _write_slice(self, slice: Slice) -> None:
        loop, asynchronous = slice.loop, is_asynchronous(slice.loop)
        self._wait_until_full(slice, slice.number)
        slice.slots.contract(slice.scope, loop, slice.number)
        if asynchronous:
            self._give_back_later(slice)
        else:
            self._give_back(slice, slice.number)

    def _wait_until_full(self, slice: Slice, number: AffineExpr) -> None:
        self.ring.wait_until_full(slice.scope, number)
        if reads_in_place(slice.loop) and not self.by_one_thread:
            # The slice was written by copies and stores of threads.
            slice.scope.b.builder.insert(gpu.AsyncFenceOp())

    def _write_staggered(self, slice: Slice) -> None:
        """Let a slice be begun while the one before ends, whose slot is given back then."""
        staggered, scope = Staggered.of(slice.loop, slice.slots), slice.scope
        scope.b.builder.insertion_point = InsertPoint.before(slice.loop)
        self._wait_until_full(slice, slice.before)
        staggered.begin(scope, slice.before)
        scope.b.builder.insertion_point = InsertPoint.at_start(slice.loop.body.block)
        self._wait_until_full(slice, slice.number)
        staggered.both(scope, slice.number)
        self._give_back(slice, slice.number - 1)
        scope.b.builder.insertion_point = InsertPoint.after(slice.loop)
        last = slice.before + staggered.count(scope) - 1
        staggered.end(scope, last)
        self._give_back(slice, last)
        staggered.leave_first()

    def _give_back(self, slice: Slice, number: AffineExpr) -> None:
        self.ring.give_back(slice.scope, slice.loop, number)

    def _give_back_later(self, slice: Slice) -> None:
        """Write the waits for asynchronous products: those of a slice are under way while the next
        one is waited for, where there is a slot for that.
        """
        scope, insert = slice.scope, slice.scope.b.builder.insert
        if self.ring.slots == 1:
            insert(gpu.WgmmaWaitOp(0))
            self._give_back(slice, slice.number)
            return
        insert(gpu.WgmmaWaitOp(1))
        zero = scope.b.constant(0, IndexType())
        later = scope.b.compare("gt", slice.loop.induction, zero)
        scope.where(later, lambda: self._give_back(slice, slice.number - 1))
        last = slice.after_last()
        insert(gpu.WgmmaWaitOp(0))
        self._give_back(slice, last)

    def _write_turn(self, loop: ForOp, team: int) -> None:
        """Let a team wait before the loop until the team of the tile before has multiplied that:
        the phases of its slots are over then. Let the next team wait for this one.
        """
        (turns,), scope = self.turns, LoopScope(Builder(InsertPoint.before(loop)), {})
        teams = buffer_shape(turns)[0]
        count = tiles_before(scope, loop, self.step) // teams
        parity = scope.index_value((count if team else count + 1) % 2)
        own, following = (AffineExpr.constant(n % teams) for n in (team, team + 1))
        scope.b.builder.insert(gpu.MbarrierWaitOp((turns, [own], ()), parity))
        scope.b.builder.insertion_point = InsertPoint.after(loop)
        arrive_by_warps(scope, loop, (turns, [following], ()))

    @property
    def by_one_thread(self) -> bool:
        """Whether one thread brings all slices."""
        return self.by == frozenset({Bringing.BOXES})

    def write_copies(self, loop: ForOp) -> None:
        """Let a loop over slices bring each to its slot, when that is empty."""
        if self.whole is not None:
            self.whole.write_copies(loop)
        slice = self._slice(loop)
        insert, stages = slice.scope.b.builder.insert, stages_of(loop)
        self.ring.wait_until_empty(slice.scope, slice.number)
        boxes = [stage for stage in stages if stage.tensor]
        if self.by_one_thread:
            self._write_boxes(slice, boxes)
        elif boxes:
            zero = slice.scope.b.constant(0, IndexType())
            first = slice.scope.b.compare("eq", team_of(loop).number, zero)
            slice.scope.where(first, lambda: self._write_boxes(slice, boxes))
        slice.stage([stage for stage in stages if not stage.tensor])
        if Bringing.COPIES in self.by:
            insert(gpu.CpAsyncArriveOp(self.ring.arrival(slice.scope, slice.number)))
        if Bringing.STORES in self.by:
            insert(gpu.MbarrierArriveOp(self.ring.arrival(slice.scope, slice.number)))
        slice.finish()
        if self.whole is not None:
            self.whole.erase(loop)

    def _write_boxes(self, slice: Slice, boxes: Sequence[StageOp]) -> None:
        """Write what one thread does for the tensor copies of a slice."""
        bytes = sum(stage.bytes for stage in boxes)
        slice.stage(boxes, self.ring.expect(slice.scope, slice.number, bytes))


def _nowhere(scope: LoopScope, loop: ForOp) -> dict[SSAValue, Place]:
    return {}
