"""The ``mbarrier`` objects of the slots that tensor copies fill: one thread starts the copies of a
slice, all wait for their bytes.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from xdsl.ir import SSAValue
from xdsl.ir.affine import AffineExpr

from dlc.dialects.gpu.buffers import Place
from dlc.dialects.loop import StageOp
from dlc.lowering.scope import LoopScope
from dlc.simt.slot_ring import SlotRing, make_objects


@dataclass(frozen=True)
class Arrivals:
    """ring: the objects; a barrier of the block says that a slot was read. is_first: whether a
    thread is the one that starts copies.
    """

    ring: SlotRing
    is_first: SSAValue

    @staticmethod
    def of(scope: LoopScope, slots: int, thread: SSAValue) -> "Arrivals":
        """Write the objects; the first thread makes them, all wait for it."""
        ring = SlotRing.of(scope, slots, is_reused=False)
        return Arrivals(ring, make_objects(scope, thread, {ring.full: 1}))

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
            write(self.ring.expect(scope, slice, bytes))

        scope.where(self.is_first, start)
