"""The message for threads that wait for ever: who waits for whom."""

from collections.abc import Mapping, Sequence
from typing import NoReturn

import numpy as np
from xdsl.ir import Operation

from dlc.arch.fragments import WARP_LANES
from dlc.arch.scope import Scope
from dlc.core.locations import operation_text
from dlc.ir.order import OrderingOp
from dlc.simulator._bundle import Bundle, State
from dlc.simulator._faults import Site
from dlc.simulator._machine import Machine

_NOUN = {
    Scope.WARP: "warp",
    Scope.WARPGROUP: "warpgroup",
    Scope.BLOCK: "block",
    Scope.CLUSTER: "cluster",
    Scope.GRID: "grid",
}

_SHOWN = 4
"""How many blocks a message names."""


class Stall:
    """Bundles none of which can go on. where: the operation at which each stands."""

    def __init__(
        self, machine: Machine, bundles: Sequence[Bundle], where: Mapping[Bundle, Operation]
    ):
        self.machine = machine
        self.batch = machine.batch
        self.bundles = bundles
        self.where = where

    def report(self) -> NoReturn:
        """Raise SimulationError: for a thread that waits for a token, else for one that is missed
        where others of its group are.
        """
        waiting = [b for b in self.bundles if b.state is State.WAITING]
        if waiting:
            self._waits_for_ever(waiting[0])
        self._is_missed(min(self.bundles, key=lambda b: b.at))

    def _waits_for_ever(self, bundle: Bundle) -> NoReturn:
        op, thread = self.where[bundle], int(bundle.active.threads[0])
        self.machine.values[:] = bundle.values
        why = self.machine.waits[op].lacks(bundle.active)
        block = self.batch.block_slot[thread]
        Site(op).fail(self.batch, thread, f"waits for ever: {why}; {self._others(bundle, block)}")

    def _is_missed(self, bundle: Bundle) -> NoReturn:
        op = self.where[bundle]
        assert isinstance(op, OrderingOp)
        groups = self.batch.groups(op.together)
        group = groups[bundle.active.threads[0]]
        here = [b.active.mask for b in self.bundles if b.at == bundle.at]
        missing = int(np.argmax((groups == group) & ~np.logical_or.reduce(here)))
        what = "a barrier" if op.releases is not None else op.name
        Site(op).fail(
            self.batch,
            missing,
            f"does not come to {what} where others of its {_NOUN[op.together]} wait; "
            + self._others(bundle, self.batch.block_slot[missing]),
        )

    def _others(self, bundle: Bundle, block: int) -> str:
        """Say where the other threads of a block are."""
        waiting: dict[Operation, np.ndarray] = {}
        gone = self.batch.block_slot == block
        for other in self.bundles:
            own = other.active.mask & (self.batch.block_slot == block)
            gone &= ~own
            if other is not bundle and own.any():
                op = self.where[other]
                waiting[op] = waiting.get(op, False) | own
        texts = [f"{self._who(mask)} wait at {operation_text(op)}" for op, mask in waiting.items()]
        if gone.any():
            texts.append(f"{self._who(gone)} have ended")
        texts += self._elsewhere(block)
        return "; ".join(texts) or "all its other threads wait there too"

    def _elsewhere(self, block: int) -> list[str]:
        """Say where other blocks are, which may hand values to this one."""
        if self.machine.kernel.cooperative is None:
            return []
        blocks: dict[Operation, set[int]] = {}
        for bundle in self.bundles:
            found = {int(number) for number in self.batch.block[bundle.active.mask]}
            blocks.setdefault(self.where[bundle], set()).update(found)
        own = int(self.batch.blocks[block])
        return [
            f"blocks {_listed(others)} wait at {operation_text(op)}"
            for op, found in blocks.items()
            if (others := sorted(found - {own}))
        ]

    def _who(self, mask: np.ndarray) -> str:
        """Return the numbers of threads in their block, as ranges."""
        numbers = self.batch.thread[mask]
        starts = numbers[np.concatenate([[True], np.diff(numbers) != 1])]
        ends = numbers[np.concatenate([np.diff(numbers) != 1, [True]])]
        ranges = [f"{a}" if a == b else f"{a}-{b}" for a, b in zip(starts, ends, strict=True)]
        shown = ", ".join(ranges[:4]) + (", ..." if len(ranges) > 4 else "")
        first, last = starts[0] // WARP_LANES, ends[-1] // WARP_LANES
        warps = f"warp {first}" if first == last else f"warps {first}-{last}"
        return f"threads {shown} ({warps})"


def _listed(numbers: Sequence[int]) -> str:
    """Return the first few of some numbers."""
    return ", ".join(map(str, numbers[:_SHOWN])) + (", ..." if len(numbers) > _SHOWN else "")
