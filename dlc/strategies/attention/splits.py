"""Schedules of ``attention`` for few queries and many keys: parts of the keys in blocks of their
own.
"""

from collections.abc import Iterator
from itertools import product

from dlc.arch import GpuArch
from dlc.strategies.attention.schedule import PIECE, AttentionOnGpu
from dlc.strategies.attention.work import AttentionWork

_BLOCKS = {
    (16, 1): (1, 2, 4, 8),
    (32, 2): (1, 2, 4),
    (64, 4): (1, 2),
}
"""Rows and warps of a team, and the teams of blocks."""

_STEPS = (16, 32, 48, 64, 128)

_STAGES = (2, 3, 4)
"""Of 25 measured schedules with 6 or 8 none was the best of its shape."""

_SPLITS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128)


def split_candidates(work: AttentionWork, arch: GpuArch) -> Iterator[AttentionOnGpu]:
    """Yield the schedules in which a block has all queries, and each part a step of keys."""
    rows, warps = next((b for b in _BLOCKS if work.rows <= b[0]), (0, 0))
    for teams, step, split in product(_BLOCKS.get((rows, warps), ()), _STEPS, _SPLITS):
        if step % (teams * 16) or split * step > work.keys:
            continue
        steps = -(-work.keys // (step * split))
        for stages in _STAGES if steps > 1 else (1,):
            if stages > steps:
                continue
            for exchange in (False, True) if split in arch.cluster_sms else (False,):
                yield AttentionOnGpu(
                    rows, step, warps, PIECE, stages, exchange, split=split, teams=teams
                )
