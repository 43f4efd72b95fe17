"""A ring of slots that some warps of a block fill while the others empty it.

For each slot there are two ``mbarrier`` objects: those who bring a slice arrive at the one as the
slice comes, those who multiply it at the other when they have read it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto

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
from dlc.dialects.loop import AllocOp, ForOp, StageOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.dialects.loop.memory import buffer_shape
from dlc.errors import CompileError
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.scope import LoopScope
from dlc.simt.slots import Slots, is_asynchronous, stages_of, with_slots
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
    several.
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

    @staticmethod
    def of(scope: LoopScope, loop: ForOp, multiplying: int, bringing: int) -> "Ring":
        """Write the buffers for the slices of a loop."""
        slots, stages, step = loop.slots, stages_of(loop), _step_of_tiles(loop)
        tiles = [scope.b.insert(with_slots(stage.tile, slots)) for stage in stages]
        full, empty = (_objects(scope, name, slots) for name in ("full", "empty"))
        turns = [_objects(scope, "turns", loop.team_count)] if loop.team_count > 1 else []
        by = frozenset(map(_bringing, stages))
        return Ring(slots, tiles, full, empty, multiplying, bringing, by, step, turns)

    def write_objects(self, scope: LoopScope, thread: SSAValue) -> None:
        """Let the first thread make the objects, and all wait for it."""
        arrivals = {
            self.full: sum(1 if by is Bringing.BOXES else self.bringing for by in self.by),
            self.empty: self.multiplying // WARP_LANES,
        }

        arrivals |= dict.fromkeys(self.turns, self.multiplying // WARP_LANES)

        def make() -> None:
            for buffer, count in arrivals.items():
                for number in range(buffer_shape(buffer)[0]):
                    place = buffer, [AffineExpr.constant(number)], ()
                    scope.b.builder.insert(gpu.MbarrierInitOp(place, count))

        zero = scope.b.constant(0, IndexType())
        scope.where(scope.b.compare("eq", thread, zero), make)
        scope.b.builder.insert(gpu.BarrierOp())

    def write_products(self, loop: ForOp, team: int) -> None:
        """Let a loop over slices wait for each, multiply it and give its slot back.

        Asynchronous products of a slice are under way while the next one is waited for.
        """
        slice = _Slice.of(self, loop)
        scope, insert = slice.scope, slice.scope.b.builder.insert
        slice.wait(self.full, 0)
        behind = 0
        if is_asynchronous(loop):
            behind = min(1, self.slots - 1)
            if not self.by_one_thread:
                insert(gpu.AsyncFenceOp())  # the slice was written by copies and stores of threads
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
        if self.turns:
            self._write_turn(loop, team)

    def _write_turn(self, loop: ForOp, team: int) -> None:
        """Let a team wait before the loop until the team of the tile before has multiplied that:
        the phases of its slots are over then. Let the next team wait for this one.
        """
        (turns,), scope = self.turns, LoopScope(Builder(InsertPoint.before(loop)), {})
        teams = buffer_shape(turns)[0]
        count = _tiles_before(scope, loop, self.step) // teams
        parity = scope.index_value((count if team else count + 1) % 2)
        own, following = (AffineExpr.constant(n % teams) for n in (team, team + 1))
        scope.b.builder.insert(gpu.MbarrierWaitOp((turns, [own], ()), parity))
        scope.b.builder.insertion_point = InsertPoint.after(loop)
        _arrive_by_warps(scope, loop, (turns, [following], ()))

    @property
    def by_one_thread(self) -> bool:
        """Whether one thread brings all slices."""
        return self.by == frozenset({Bringing.BOXES})

    def write_copies(self, loop: ForOp) -> None:
        """Let a loop over slices bring each to its slot, when that is empty."""
        slice = _Slice.of(self, loop)
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

    def _write_boxes(self, slice: "_Slice", boxes: Sequence[StageOp]) -> None:
        """Write what one thread does for the tensor copies of a slice."""
        place = slice.place(self.full, slice.number)
        bytes = sum(stage.bytes for stage in boxes)
        slice.scope.b.builder.insert(gpu.MbarrierArriveOp(place, bytes))
        slice.stage(boxes, place)


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
        before = _tiles_before(scope, loop, ring.step) * len(loop.range)
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

    def stage(self, stages: Sequence[StageOp], barrier: Place | None = None) -> None:
        """Write stages of the slice; tensor copies arrive at an object."""
        loop = self.loop
        self.slots.stage(self.scope, loop, loop.induction, self.number, stages, barrier)

    def give_back(self, buffer: SSAValue, number: AffineExpr) -> None:
        """Write that each warp arrives at the object of a slice's slot."""
        _arrive_by_warps(self.scope, self.loop, self.place(buffer, number))

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


def _objects(scope: LoopScope, name: str, count: int) -> SSAValue:
    """Write a buffer of ``mbarrier`` objects."""
    buffer = scope.b.insert(AllocOp(MemRefType(i64, [count], memory_space=SpaceAttr(Space.SHARED))))
    buffer.name_hint = name
    return buffer


def _arrive_by_warps(scope: LoopScope, op: Operation, place: Place) -> None:
    """Write that each warp of those that do ``op`` arrives when all its lanes are here."""
    team = team_of(op)
    scope.b.builder.insert(gpu.WarpBarrierOp())
    lane = scope.dim(team.number, extent(team.threads)) % WARP_LANES
    first = scope.b.compare("eq", scope.index_value(lane), scope.b.constant(0, IndexType()))

    def arrive() -> None:
        scope.b.builder.insert(gpu.MbarrierArriveOp(place))

    scope.where(first, arrive)


def loop_over_tiles(loop: ForOp) -> scf.ForOp | None:
    """Return the loop over tiles around a loop over slices, if there is one."""
    parent = loop.parent_op()
    return parent if isinstance(parent, scf.ForOp) else None


def _step_of_tiles(loop: ForOp) -> int:
    """Return the step of the loop over tiles around a loop over slices, 0 where there is none.

    That is ``scf.for %tile = %first to .. step %s``, ``%first`` below ``%s``, directly in the loop
    over threads; raises CompileError for anything else.
    """
    tiles = loop_over_tiles(loop)
    step = 0
    if tiles is not None:
        step, first = constant_of(tiles.step) or 0, range_of(tiles.lb)
        step = step if first.within(0, step - 1) else 0
    around = tiles if step else loop
    assert around is not None
    threads = around.parent_op()
    if not isinstance(threads, ForOp) or threads.map.data is not LoopMap.THREAD:
        raise CompileError(
            "a loop with producers stands in the loop over threads, or there in one loop over "
            "tiles, scf.for from below its step on",
            at=operation_text(loop),
        )
    if loop.team_count > 1 and not step:
        raise CompileError(
            "teams take turns in tiles; there is no loop over tiles", at=operation_text(loop)
        )
    return step


def _tiles_before(scope: LoopScope, loop: ForOp, step: int) -> AffineExpr:
    """Return how many tiles the block has brought before the one of the loop over slices."""
    tiles = loop_over_tiles(loop)
    if tiles is None:
        return AffineExpr.constant(0)
    tile = tiles.body.block.args[0]
    return scope.dim(tile, range_of(tile)) // step
