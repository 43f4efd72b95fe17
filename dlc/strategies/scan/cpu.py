"""``scan`` on a CPU: a core goes along a row, or along some neighbouring columns in SIMD lanes."""

from collections.abc import Iterator
from dataclasses import dataclass

from dlc.arch import CpuArch
from dlc.dialects.graph.scan import ScanOp
from dlc.dialects.loop.attributes import LoopMap
from dlc.errors import CompileError
from dlc.lowering.job import Job
from dlc.strategies import _loop_nest
from dlc.strategies._implementation import Implementation
from dlc.strategies._key import flag, size
from dlc.strategies._loop_nest import NestWork
from dlc.strategies._rated import Rated
from dlc.strategies._schedule import Schedule
from dlc.strategies.scan.columns import Columns
from dlc.strategies.scan.work import ScanWork, work_of

_VECTORS = (16, 8, 4)
_CHAIN_CLOCKS = 4
"""Of an addition that waits for the one before (Fog, "Instruction tables": ADDSS on Skylake to Ice
Lake; 3 on Zen).
"""


@dataclass(frozen=True)
class ScanOnCpu(Schedule, strategy="scan", target="cpu"):
    """Each element is added to the sum of those before it."""

    cores: bool = flag("whether rows, or columns, are spread over several cores", False)
    vector: int = size("neighbouring columns that are added up together; 1 for rows", 1, most=16)


def _candidates(work: ScanWork, _: CpuArch) -> Iterator[ScanOnCpu]:
    for cores in (False, True):
        yield from (ScanOnCpu(cores, v) for v in (*_VECTORS, 1) if work.neighbours % v == 0)


def _check(work: ScanWork, schedule: ScanOnCpu) -> None:
    if work.neighbours % schedule.vector:
        raise CompileError(
            f"vector = {schedule.vector} does not divide the {work.neighbours} columns beside each "
            "other; use vector = 1"
        )


def _rate(work: ScanWork, schedule: ScanOnCpu, arch: CpuArch) -> Rated:
    clocks = 1 if schedule.vector > 1 else _CHAIN_CLOCKS
    bytes, least = work.read_bytes + work.written_bytes, work.least_operations
    nest = NestWork(least * clocks, bytes, schedule.vector > 1, least)
    return _loop_nest.rate(nest, schedule, schedule.cores, arch)


@dataclass
class _OnCores(Columns):
    """map: who does the groups of columns."""

    map: LoopMap = LoopMap.SERIAL

    def write(self) -> None:
        self.scope.parallel_loop(self.units, self.map, self.write_unit)


def _lower(job: Job, schedule: ScanOnCpu) -> None:
    op = next(op for op in job.group.body.block.ops if isinstance(op, ScanOp))
    map = LoopMap.CORES if schedule.cores else LoopMap.SERIAL
    _OnCores(job, op, schedule.vector, map=map).write()


IMPLEMENTATION = Implementation(
    ScanOnCpu,
    work_of,
    _candidates,
    _rate,
    lambda work: f"a running sum of {work.rows} rows of {work.length}",
    _lower,
    check=_check,
)
