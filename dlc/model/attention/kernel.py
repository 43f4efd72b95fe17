"""A kernel of attention as the model takes it, and what a block of it occupies."""

from dataclasses import dataclass
from math import ceil

from dlc.arch import GpuArch
from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import Instruction
from dlc.arch.memory import REGISTER_BYTES
from dlc.ir.weighed_row import ROW_MARGIN
from dlc.model.contraction import EXCHANGE_MARGIN, EXCHANGE_RUN
from dlc.model.occupancy import BlockResources, limit_violation
from dlc.model.registers import OTHER_REGISTERS
from dlc.model.violation import Resource, Violation

_FIXED_REGISTERS = 27
_ROW_REGISTERS = 26
"""Addresses and loop counters; largest score, total and address of the rows of a part: fitted to
152 kernels for sm_90a.
"""

_WARPGROUP_REGISTERS, _WARPGROUP_HELD = 20, 1.15
"""The same of instructions that read shared memory, and how many more than scores and sums a thread
has: fitted to 14 kernels for sm_90a.
"""

_OBJECT_BYTES = 8
"""Of an ``mbarrier`` object."""

_OBJECTS_TOGETHER = 2
"""Objects of a piece of shared memory, of which a buffer takes whole ones."""


@dataclass(frozen=True)
class AttentionKernel:
    """Attention by a schedule.

    instruction: what multiplies. element_bytes: of one element of the factors. blocks: of the
    kernel. rows, keys: of a block and a step. warps, stages: of a block. steps, mean_steps: of a
    block, at most and on average. depth, columns: elements of a query and of a value, padded.
    operations, reads: of a score between the products. exchange: whether results change threads.
    read_bytes, written_bytes: each tensor once. split: blocks that have parts of the keys.
    in_cluster: whether these are a cluster, in whose shared memory parts meet. left_rows: of a
    block, that exist. teams: groups of ``warps`` in a block that have parts of the keys of a step.
    producers: warps beside these that bring what comes; then all threads begin with
    ``launch_registers``, and those that multiply have ``own_registers``. walking: blocks of the
    launch, where they walk over ``blocks`` tiles. ahead: whether the product with the values of a
    step runs under the softmax of the next one.
    """

    instruction: Instruction
    element_bytes: int
    blocks: int
    rows: int
    keys: int
    warps: int
    stages: int
    steps: int
    mean_steps: float
    depth: int
    columns: int
    operations: float
    reads: int
    exchange: bool
    read_bytes: int
    written_bytes: int
    split: int = 1
    in_cluster: bool = False
    left_rows: int = 0
    teams: int = 1
    producers: int = 0
    launch_registers: int = 0
    own_registers: int = 0
    walking: int = 0
    ahead: bool = False

    @property
    def step_flops(self) -> float:
        """The operations of both products in a step of a block."""
        return 2.0 * self.rows * self.keys * (self.depth + self.columns)

    @property
    def step_bytes(self) -> int:
        """The bytes of keys and values of a step."""
        return self.element_bytes * self.keys * (self.depth + self.columns)

    @property
    def reads_shared(self) -> bool:
        """Whether the instruction reads factors in shared memory."""
        return self.instruction.b.place is None

    @property
    def all_warps(self) -> int:
        """The warps of a block."""
        return self.warps * self.teams

    @property
    def moved_bytes(self) -> float:
        """The bytes of shared memory that a step of a block writes and reads: keys and values once
        for each warp, or for each product of warpgroups, and then queries, too.
        """
        if not self.reads_shared:
            return (self.warps + 1) * self.step_bytes
        queries = self.element_bytes * self.rows * self.depth
        return (self.rows / self.instruction.m + 1) * self.step_bytes + queries

    @property
    def _parts(self) -> float:
        """The parts below each other that a warp has of the rows, one of an instruction's each."""
        return self.rows / self.warps / (self.instruction.m / self.instruction.warps)

    @property
    def _scores(self) -> float:
        """The scores of a step that a lane has, a register each."""
        return self.rows * self.keys / self.all_warps / WARP_LANES

    @property
    def _sums(self) -> float:
        return self.rows * self.columns / self.warps / WARP_LANES

    @property
    def _queries(self) -> float:
        """The registers of a lane for its elements of queries; none where the instruction reads
        shared memory.
        """
        if self.reads_shared:
            return 0
        return self._packed * self.rows * self.depth / self.warps / WARP_LANES

    @property
    def _weights(self) -> float:
        """The registers of a lane for the weights of a step, as factors."""
        return self._packed * self._scores

    @property
    def _packed(self) -> float:
        """The registers of an element of the factors."""
        return self.element_bytes / REGISTER_BYTES

    @property
    def registers(self) -> int:
        """The registers of a thread: scores, sums and queries of its rows. Of a single step the
        sums are there when the scores are not any more. With producers all have those of a block
        that is alone on an SM.
        """
        if self.producers:
            return self.launch_registers
        sums = self._sums if self.steps > 1 else self._sums / 4
        held = self._scores + self._queries + sums + (self._weights if self.ahead else 0)
        if self.reads_shared:
            return ceil(_WARPGROUP_REGISTERS + _WARPGROUP_HELD * held)
        return ceil(_FIXED_REGISTERS + held + self._parts * _ROW_REGISTERS)

    @property
    def least_registers(self) -> float:
        """What ``gpu-check-limits`` counts: what takes turns (scores and keys, scores and weights,
        weights and values); beside them queries, sums, largest score and total of each row. Of a
        single step queries are there in the first product only, and sums and totals after it.
        """
        place = self.instruction.c.place
        rows = self._parts * (place.panels[0] if place else 1)
        weights = self._weights
        keys = self.keys // self.teams
        first = self._scores + self._fragments(keys, self.depth)
        second = weights + max(self._scores, self._fragments(self.columns, keys))
        if self.steps == 1:
            after = second + self._sums + (2 if self.split > 1 else 1) * rows
            return OTHER_REGISTERS + max(first + self._queries, after)
        most = max(first, second)
        if self.ahead:  # weights of a step are multiplied under the scores of the next
            most = weights + rows + 1 + self._scores  # and the largest score of a row
        return OTHER_REGISTERS + self._queries + self._sums + 2 * rows + most

    def _fragments(self, columns: int, depth: int) -> float:
        """Return the registers of a lane for its elements of a rhs, in the two steps of the
        reduction that are there at a time; none where the instruction reads shared memory.
        """
        it = self.instruction
        each = it.b.place.slots if it.b.place else 0
        return self._packed * min(2, depth // it.k) * (columns // it.n) * each

    @property
    def shared_bytes(self) -> int:
        """The shared memory of a block: queries, keys and values; sums after these, or those of
        teams, with what is beside them.
        """
        slices = self.stages if self.producers else min(self.stages, self.steps)
        queries = self.element_bytes * self.rows * self.depth * (2 if self.walking else 1)
        slots = queries + slices * self.step_bytes
        if self.producers:
            objects = 2 * -(-slices // _OBJECTS_TOGETHER) * _OBJECTS_TOGETHER
            return slots + _OBJECT_BYTES * (objects + (4 if self.walking else 1))
        if self.split > 1:
            row_bytes = REGISTER_BYTES * (self.columns + ROW_MARGIN)
            meeting = self.teams * self.left_rows * row_bytes
            if self.in_cluster:
                return max(slots, meeting) + self.split * self.sent_bytes + _OBJECT_BYTES
            return max(slots, meeting) if self.teams > 1 else slots
        if not self.exchange:
            return slots
        alone = self.reads_shared and self.warps == self.instruction.warps
        rows = self.instruction.m if alone else self.rows  # a strip at a time
        return max(slots, REGISTER_BYTES * rows * (self.columns + EXCHANGE_MARGIN))

    @property
    def sent_bytes(self) -> int:
        """The room in a block of a cluster for what another one sends: runs, each with a state."""
        runs = ceil(self.left_rows * self.columns / EXCHANGE_RUN / self.split)
        return REGISTER_BYTES * runs * (EXCHANGE_RUN + ROW_MARGIN)

    @property
    def block(self) -> BlockResources:
        """What a block occupies."""
        threads = WARP_LANES * (self.all_warps + self.producers)
        return BlockResources(threads, self.registers, self.shared_bytes)


def violation(kernel: AttentionKernel, arch: GpuArch) -> Violation | None:
    """Return which limit of the chip a block exceeds, or ``None``."""
    if beyond := limit_violation(kernel.block, arch):
        return beyond
    needed, most, whose = ceil(kernel.least_registers), arch.max_registers_per_thread, ""
    if kernel.producers:
        most, whose = kernel.own_registers, " for threads that multiply"
    if needed <= most:
        return None
    return Violation(
        Resource.REGISTERS,
        f"needs at least {needed} registers per thread, {arch.target} has {most}{whose}",
    )
