"""Which elements of its outputs a kernel writes, found without its data."""

from collections.abc import Callable, Sequence
from math import prod

import numpy as np
from xdsl.dialects import scf
from xdsl.ir import BlockArgument, Operation, SSAValue

from dlc.dialects.gpu import KernelOp
from dlc.ir.access import Access
from dlc.ir.parts import written
from dlc.ir.space import buffer_type
from dlc.simulator import _control
from dlc.simulator._buffer import one_per_thread
from dlc.simulator._faults import Site, fail_at_end
from dlc.simulator._machine import Machine, Step, nothing
from dlc.simulator._store_slice import StoreSlice
from dlc.simulator._tensor_copies import boxes
from dlc.simulator._threads import Active, Batch, Booleans, Integers

_BATCH_THREADS = 1 << 16
"""Threads that run in lockstep: few enough for their indices to stay in the cache."""


class Coverage:
    """Which elements of its outputs a kernel writes, asked as often as one likes.

    Only the index arithmetic, the loops and the conditions around stores run. A condition on data
    is taken to hold, as it does for one of the blocks that share a tile: the last that arrives.

    is_known: data does not decide which elements are written.
    """

    def __init__(self, kernel: KernelOp):
        self._kernel = kernel
        self._machine = _StoreMachine(kernel)
        self.is_known = self._machine.slice.is_decided
        self._step = self._machine.block(kernel.body.block) if self.is_known else nothing

    def written(self, blocks: Sequence[int] | None = None) -> list[Booleans]:
        """Return which elements of each output ``blocks``, or all, write, in row-major order; none
        where that is not known.

        Raises SimulationError where a store is outside of an output.
        """
        self._run(blocks)
        return [self._machine.written[output].copy() for output in self._kernel.output_buffers]

    def published(self, blocks: Sequence[int] | None = None) -> dict[SSAValue, Booleans]:
        """Return which elements of each ``filled`` buffer ``blocks``, or all, publish."""
        self._run(blocks)
        return {
            buffer: self._machine.written[buffer].copy() for buffer in self._kernel.filled_buffers
        }

    def _run(self, blocks: Sequence[int] | None) -> None:
        for found in self._machine.written.values():
            found[:] = False
        if self.is_known:
            chosen = np.arange(prod(self._kernel.grid_size)) if blocks is None else np.array(blocks)
            count = max(_BATCH_THREADS // self._kernel.threads, 1)
            for start in range(0, len(chosen), count):
                self._machine.batch = Batch(self._kernel, chosen[start : start + count])
                self._step(self._machine.batch.everyone)

    def check_all(self) -> bool:
        """Raise SimulationError unless the blocks of the grid write all of each output, or all of
        its part (``parts``) and nothing else.

        Returns false where it is not known which are written.
        """
        if self.is_known:
            for output, found in zip(self._kernel.output_buffers, self.written(), strict=True):
                check_written(self._kernel, output, found)
        return self.is_known


def check_written(kernel: KernelOp, output: BlockArgument, found: Booleans) -> None:
    """Raise SimulationError unless ``found`` are the elements of an output that a kernel writes."""
    wrong = found != written(kernel, output)
    if wrong.any():
        at = int(np.argmax(wrong))
        what = "is not in the part that it writes" if found[at] else "was never written"
        fail_at_end(kernel, f"element {at} of output %{output.name_hint or output.index} {what}")


def _chosen(positions: Integers, inside: Booleans) -> Integers:
    return positions[inside]


class _StoreMachine(Machine):
    """Runs the slice of a kernel that decides what it writes, and notes that.

    written: for each output and each filled buffer, which elements.
    """

    def __init__(self, kernel: KernelOp):
        super().__init__(kernel, _control.COMPILERS, checks=False)
        self.slice = StoreSlice(kernel)
        self.written: dict[SSAValue, Booleans] = {
            x: np.zeros(prod(buffer_type(x).get_shape()), np.bool_)
            for x in (*kernel.output_buffers, *kernel.filled_buffers)
        }

    def step(self, op: Operation) -> Step:
        if op not in self.slice.operations:
            return nothing
        if op in self.slice.stores:
            return self._note(op)
        if isinstance(op, scf.IfOp) and op.cond in self.slice.from_memory:
            return self._both(op)
        return super().step(op)

    def _both(self, op: scf.IfOp) -> Step:
        """Return the step of a condition on data: what it decides happens."""
        steps = [self.block(region.block) for region in op.regions if region.blocks]

        def run(active: Active) -> None:
            for step in steps:
                step(active)

        return run

    def _elements(self, access: Access, site: Site) -> Callable[[Active], Integers]:
        """Return what gives the positions of the elements that are written."""
        if access.region is not None:
            box = boxes(self, access, site)
            return lambda active: _chosen(*box(active))
        place, count = self.place(access, site), access.elements
        return lambda active: one_per_thread(place(active)[1], active)[:, None] + np.arange(count)

    def _note(self, op: Operation) -> Step:
        site = Site(op)
        places = [
            (self._elements(access, site), self.written[access.buffer])
            for access in self.slice.stores[op]
        ]

        def run(active: Active) -> None:
            for elements, found in places:
                found[elements(active)] = True

        return run
