"""What a schedule of ``attention`` holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import lcm

from dlc.arch import instructions
from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import WARPGROUP_WARPS, Instruction
from dlc.arch.matrix_descriptor import ROW_BYTES, fits_lines
from dlc.arch.scope import CLUSTER_BLOCKS
from dlc.errors import CompileError
from dlc.model.violation import Resource
from dlc.strategies._key import Key, choice, count, flag, key_field, size
from dlc.strategies._roles import Roles, kept_registers
from dlc.strategies._schedule import Schedule
from dlc.strategies.attention.tile_order import PRODUCTS, together_in

PIECE = "mma.m16n8k16"
"""The instruction of single warps, which every GPU with products of 16 bits has."""

WARPGROUP = "wgmma.m64k16"
"""Of warpgroups."""

INSTRUCTIONS = {PIECE: PIECE, WARPGROUP: "wgmma.m64n8k16"}
"""Instructions (``dlc/arch/instructions``) whose threads hold a lhs as they hold sums, or families
of them that differ in their columns, and the narrowest of each. Products take the widest that fits.
"""

_ROW = instructions.named(PIECE)[0]

_ORDER = Key(
    f"which tile of rows comes when: `{PRODUCTS}`, those of one product of queries and keys after "
    "the other; `last<N>`, of N products in turns, which divide their number, the last rows first: "
    "they have the most keys where rows see what was before",
    f'"{PRODUCTS}", or "last<N>" with a number N from 1',
    lambda value: isinstance(value, str) and together_in(value) is not None,
)

_FRAGMENTS_TOGETHER = 2
"""Of values, beside each other: loaded at once."""


@dataclass(frozen=True)
class AttentionOnGpu(Schedule, strategy="attention", target="gpu"):
    """A block has some rows of queries, and goes through the keys step by step; scores and weights
    stay in registers.
    """

    rows: int = size(f"rows of queries of a block: a multiple of {_ROW.m} for each warp")
    step: int = size(f"keys of a step: a multiple of {_ROW.k}")
    warps: int = size("warps of a block, below each other over its rows; a multiple of 4 for wgmma")
    instruction: str = choice("what multiplies and adds", tuple(INSTRUCTIONS), PIECE)
    stages: int = size("steps whose keys and values are in shared memory at a time", 2, most=8)
    exchange: bool = flag(
        "whether results go through shared memory, so that neighbouring threads store neighbours "
        "of a row. With `split` parts do, too: the blocks that have them are a cluster",
        False,
    )
    split: int = size(
        "parts of the keys, each in its own block; sums, largest scores and totals of parts go to "
        "scratch, and the last block to arrive makes the result of them, in order. With `exchange` "
        "each block of the cluster makes a part of the result",
        1,
        most=1024,
    )
    teams: int = size(
        "groups of `warps` in a block, each with its own part of the keys of a step, where `split` "
        "is above 1",
        1,
        most=32,
    )

    producers: int = count(
        "warps beside these that do nothing but bring queries, keys and values, by tensor copies; "
        "0: all threads copy them",
        most=4,
    )
    producer_registers: int = kept_registers()

    blocks: int = count(
        "blocks of the launch, each of which walks over tiles of rows, so that producers bring the "
        "next queries and keys while one is finished; 0: a block for each tile",
    )

    ahead: bool = flag(
        "whether the scores of a step are multiplied before the values of the step before, so that "
        "this product runs under the softmax of the step; keys and values of two steps are there",
        False,
    )
    order: str = key_field(_ORDER, PRODUCTS)

    @property
    def remedies(self) -> Mapping[Resource, str]:
        return {
            Resource.THREADS: "lower warps, teams or producers",
            Resource.REGISTERS: "lower rows or step, or raise warps",
            Resource.MEMORY: "lower rows, step or stages",
        }

    @property
    def needs(self) -> dict[str, str]:
        copies = {f"producers = {self.producers}": "tma"} if self.producers else {}
        meet = {"exchange = true with split": "cluster"} if self.cluster > 1 else {}
        return {**self.roles.needs, **copies, **meet}

    @property
    def roles(self) -> Roles:
        """Who brings keys and values and who multiplies them."""
        return Roles(self.threads, self.producers, self.producer_registers)

    @property
    def together(self) -> int:
        """The products whose tiles take turns, the last ones first; 0: one after the other."""
        return together_in(self.order) or 0

    @property
    def blocks_per_tile(self) -> int:
        return self.split

    @property
    def cluster(self) -> int:
        """The blocks of a cluster, in which parts of the keys meet; 1: there are no clusters."""
        return self.split if self.exchange else 1

    @property
    def threads(self) -> int:
        """The threads of a block that multiply."""
        return self.warps * self.teams * WARP_LANES

    @property
    def block_threads(self) -> int:
        """All threads of a block."""
        return self.roles.block_threads

    @property
    def row(self) -> Instruction:
        """The instruction, or the narrowest of its family, for some type of factors: all of a name
        have the same sizes.
        """
        return instructions.named(INSTRUCTIONS[self.instruction])[0]

    @property
    def reads_shared(self) -> bool:
        """Whether the instruction reads factors where they are in shared memory."""
        return self.row.b.place is None

    @property
    def parts(self) -> tuple[int, int]:
        """The groups of threads that multiply together, and the parts of the rows that each of them
        has, below each other.
        """
        groups = self.warps // self.row.warps
        return groups, self.rows // groups // self.row.m

    def padded_depth(self, size: int) -> int:
        """Return the length of queries and keys in shared memory."""
        return _padded(size, self.row.k)

    def padded_columns(self, size: int) -> int:
        """Return the columns of values in shared memory."""
        return _padded(size, _FRAGMENTS_TOGETHER * self.row.n)

    @property
    def thrift(self) -> tuple[int, ...]:
        return self.split, self.step * self.stages, self.warps * self.teams, self.exchange

    def check(self) -> None:
        rows = self.row.m // self.row.warps
        if self.warps % self.row.warps:
            raise CompileError(
                f"warps = {self.warps} are no multiple of {self.row.warps}, which do "
                f"{self.instruction} together"
            )
        if self.rows % (rows * self.warps):
            raise CompileError(
                f"rows = {self.rows} are no multiple of {rows} for each of {self.warps} warps"
            )
        keys = lcm(self.row.n, self.row.k)  # columns of scores, reduction of weights and values
        if self.step % (keys * self.teams):
            each = f" for each of {self.teams} teams" if self.teams > 1 else ""
            raise CompileError(f"step = {self.step} are no multiple of {keys}{each}")
        if self.teams > 1 and (self.split == 1 or self.reads_shared):
            raise CompileError(
                f"teams = {self.teams} are of {PIECE}, and meet where parts of the keys do; give a "
                "split above 1, or leave teams out"
            )

        if self.producers and (self.split > 1 or self.exchange or not self.reads_shared):
            raise CompileError(
                f"producers = {self.producers} are for {WARPGROUP}, without split and exchange"
            )
        if self.producers % WARPGROUP_WARPS:
            raise CompileError(
                f"producers = {self.producers} should be a multiple of {WARPGROUP_WARPS}: warps "
                "that do not fill the last four have no fewer registers"
            )
        if self.ahead and (not self.reads_shared or self.stages < (2 if self.producers else 3)):
            raise CompileError(
                f"ahead = true is for {WARPGROUP}, with at least 3 stages, or 2 where producers "
                "bring keys and values"
            )
        self.roles.check(self.blocks, self.split)
        if self.cluster not in (1, *CLUSTER_BLOCKS):
            raise CompileError(
                f"exchange = true with split = {self.split}: parts of the keys meet in a cluster, "
                f"of {' or '.join(map(str, CLUSTER_BLOCKS))} blocks; take such a split, or leave "
                "exchange out"
            )

    def check_walk(self, causal: bool) -> None:
        """Raise CompileError where blocks walk over tiles whose steps differ."""
        if self.blocks and causal:
            raise CompileError(
                f"blocks = {self.blocks}: slices are counted where each tile has as many steps; "
                "take a block for each tile, blocks = 0"
            )

    def check_ahead(self, keys: int) -> None:
        """Raise CompileError where there is one step, under whose softmax nothing could run."""
        if self.ahead and keys <= self.step * self.split:
            raise CompileError(
                f"ahead = true is for several steps; there are {keys} keys, take a shorter step "
                "or leave ahead out"
            )

    def check_order(self, products: int) -> None:
        """Raise CompileError where the last tiles of so many products cannot take turns."""
        if self.together and products % self.together:
            raise CompileError(
                f'order = "{self.order}" is of products in groups of {self.together}; there are '
                f"{products}, take a number that divides it"
            )

    def check_lines(self, element_bytes: int, *lengths: int) -> None:
        """Raise CompileError where the instruction reads lines in shared memory, and none of such
        lengths, padded.
        """
        odd = [n for n in lengths if not fits_lines(n * element_bytes)]
        if self.reads_shared and odd:
            *short, long = sorted(ROW_BYTES)
            raise CompileError(
                f"{self.instruction} reads lines of {', '.join(map(str, short))} or a multiple of "
                f"{long} bytes, queries or values have {odd[0] * element_bytes}; take {PIECE}"
            )


def _padded(size: int, unit: int) -> int:
    return -(-size // unit) * unit
