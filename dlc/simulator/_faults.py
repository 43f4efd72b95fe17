"""The error of a kernel that does what the hardware leaves undefined."""

from typing import NoReturn

from xdsl.ir import Operation

from dlc.core.locations import operation_text
from dlc.errors import CompileError
from dlc.simulator._threads import Batch


class SimulationError(CompileError):
    """A kernel that is wrong on the hardware: outside a buffer, undefined data, a race.

    block, thread: the positions (x, y, z) of the thread that fails.
    """

    def __init__(
        self,
        message: str,
        at: str,
        block: tuple[int, int, int],
        thread: tuple[int, int, int],
    ):
        self.block = block
        self.thread = thread
        super().__init__(f"block {block}, thread {thread} {message}", at)


class Site:
    """An operation as the place of possible faults."""

    def __init__(self, op: Operation):
        self.op = op

    def fail(self, batch: Batch, slot: int, message: str) -> NoReturn:
        """Raise SimulationError for the thread at position ``slot`` of the batch."""
        block, thread = batch.position(int(slot))
        raise SimulationError(message, operation_text(self.op), block, thread)
