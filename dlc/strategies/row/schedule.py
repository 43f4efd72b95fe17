"""What a schedule of ``row`` on a GPU holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, gcd

from dlc.arch.fragments import WARP_LANES
from dlc.arch.scope import CLUSTER_BLOCKS
from dlc.errors import CompileError, counted
from dlc.ir.formation import Formation
from dlc.model.violation import Resource
from dlc.strategies._key import choice, flag, size
from dlc.strategies._schedule import Schedule

ALONG, ACROSS = "along", "across"

KEPT_BYTES = 160
"""Of a row that a thread keeps at most: 40 registers."""


def rounds(length: int, vector: int, threads: int) -> int:
    """Return the lines of a thread that goes through a row which starts anywhere in a line; some
    are beyond the row.
    """
    return ceil(lines(length, vector) / threads)


def lines(length: int, vector: int) -> int:
    """Return the most lines of ``vector`` elements that a row which starts anywhere is in."""
    before = vector - gcd(vector, length)
    return ceil((before + length) / vector)


@dataclass(frozen=True)
class RowOnGpu(Schedule, strategy="row", target="gpu"):
    """A team of threads shares a row: lanes of a warp, a warp, several, or all of a block."""

    threads: int = size(
        "threads that share a row: a power of two, or a multiple of 32. Those of a warp exchange "
        "by shuffles, others through shared memory"
    )
    rows: int = size("rows per block", default=1)
    vector: int = size(
        "neighbours that a thread takes at a time: elements of a row, or rows where `lanes` is "
        "`across`; this divides `rows` then. Where it does not divide the length of the rows, a "
        "thread keeps what it has of a row in registers",
        default=1,
        most=16,
    )
    lanes: str = choice(
        "what neighbouring threads have: `along`: elements of one row; `across`: the same element "
        "of neighbouring rows, for rows that are not stored in order",
        (ALONG, ACROSS),
        default=ALONG,
    )
    held: bool = flag(
        "whether what rows are reduced from stands in shared memory while a team goes through it: "
        "whole rows, or, where threads keep lines of them, each thread's own; only `along` rows",
        False,
    )
    packed: bool = flag(
        "whether the rows of a block come and go as one run of memory through shared memory, 16 "
        "bytes at a time, wherever each of them starts",
        False,
    )
    turns: int = size(
        "rows of a run that a team goes through one after the other; it reads the weights of their "
        "elements once. Divides `rows`; above 1 only where `packed`",
        default=1,
        most=64,
    )
    cluster: int = choice(
        "neighbouring blocks that share a row, each thread of them with a part of it in registers; "
        "above 1, a block has one row",
        (1, *CLUSTER_BLOCKS),
        default=1,
    )
    split: int = size(
        "parts of a row, each in another block; a second kernel combines what they give. Above 1 "
        "only where no result has all elements of a row",
        default=1,
    )

    @property
    def remedies(self) -> Mapping[Resource, str]:
        fewer, held = "lower threads or rows", ", or use held = false" if self.held else ""
        return {
            Resource.THREADS: fewer,
            Resource.REGISTERS: fewer,
            Resource.MEMORY: fewer + held,
        }

    @property
    def needs(self) -> dict[str, str]:
        return {f"cluster = {self.cluster}": "cluster"} if self.cluster > 1 else {}

    @property
    def across(self) -> bool:
        """Whether neighbouring threads have neighbouring rows."""
        return self.lanes == ACROSS

    def keeps(self, length: int) -> bool:
        """Whether threads keep what they have of rows of some length, line by line."""
        alone = self.across or self.split > 1
        return not alone and (self.packed or self.cluster > 1 or length % self.vector > 0)

    @property
    def teams(self) -> int:
        """The teams of a block."""
        return self.rows // self.vector if self.across else self.rows // self.turns

    @property
    def block_threads(self) -> int:
        """The threads of a block."""
        return self.threads * self.teams

    @property
    def stage_threads(self) -> int:
        return self.block_threads if self.split == self.cluster == 1 else 0

    def check(self) -> None:
        if self.held and (self.across or self.split > 1):
            other = f'lanes = "{ACROSS}"' if self.across else f"split = {self.split}"
            raise CompileError(
                f"held = true does not go with {other}: a team holds whole rows of lanes along "
                "them; leave one of the two out"
            )
        if self.packed and (self.across or self.held or self.cluster > 1 or self.split > 1):
            raise CompileError(
                "packed = true is for rows of a block alone that come and go through shared "
                f'memory; set lanes = "{ALONG}", held = false, cluster = 1, split = 1'
            )
        if self.turns > 1 and not (self.packed and self.rows % self.turns == 0):
            raise CompileError(
                f"turns = {self.turns} of a team are for rows that come as one run, each team with "
                "as many; set packed = true, and rows to a multiple of turns"
            )
        apart = self.across or self.split > 1 or self.rows > 1
        if self.cluster > 1 and apart:
            raise CompileError(
                f"cluster = {self.cluster}: blocks share one row whose lanes go along it, without "
                "parts; set rows = 1, split = 1, or take no cluster"
            )
        if self.across and self.rows % self.vector:
            raise CompileError(
                f"vector = {self.vector} rows of a thread do not divide rows = {self.rows}"
            )
        who = f"each of {counted(self.teams, 'team')} of a block"
        if (
            self.teams > 1
            and not Formation(self.threads, self.teams if self.across else 1).is_regular
        ):
            raise CompileError(
                f"threads = {self.threads} for {who} do not fit "
                f"warps of {WARP_LANES}; take powers of two, or multiples of {WARP_LANES}"
            )
        if self.block_threads % WARP_LANES:
            raise CompileError(
                f"threads = {self.threads} for {who} make "
                f"{self.block_threads}, no multiple of the {WARP_LANES} threads of a warp"
            )
