"""How many wavefronts the accesses to shared memory take."""

import numpy as np

from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import BANK_BYTES, BANKS
from dlc.simulator._threads import Active, Integers


class BankCounter:
    """Counts the wavefronts of accesses, and those that would do without bank conflicts.

    A wavefront gives each bank once. Of a warp's access of 4 bytes or less, all lanes go together;
    of 8 bytes, each half of the lanes; of 16 bytes, each quarter.
    """

    def __init__(self) -> None:
        self.wavefronts = 0
        self.without_conflicts = 0

    def count(self, active: Active, address: Integers, width: int) -> None:
        """Add one access: a byte address in the block for each active thread."""
        words = max(width // BANK_BYTES, 1)
        phase = active.threads // (WARP_LANES // words)
        word = (address // BANK_BYTES)[:, None] + np.arange(words)
        phases, numbers = np.unique(phase, return_inverse=True)
        span = int(word.max()) + 1
        span += -span % BANKS
        distinct = np.unique((numbers[:, None] * span + word).reshape(-1))
        conflicts = np.bincount(
            distinct // span * BANKS + distinct % BANKS, minlength=len(phases) * BANKS
        )
        self.wavefronts += int(conflicts.reshape(-1, BANKS).max(axis=1).sum())
        self.without_conflicts += len(phases)
