"""The ``mbarrier`` objects of a ring of slots.

What comes as number ``n`` of all is in slot ``n mod slots``, in phase ``n div slots`` of the slot's
objects. Those who bring it arrive at the one object as it comes, those who use it at the other one
when they have read it.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, MemRefType, i64
from xdsl.ir import Operation, SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.arch.fragments import WARP_LANES
from dlc.core.affine import extent
from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop import AllocOp
from dlc.dialects.loop.memory import buffer_shape
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.scope import LoopScope
from dlc.simt.workers import team_of


@dataclass(frozen=True)
class SlotRing:
    """full, empty: an object for each slot; no ``empty`` where something else says that slots were
    read.
    """

    slots: int
    full: SSAValue
    empty: SSAValue | None = None

    @staticmethod
    def of(scope: LoopScope, slots: int, kind: str = "", is_reused: bool = True) -> "SlotRing":
        """Write the buffers of the objects. kind: for their names. is_reused: with ``empty``."""
        full = objects(scope, f"full{kind}", slots)
        return SlotRing(slots, full, objects(scope, f"empty{kind}", slots) if is_reused else None)

    def in_slot(self, scope: LoopScope, buffer: SSAValue, number: AffineExpr) -> Place:
        """Return where number ``number`` of all is in a buffer of all slots."""
        slot, dims = scope.resolve([number % self.slots])
        return buffer, slot, dims

    def arrival(self, scope: LoopScope, number: AffineExpr) -> Place:
        """Return the object at which those arrive who bring a number."""
        return self.in_slot(scope, self.full, number)

    def expect(self, scope: LoopScope, number: AffineExpr, bytes: int) -> Place:
        """Write that so many bytes of tensor copies come as a number; return where they arrive."""
        place = self.arrival(scope, number)
        scope.b.builder.insert(gpu.MbarrierArriveOp(place, bytes))
        return place

    def wait_until_full(self, scope: LoopScope, number: AffineExpr) -> None:
        """Write the wait for what comes as a number."""
        parity = scope.index_value(number // self.slots % 2)
        scope.b.builder.insert(gpu.MbarrierWaitOp(self.arrival(scope, number), parity))

    def wait_until_empty(self, scope: LoopScope, number: AffineExpr) -> None:
        """Write the wait until a number's slot may be written: for the phase before its own."""
        if self.empty is not None:
            parity = scope.index_value((number // self.slots + 1) % 2)
            place = self.in_slot(scope, self.empty, number)
            scope.b.builder.insert(gpu.MbarrierWaitOp(place, parity))

    def give_back(self, scope: LoopScope, op: Operation, number: AffineExpr) -> None:
        """Write that each warp of those that do ``op`` has read a number's slot."""
        if self.empty is not None:
            arrive_by_warps(scope, op, self.in_slot(scope, self.empty, number))

    def arrivals(self, bringing: int, reading: int) -> dict[SSAValue, int]:
        """Return the objects, and how many arrive at each in a phase."""
        empty = {} if self.empty is None else {self.empty: reading}
        return {self.full: bringing, **empty}


def objects(scope: LoopScope, name: str, count: int) -> SSAValue:
    """Write a buffer of ``mbarrier`` objects."""
    type = MemRefType(i64, [count], memory_space=SpaceAttr(Space.SHARED))
    buffer = scope.b.insert(AllocOp(type))
    buffer.name_hint = name
    return buffer


def make_objects(scope: LoopScope, thread: SSAValue, arrivals: Mapping[SSAValue, int]) -> SSAValue:
    """Let the first thread make the objects of some buffers, and all wait for it.

    arrivals: how many arrive in a phase. Return whether a thread is the first one.
    """
    first = scope.b.compare("eq", thread, scope.b.constant(0, IndexType()))

    def make() -> None:
        for buffer, count in arrivals.items():
            for number in range(buffer_shape(buffer)[0]):
                place = buffer, [AffineExpr.constant(number)], ()
                scope.b.builder.insert(gpu.MbarrierInitOp(place, count))

    scope.where(first, make)
    scope.b.builder.insert(gpu.BarrierOp())
    return first


def arrive_by_warps(scope: LoopScope, op: Operation, place: Place) -> None:
    """Write that each warp of those that do ``op`` arrives when all its lanes are here."""
    team = team_of(op)
    scope.b.builder.insert(gpu.WarpBarrierOp())
    lane = scope.dim(team.number, extent(team.threads)) % WARP_LANES
    first = scope.b.compare("eq", scope.index_value(lane), scope.b.constant(0, IndexType()))

    def arrive() -> None:
        scope.b.builder.insert(gpu.MbarrierArriveOp(place))

    scope.where(first, arrive)
