"""The ``mbarrier`` objects of the slots that tensor copies fill: one thread starts the copies of a
slice, all wait for their bytes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.dialects.builtin import IndexType, MemRefType, i64
from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects import gpu
from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop import AllocOp, StageOp
from dlc.ir.space import Space, SpaceAttr
from dlc.lowering.scope import LoopScope


@dataclass(frozen=True)
class Arrivals:
    """full: an object for each slot. is_first: whether a thread is the one that starts copies."""

    slots: int
    full: SSAValue
    is_first: SSAValue

    @staticmethod
    def of(scope: LoopScope, slots: int, thread: SSAValue) -> "Arrivals":
        """Write the objects; the first thread makes them, all wait for it."""
        objects = MemRefType(i64, [slots], memory_space=SpaceAttr(Space.SHARED))
        full = scope.b.insert(AllocOp(objects))
        full.name_hint = "full"
        zero = scope.b.constant(0, IndexType())
        found = Arrivals(slots, full, scope.b.compare("eq", thread, zero))

        def make() -> None:
            for slot in range(slots):
                place = full, [AffineExpr.constant(slot)], ()
                scope.b.builder.insert(gpu.MbarrierInitOp(place, 1))

        scope.where(found.is_first, make)
        scope.b.builder.insert(gpu.BarrierOp())
        return found

    def place(self, scope: LoopScope, slice: AffineExpr) -> Place:
        """Return the object of a slice."""
        slot, dims = scope.resolve([slice % self.slots])
        return self.full, slot, dims

    def start(
        self,
        scope: LoopScope,
        slice: AffineExpr,
        stages: Sequence[StageOp],
        write: Callable[[Place], None],
    ) -> None:
        """Let the first thread expect the bytes of the stages of a slice, and start their copies:
        ``write`` writes them, to arrive at an object.
        """
        bytes = sum(stage.bytes for stage in stages)

        def start() -> None:
            place = self.place(scope, slice)
            scope.b.builder.insert(gpu.MbarrierArriveOp(place, bytes))
            write(place)

        scope.where(self.is_first, start)

    def wait(self, scope: LoopScope, slice: AffineExpr) -> None:
        """Write the wait for a slice: for the phase of its slot that so many slices have begun."""
        parity = scope.index_value(slice // self.slots % 2)
        scope.b.builder.insert(gpu.MbarrierWaitOp(self.place(scope, slice), parity))
