"""Threads that go through a kernel together, and where they are."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import numpy as np

from dlc.simulator._buffer import Buffer
from dlc.simulator._threads import Active, Booleans, Value


class State(Enum):
    """What a bundle does."""

    READY = auto()
    MEETING = auto()
    """It stands where all threads of a group must come before any goes on."""
    WAITING = auto()
    """It waits for a token, and looks again when one has changed."""


@dataclass(eq=False)
class Bundle:
    """Threads at one place of a kernel.

    at: the number of the next instruction. values: what the threads hold, by slot. seen: how many
    changes of tokens there had been when it looked last.
    """

    at: int
    active: Active
    values: list[Value]
    state: State = State.READY
    seen: int = -1

    def part(self, mask: Booleans) -> "Bundle | None":
        """Return a bundle of those of its threads for which ``mask`` holds, at the same place."""
        mask = mask & self.active.mask
        if not mask.any():
            return None
        return Bundle(self.at, Active(mask), list(self.values), self.state, self.seen)


def merged(bundles: Sequence[Bundle]) -> Bundle:
    """Return one bundle of the threads of several that are at the same place."""
    first, *others = bundles
    if not others:
        return first
    masks = [bundle.active.mask for bundle in bundles]
    values = list(first.values)
    for slot, held in enumerate(zip(*(bundle.values for bundle in bundles), strict=True)):
        if any(value is not held[0] for value in held):
            values[slot] = _combined(held, masks)
    return Bundle(first.at, Active(np.logical_or.reduce(masks)), values)


def _combined(held: Sequence[Any], masks: Sequence[Booleans]) -> Value:
    """Return what threads hold: of each mask, the value beside it. Buffers are the same in all."""
    known = [(value, mask) for value, mask in zip(held, masks, strict=True) if value is not None]
    first = known[0][0]
    if isinstance(first, Buffer):
        return first
    if all(np.ndim(value) == 0 and value == first for value, _ in known):
        return first
    result = np.zeros(masks[0].shape, np.asarray(first).dtype)
    for value, mask in known:
        result[mask] = value if np.ndim(value) == 0 else value[mask]
    return result
