"""The error of a kernel that does what the hardware leaves undefined."""

from math import prod
from typing import NoReturn

from xdsl.ir import Operation

from dlc.core.locations import operation_text
from dlc.dialects.gpu import KernelOp
from dlc.errors import CompileError
from dlc.simulator._threads import Batch, split_position


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


def fail_at_end(kernel: KernelOp, message: str) -> NoReturn:
    """Raise SimulationError for the last thread of the last block of a launch."""
    block = split_position(prod(kernel.grid_size) - 1, kernel.grid_size)
    thread = split_position(kernel.threads - 1, kernel.block_size)
    message = f"ends the launch, and {message}"
    raise SimulationError(message, f"@{kernel.sym_name.data}", block, thread)
