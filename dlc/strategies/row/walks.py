"""How threads go through rows, by many schedules at once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.memory import BANK_BYTES, BANKS
from dlc.ir.formation import Formation
from dlc.lowering.straight import HELD_ELEMENTS
from dlc.model.occupancy import Floats, resident_blocks
from dlc.strategies.row.schedule import RowOnGpu, rounds
from dlc.strategies.row.work import RowWork

Flags = npt.NDArray[np.bool_]

REGISTERS = 48
"""Of a thread that keeps nothing: assumed."""
TOTAL_BYTES = 4
"""Of an accumulator in shared memory; wider ones are rare."""
_KEEPING_REGISTERS = 24
"""Of a thread that keeps lines, beside one for each element: assumed."""


def shared_bytes(work: RowWork, schedule: RowOnGpu, arch: GpuArch) -> int:
    """Return the bytes of shared memory that a block has rows and totals of warps in."""
    near = _near_bytes(work, schedule)
    team = Formation(schedule.threads, schedule.teams if schedule.across else 1)
    if team.threads == team.lanes:
        return near
    groups = schedule.block_threads // max(arch.warp_threads, team.apart)
    each = schedule.rows if schedule.across else 1
    return near + TOTAL_BYTES * groups * each * work.reductions


def _near_bytes(work: RowWork, schedule: RowOnGpu) -> int:
    """Return the bytes of rows, or of lines of them, that a block has in shared memory."""
    if schedule.packed:
        return schedule.rows * work.element_bytes
    if not schedule.held:
        return 0
    if not schedule.keeps(work.length):
        return schedule.rows * work.made_of_bytes
    sharers = schedule.threads * schedule.cluster
    lines = rounds(work.length, schedule.vector, sharers) * schedule.block_threads
    return lines * schedule.vector * work.made_of_bytes // work.length


@dataclass(frozen=True)
class Walks:
    """How each of many schedules goes through the rows of ``work``; arrays, an element for each.

    threads: of a team. rows: of a block. turns: rows that a team does one after the other. vector:
    neighbours that a thread takes at a time. teams, block_threads: of a block. split: parts of a
    row. cluster: blocks that share one. loads, lines, fetched: what a warp reads in a step
    (``LaneReads``). shared: bytes of shared memory of a block. ways: words of one bank of it that a
    warp asks for at a time. across: whether lanes go across rows. near: whether rows are held in
    shared memory. keeps: whether threads keep lines. packed: whether rows of a block come as one
    run.
    """

    work: RowWork
    arch: GpuArch
    threads: Floats
    rows: Floats
    turns: Floats
    vector: Floats
    teams: Floats
    block_threads: Floats
    split: Floats
    cluster: Floats
    loads: Floats
    lines: Floats
    fetched: Floats
    shared: Floats
    ways: Floats
    across: Flags
    near: Flags
    keeps: Flags
    packed: Flags

    @staticmethod
    def of(schedules: Sequence[RowOnGpu], work: RowWork, arch: GpuArch) -> "Walks":
        """Return how schedules go through the rows of ``work``."""
        found = [work.reads_of(s.vector, s.rows, s.teams if s.across else 0) for s in schedules]
        pairs = list(zip(schedules, found, strict=True))

        def floats(numbers: Iterable[float]) -> Floats:
            return np.array(list(numbers), np.float64)

        def flags(answers: Iterable[bool]) -> Flags:
            return np.array(list(answers), np.bool_)

        return Walks(
            work,
            arch,
            threads=floats(s.threads for s in schedules),
            rows=floats(s.rows for s in schedules),
            turns=floats(s.turns for s in schedules),
            vector=floats(s.vector for s in schedules),
            teams=floats(s.teams for s in schedules),
            block_threads=floats(s.block_threads for s in schedules),
            split=floats(s.split for s in schedules),
            cluster=floats(s.cluster for s in schedules),
            loads=floats(r.loads - work.weights * (1 - 1 / s.turns) for s, r in pairs),
            lines=floats(r.lines for r in found),
            fetched=floats(r.fetched for r in found),
            shared=floats(shared_bytes(work, s, arch) for s in schedules),
            ways=floats(_ways(s.threads, work) if s.packed else 1 for s in schedules),
            across=flags(s.across for s in schedules),
            near=flags(s.held for s in schedules),
            keeps=flags(s.keeps(work.length) for s in schedules),
            packed=flags(s.packed for s in schedules),
        )

    @cached_property
    def blocks(self) -> Floats:
        """The blocks of a kernel."""
        return np.ceil(self.work.rows / self.rows) * self.split * self.cluster

    @cached_property
    def steps(self) -> Floats:
        """The steps of a thread through a row."""
        taken = np.where(self.across, 1, self.vector)
        return np.ceil(self.work.length / (self.threads * self.split * self.cluster * taken))

    @cached_property
    def warp_steps(self) -> Floats:
        """The steps of all warps."""
        return self.turns * self.blocks * self.block_threads / self.arch.warp_threads * self.steps

    @cached_property
    def stays(self) -> Flags:
        """Whether later passes take the elements from registers; in shared memory, they only find
        the row nearer.
        """
        few = self.steps * self.vector <= HELD_ELEMENTS
        return (few & ~self.near | self.keeps) & (self.work.passes > 1)

    @cached_property
    def registers(self) -> Floats:
        """The registers of a thread."""
        work = self.work
        inputs = max(1, work.made_of_bytes / work.length / work.widest_bytes)
        inputs = inputs + np.where(self.turns > 1, work.weights, 0)
        kept = _KEEPING_REGISTERS + self.steps * self.vector * inputs
        holds = self.keeps & self.stays & ~self.near
        return np.where(holds, np.maximum(REGISTERS, kept), REGISTERS)

    @cached_property
    def fits(self) -> Floats:
        """The blocks that an SM holds at a time."""
        return resident_blocks(self.block_threads, self.registers, self.shared, self.arch)


def _ways(threads: int, work: RowWork) -> int:
    """Return how many words of one bank the teams of a warp ask for, each with its own row."""
    lanes = np.arange(WARP_LANES)
    places = lanes // min(threads, WARP_LANES) * work.length + lanes % threads
    words = np.unique(places * work.widest_bytes // BANK_BYTES)
    return int(np.bincount(words % BANKS).max())
