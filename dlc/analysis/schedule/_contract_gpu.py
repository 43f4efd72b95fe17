"""Schedules of contractions on a GPU: block tile, warps, instruction, pipeline stages, split."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from dlc.analysis.latency import contraction_s
from dlc.analysis.schedule._candidate import Rated, Record
from dlc.analysis.schedule._contract_work import ContractWork, describe, work_of
from dlc.analysis.schedule._strategy import Strategy
from dlc.analysis.schedule._tiling import GROUPED, GROUPED_ROWS, KEYS, ROW, Tiling, instruction_for
from dlc.analysis.upper_bound import gpu_bound
from dlc.arch import GpuArch


@dataclass(frozen=True)
class _Space:
    """Tiles of one kind of instruction: (tile m, tile n, warps m, warps n), slices of the reduction
    in bytes, and the shape of the instruction.
    """

    tiles: tuple[tuple[int, int, int, int], ...]
    slice_bytes: tuple[int, ...]
    stages: tuple[int, ...]


_MMA = _Space(
    tiles=(
        (128, 256, 2, 4),
        (256, 128, 4, 2),
        (128, 128, 2, 4),
        (128, 128, 2, 2),
        (64, 256, 1, 4),
        (64, 128, 2, 2),
        (128, 64, 2, 2),
        (64, 64, 2, 2),
        (128, 32, 4, 1),
        (32, 128, 1, 4),
        (64, 32, 2, 2),
        (32, 64, 2, 2),
        (32, 32, 2, 2),
        (16, 128, 1, 4),
        (16, 64, 1, 4),
        (16, 32, 1, 2),
    ),
    slice_bytes=(64, 128),
    stages=(2, 3, 4, 5),
)

_FMA = _Space(
    tiles=(
        (128, 128, 2, 4),
        (128, 64, 2, 2),
        (64, 128, 2, 2),
        (64, 64, 2, 2),
        (32, 64, 1, 4),
        (64, 32, 2, 2),
        (32, 32, 1, 2),
        (16, 64, 1, 4),
        (16, 32, 1, 2),
    ),
    slice_bytes=(32, 64),
    stages=(1, 2, 3, 4),
)

_SPLITS = (1, 2, 3, 4, 6, 8, 12, 16, 32)


def candidates(work: ContractWork, arch: GpuArch) -> Iterator[Record]:
    """Yield the schedules of the space for the fastest instruction that computes ``work``
    exactly.
    """
    instruction = instruction_for(work, arch)
    space = _FMA if instruction == "fma" else _MMA
    most_stages = 5 if "cp.async" in arch.capabilities else 2
    for m, n, warps_m, warps_n in space.tiles:
        for slice_bytes in space.slice_bytes:
            depth = slice_bytes // work.factor_bytes
            slices = ceil(work.k / depth)
            for split in (s for s in _SPLITS if s == 1 or slices >= 2 * s):
                for stages in (s for s in space.stages if s <= most_stages):
                    yield {
                        "strategy": "contract",
                        "tile": (m, n, depth),
                        "warps": (warps_m, warps_n),
                        "instruction": instruction,
                        "stages": stages,
                        "split": split,
                        "order": _order(work, m, n, arch),
                    }


def _order(work: ContractWork, tile_m: int, tile_n: int, arch: GpuArch) -> str:
    rows, columns = ceil(work.m / tile_m), ceil(work.n / tile_n)
    many = rows * columns > arch.sm_count and rows > GROUPED_ROWS and columns > 1
    return GROUPED if many else ROW


def rate_work(work: ContractWork, schedule: Record, arch: GpuArch) -> Rated:
    """Return the bound and the latency of one schedule."""
    tiling = Tiling.of(work, schedule, arch)
    bound = gpu_bound(tiling.kernel_work(), arch)

    def latency_s() -> float:
        return contraction_s(tiling.on_one_sm(arch), tiling.unit, work.global_bytes, arch)

    return Rated(schedule, bound, latency_s)


STRATEGY = Strategy(work_of, candidates, rate_work, describe, KEYS)
