"""A ring of slots that some warps of a block fill while the others empty it.

For each slot there are two ``mbarrier`` objects: those who bring a slice arrive at the one as the
slice comes, those who multiply it at the other when they have read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

from xdsl.builder import Builder
from xdsl.dialects.builtin import IndexType, MemRefType, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr
from xdsl.rewriter import InsertPoint

from dlc.analysis.staged_copy import is_copied
from dlc.arch.fragments import WARP_LANES
from dlc.core.locations import operation_text
from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop import AllocOp, ForOp, StageOp
from dlc.dialects.loop.memory import buffer_shape
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.scope import LoopScope
from dlc.simt.ring_slice import Slice, arrive_by_warps
from dlc.simt.slots import is_asynchronous, reads_in_place, stages_of, with_slots
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
    """slots: how many there are. tiles: the buffer of all slots of each staged tile, in the order
    of the stages. full, empty: an object for each slot. multiplying, bringing: threads; those that
    multiply are as many in each team. by: how slices are brought. step: of the loop over tiles
    around the slices; 0 where there is none. turns: an object for each team, where they are
    several. whole: tiles that are staged before the loop, if there are any.
    """

    slots: int
    tiles: Sequence[SSAValue]
    full: SSAValue
    empty: SSAValue
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
        full, empty = (_objects(scope, name, slots) for name in ("full", "empty"))
        turns = [_objects(scope, "turns", loop.team_count)] if loop.team_count > 1 else []
        by = frozenset(map(_bringing, stages))
        whole = WholeTiles.of(scope, loop, step)
        return Ring(slots, tiles, full, empty, multiplying, bringing, by, step, turns, whole)

    def write_objects(self, scope: LoopScope, thread: SSAValue) -> None:
        """Let the first thread make the objects, and all wait for it."""
        warps = self.multiplying // WARP_LANES
        arrivals = dict.fromkeys([self.empty, *self.turns], warps)
        by = (1 if by is Bringing.BOXES else self.bringing for by in self.by)
        whole = {} if self.whole is None else self.whole.objects(warps)
        arrivals = {self.full: sum(by), **arrivals, **whole}

        def make() -> None:
            for buffer, count in arrivals.items():
                for number in range(buffer_shape(buffer)[0]):
                    place = buffer, [AffineExpr.constant(number)], ()
                    scope.b.builder.insert(gpu.MbarrierInitOp(place, count))

        zero = scope.b.constant(0, IndexType())
        scope.where(scope.b.compare("eq", thread, zero), make)
        scope.b.builder.insert(gpu.BarrierOp())

    def _slice(self, loop: ForOp) -> Slice:
        whole = _nowhere if self.whole is None else self.whole.slots_of
        return Slice.of(loop, self.slots, self.tiles, self.step, whole)

    def write_products(self, loop: ForOp, team: int) -> None:
        """Let a loop over slices wait for each, multiply it and give its slot back."""
        if self.whole is not None:
            self.whole.wait(loop)
        slice, asynchronous = self._slice(loop), is_asynchronous(loop)
        slice.wait(self.full, 0)
        if reads_in_place(loop) and not self.by_one_thread:
            # The slice was written by copies and stores of threads.
            slice.scope.b.builder.insert(gpu.AsyncFenceOp())
        slice.slots.contract(slice.scope, loop, slice.number)
        if asynchronous:
            self._give_back_later(slice)
        else:
            slice.give_back(self.empty, slice.number)
        slice.finish()
        if self.whole is not None:
            self.whole.erase(loop)
        if self.turns:
            self._write_turn(loop, team)

    def _give_back_later(self, slice: Slice) -> None:
        """Write the waits for asynchronous products: those of a slice are under way while the next
        one is waited for, where there is a slot for that.
        """
        scope, insert = slice.scope, slice.scope.b.builder.insert
        if self.slots == 1:
            insert(gpu.WgmmaWaitOp(0))
            slice.give_back(self.empty, slice.number)
            return
        insert(gpu.WgmmaWaitOp(1))
        zero = scope.b.constant(0, IndexType())
        later = scope.b.compare("gt", slice.loop.induction, zero)
        scope.where(later, lambda: slice.give_back(self.empty, slice.number - 1))
        last = slice.after_last()
        insert(gpu.WgmmaWaitOp(0))
        slice.give_back(self.empty, last)

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
        slice.wait(self.empty, 1)
        boxes = [stage for stage in stages if stage.tensor]
        if self.by_one_thread:
            self._write_boxes(slice, boxes)
        elif boxes:
            zero = slice.scope.b.constant(0, IndexType())
            first = slice.scope.b.compare("eq", team_of(loop).number, zero)
            slice.scope.where(first, lambda: self._write_boxes(slice, boxes))
        slice.stage([stage for stage in stages if not stage.tensor])
        if Bringing.COPIES in self.by:
            insert(gpu.CpAsyncArriveOp(slice.place(self.full, slice.number)))
        if Bringing.STORES in self.by:
            insert(gpu.MbarrierArriveOp(slice.place(self.full, slice.number)))
        slice.finish()
        if self.whole is not None:
            self.whole.erase(loop)

    def _write_boxes(self, slice: Slice, boxes: Sequence[StageOp]) -> None:
        """Write what one thread does for the tensor copies of a slice."""
        place = slice.place(self.full, slice.number)
        bytes = sum(stage.bytes for stage in boxes)
        slice.scope.b.builder.insert(gpu.MbarrierArriveOp(place, bytes))
        slice.stage(boxes, place)


def _nowhere(scope: LoopScope, loop: ForOp) -> dict[SSAValue, Place]:
    return {}


def _objects(scope: LoopScope, name: str, count: int) -> SSAValue:
    """Write a buffer of ``mbarrier`` objects."""
    buffer = scope.b.insert(AllocOp(MemRefType(i64, [count], memory_space=SpaceAttr(Space.SHARED))))
    buffer.name_hint = name
    return buffer
