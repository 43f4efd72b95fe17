"""What a schedule of ``contract`` on a GPU holds: how the result is cut into tiles, and who makes
them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dlc.arch import instructions
from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import Instruction
from dlc.model.contraction import TileNumbers
from dlc.model.violation import Resource
from dlc.strategies._key import count, flag, key_field, size, sizes
from dlc.strategies._roles import Roles, kept_registers
from dlc.strategies._schedule import Schedule
from dlc.strategies.contract.schedule_checks import check
from dlc.strategies.contract.schedule_keys import (
    COPIES,
    INSTRUCTION,
    ORDER,
    ROW,
    TENSOR,
    THREADS,
    grouped_in,
)


@dataclass(frozen=True)
class ContractOnGpu(Schedule, strategy="contract", target="gpu"):
    """A block makes a tile of the result; slices of the factors go through shared memory."""

    tile: tuple[int, int, int] = sizes(
        "`[m, n, k]`: the block's tile of the result and the depth of one staged slice", 3
    )
    warps: tuple[int, int] = sizes("`[m, n]`: the warps of the block as a grid over the tile", 2)
    instruction: str = key_field(INSTRUCTION)
    stages: int = size(
        "slices in shared memory at a time: 1 no overlap, 2 double buffering, from 3 on with "
        "asynchronous copies",
        default=1,
        most=16,
    )
    split: int = size(
        "parts of the reduction, each in its own block; partial sums go to scratch in the compute "
        "type and the last block to arrive adds them in order. With `exchange` the blocks are a "
        "cluster: each adds its rows of the tile up, in the order of the parts",
        default=1,
        most=1024,
    )
    order: str = key_field(ORDER, ROW)
    interleave: int = size(
        "panels of 8 columns of a warp beside each other whose columns take turns, so that a "
        "thread holds that many times as many neighbours of the result, which it stores together",
        default=1,
        most=16,
    )
    exchange: bool = flag(
        "whether the tile goes through shared memory before it is finished, so that neighbouring "
        "threads store neighbours of a row, a warpgroup alone 64 rows at a time; without it each "
        "thread finishes what it has summed",
        False,
    )
    producers: int = count(
        "warps, beside `warps`, that bring slices while those multiply; 0: all threads bring them",
        most=16,
    )
    turns: int = size(
        "groups of `warps` that multiply in turns, each a tile of its own: one finishes its tile "
        "while the next one multiplies",
        default=1,
        most=4,
    )
    producer_registers: int = kept_registers()
    blocks: int = count(
        "blocks of the launch, each of which walks over tiles, so that producers bring the next "
        "tile while one is finished; 0: a block for each tile",
    )

    copies: str = key_field(COPIES, THREADS)
    groups: int = size(
        "products of the batch that share a tile, such as groups of a convolution: their columns "
        "stand beside each other, and so do their parts of a line of the lhs. Each column of "
        "`tile` belongs to one of them, and so does each place of a slice",
        default=1,
        most=64,
    )
    row_blocks: int = size(
        "blocks of a cluster that have the columns of the same rows, where something is computed "
        "for whole rows of the result (a layer norm); 1: a tile has all columns",
        default=1,
        most=8,
    )

    @property
    def remedies(self) -> Mapping[Resource, str]:
        return {
            Resource.THREADS: "lower warps, producers or turns",
            Resource.REGISTERS: "lower tile or raise warps",
            Resource.MEMORY: "lower tile, stages or turns",
        }

    @property
    def needs(self) -> dict[str, str]:
        return {
            **({f'copies = "{TENSOR}"': "tma"} if self.copies == TENSOR else {}),
            **self.roles.needs,
            **({"exchange = true with split": "cluster"} if self.parts_cluster > 1 else {}),
            **({f"row_blocks = {self.row_blocks}": "cluster"} if self.row_blocks > 1 else {}),
        }

    @property
    def grouped(self) -> int:
        """The tile rows that run together; 0 where tiles run row by row."""
        return grouped_in(self.order)

    @cached_property
    def numbers(self) -> TileNumbers:
        """The keys as the model takes them."""
        return TileNumbers(
            *self.tile,
            *self.warps,
            columns=self.row.n,
            stages=self.stages,
            split=self.split,
            interleave=self.interleave,
            exchange=int(self.exchange),
            producers=self.producers,
            walking=self.blocks,
            tensor=int(self.copies == TENSOR),
            turns=self.turns,
            kept=self.roles.registers[0] if self.producer_registers else 0,
            row_blocks=self.row_blocks,
        )

    @property
    def depth(self) -> int:
        """The part of a slice that each product has."""
        return self.tile[2] // self.groups

    @property
    def threads(self) -> int:
        """The threads that multiply a tile."""
        return self.warps[0] * self.warps[1] * WARP_LANES

    @cached_property
    def roles(self) -> Roles:
        """Who brings slices and who multiplies them."""
        return Roles(self.threads, self.producers, self.producer_registers, self.turns)

    @property
    def block_threads(self) -> int:
        """All threads of a block."""
        return self.roles.block_threads

    @property
    def stage_threads(self) -> int:
        alone = self.split == self.row_blocks == 1 and not self.producers and not self.blocks
        return self.threads if alone and self.copies == THREADS else 0

    @property
    def blocks_per_tile(self) -> int:
        return self.split

    @property
    def parts_cluster(self) -> int:
        """The blocks of a cluster in which parts of a sum meet; 1 where these do not."""
        return self.split if self.exchange else 1

    @property
    def cluster(self) -> int:
        """The blocks of a cluster, in which parts of a sum meet, or those of a row; 1: there are no
        clusters.
        """
        return max(self.parts_cluster, self.row_blocks)

    @property
    def thrift(self) -> tuple[int, ...]:
        """Shared memory (other kernels' blocks may need it), then the wider tile, fewer warps,
        fewer parts.
        """
        m, n, depth = self.tile
        return self.stages * (m + n) * depth, -n, self.threads, self.split

    @property
    def teams(self) -> tuple[int, int]:
        """The warps, or the warpgroups that multiply together, as a grid over the tile."""
        return self.warps[0] // self.row.warps, self.warps[1]

    @property
    def part(self) -> tuple[int, int, int]:
        """The m, n and k of a slice that a warp has, or the warpgroups that multiply together."""
        (m, n, depth), (teams_m, teams_n) = self.tile, self.teams
        return m // teams_m, n // teams_n, depth

    @property
    def least(self) -> tuple[int, int, int]:
        """The least m, n and k that a warp or warpgroup computes."""
        return self.row.least

    @property
    def rounds_factors(self) -> bool:
        """Whether factors are rounded on their way to shared memory: what the instruction reads
        there it cuts off.
        """
        return self.row.cuts_factors

    @cached_property
    def family(self) -> str:
        """The name of the instruction and of those that differ from it in their columns only."""
        return self.row.family

    @property
    def reads_shared(self) -> bool:
        """Whether the instruction reads factors where they lie in shared memory."""
        return self.row.is_asynchronous

    @property
    def lanes(self) -> tuple[int, int]:
        """How the lanes of a warp stand over its part, where each computes for itself."""
        return self.row.lanes

    @property
    def row(self) -> Instruction:
        """The instruction."""
        return instructions.named(self.instruction)[0]  # all of a name have the same sizes

    def check(self) -> None:
        check(self)
