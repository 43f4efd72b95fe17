"""The schedules of contractions: how the result is cut into tiles, and who makes them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from dlc.arch import instructions
from dlc.arch.fragments import WARP_LANES
from dlc.arch.instruction import Instruction
from dlc.arch.scope import CLUSTER_BLOCKS
from dlc.errors import CompileError
from dlc.model.contraction import TileNumbers
from dlc.model.violation import Resource
from dlc.strategies._key import LARGEST, Key, count, flag, key_field, size, sizes
from dlc.strategies._roles import Roles, kept_registers
from dlc.strategies._schedule import Schedule

_ROW = "row"
_GROUPED = re.compile(r"grouped<([1-9][0-9]{0,5})>")

_ORDER = Key(
    '`"row"` or `"grouped<8>"`: blocks of 8 tile rows (or another number) run together, so that '
    "they share the rhs in L2",
    '"row" or "grouped<8>", of any number of rows',
    lambda value: value == _ROW or (isinstance(value, str) and bool(_GROUPED.fullmatch(value))),
)


THREADS, TENSOR = "threads", "tensor"

_COPIES = Key(
    f'who brings slices: `"{THREADS}"`, each a part; `"{TENSOR}"`, one thread starts a copy of '
    "each that is a box of a tensor in memory, and the others wait for its bytes",
    f'"{THREADS}" or "{TENSOR}"',
    lambda value: value in (THREADS, TENSOR),
)


def _factors(name: str) -> str:
    """Return the types that an instruction multiplies, in words."""
    rows = instructions.named(name)
    return ", ".join(dict.fromkeys(row.element or "any type" for row in rows))


_FAMILIES = {row.family: row for row in instructions.rows()}
_COLUMNS = [row.n for row in instructions.rows() if row.family != row.name]

_LINE_STEPS = (1, 2, 4)
"""Steps of an instruction, of 32 bytes each, in a line that it reads in shared memory: lines of 32,
64 or 128 bytes (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout").
"""

_INSTRUCTION = Key(
    "what multiplies and adds: "
    + ", ".join(f'`"{family}"` ({_factors(row.name)})' for family, row in _FAMILIES.items()),
    " or ".join(f'"{family}"' for family in _FAMILIES)
    + f" with one of {', '.join(map(str, sorted({*_COLUMNS})))} for N",
    lambda value: value in instructions.names(),
)


@dataclass(frozen=True)
class ContractOnGpu(Schedule, strategy="contract", target="gpu"):
    """A block makes a tile of the result; slices of the factors go through shared memory."""

    tile: tuple[int, int, int] = sizes(
        "`[m, n, k]`: the block's tile of the result and the depth of one staged slice", 3
    )
    warps: tuple[int, int] = sizes("`[m, n]`: the warps of the block as a grid over the tile", 2)
    instruction: str = key_field(_INSTRUCTION)
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
    order: str = key_field(_ORDER, _ROW)
    interleave: int = size(
        "panels of 8 columns of a warp beside each other whose columns take turns, so that a "
        "thread holds that many times as many neighbours of the result, which it stores together",
        default=1,
        most=16,
    )
    exchange: bool = flag(
        "whether the tile goes through shared memory before it is finished, so that neighbouring "
        "threads store neighbours of a row; without it each thread finishes what it has summed",
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

    copies: str = key_field(_COPIES, THREADS)
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

    @staticmethod
    def order_of(grouped: int) -> str:
        """Return the order in which so many tile rows run together, 0 for row by row."""
        return f"grouped<{grouped}>" if grouped else _ROW

    @property
    def grouped(self) -> int:
        """The tile rows that run together; 0 where tiles run row by row."""
        match = _GROUPED.fullmatch(self.order)
        return int(match[1]) if match else 0

    @cached_property
    def numbers(self) -> TileNumbers:
        """The keys as the model takes them."""
        return TileNumbers(
            *self.tile,
            *self.warps,
            columns=self._row.n,
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
        return self.warps[0] // self._row.warps, self.warps[1]

    @property
    def least(self) -> tuple[int, int, int]:
        """The least m, n and k that a warp or warpgroup computes."""
        return self._row.least

    @property
    def rounds_factors(self) -> bool:
        """Whether factors are rounded on their way to shared memory: what the instruction reads
        there it cuts off.
        """
        return self._row.cuts_factors

    @cached_property
    def family(self) -> str:
        """The name of the instruction and of those that differ from it in their columns only."""
        return self._row.family

    @property
    def reads_shared(self) -> bool:
        """Whether the instruction reads factors where they lie in shared memory."""
        return self._row.is_asynchronous

    @property
    def lanes(self) -> tuple[int, int]:
        """How the lanes of a warp stand over its part, where each computes for itself."""
        return self._row.lanes

    @property
    def _row(self) -> Instruction:
        return instructions.named(self.instruction)[0]  # all of a name have the same sizes

    def check(self) -> None:
        (m, n, depth), (warps_m, warps_n) = self.tile, self.warps
        if warps_m % self._row.warps:
            raise CompileError(
                f"{self.instruction} is done by {self._row.warps} warps below each other; "
                f"warps = [{warps_m}, {warps_n}] has {warps_m}"
            )
        if m % warps_m or n % warps_n:
            raise CompileError(f"tile {m} x {n} does not divide into {warps_m} x {warps_n} warps")
        part = m // self.teams[0], n // self.teams[1], depth
        if any(size % unit for size, unit in zip(part, self.least, strict=True)):
            each, units = (" x ".join(map(str, numbers)) for numbers in (part, self.least))
            who = "warp" if self._row.warps == 1 else "warpgroup"
            raise CompileError(
                f"a {who}'s {each} does not divide into {units}; take other sizes of tile or warps"
            )
        if self.reads_shared and depth // self._row.k not in _LINE_STEPS:
            depths = ", ".join(str(steps * self._row.k) for steps in _LINE_STEPS)
            types = " or ".join(str(row.element) for row in instructions.named(self.instruction))
            raise CompileError(
                f"a slice of {depth} is no line of {types} that {self.instruction} reads; use one "
                f"of {depths}, or an instruction for other factors"
            )
        beside = part[1] // self.least[1] * self._row.panels
        if beside % self.interleave:
            raise CompileError(
                f"interleave = {self.interleave} does not divide the {beside} panels of a warp "
                "beside each other"
            )
        self.roles.check(self.blocks, self.split)
        self._check_copies()
        self._check_groups()
        self._check_rows()
        if self.parts_cluster not in (1, *CLUSTER_BLOCKS):
            raise CompileError(
                f"exchange = true with split = {self.split}: parts of a sum meet in a cluster, of "
                f"{' or '.join(map(str, CLUSTER_BLOCKS))} blocks; take such a split, or leave "
                "exchange out"
            )

    def _check_rows(self) -> None:
        """Raise CompileError for blocks that cannot share rows."""
        if self.row_blocks == 1:
            return
        if self.row_blocks not in CLUSTER_BLOCKS:
            raise CompileError(
                f"row_blocks = {self.row_blocks}: a cluster has "
                f"{' or '.join(map(str, CLUSTER_BLOCKS))} blocks"
            )
        single = {"split": self.split > 1, "blocks": self.blocks > 0, "groups": self.groups > 1}
        for name, is_given in single.items():
            if is_given:
                raise CompileError(
                    f"row_blocks = {self.row_blocks}: each block of a cluster makes one whole tile "
                    f"of the same rows; leave {name} out"
                )
        if self.order != _ROW:
            raise CompileError(
                f'row_blocks = {self.row_blocks}: blocks of a cluster are neighbours; order = "row"'
            )

    def _check_groups(self) -> None:
        """Raise CompileError for products that cannot share a tile."""
        if self.groups == 1:
            return
        (_, n, depth), count = self.tile, self.groups
        if not self._row.spreads_fragments:
            raise CompileError(f"groups = {count} share a tile of matrix instructions only")
        if self.warps[1] > 1:
            raise CompileError(
                f"groups = {count} with warps = [{self.warps[0]}, {self.warps[1]}]: a warp has "
                "columns of all groups"
            )
        columns = self._row.n // self._row.panels * max(self._row.panels, self.interleave)
        if n % (count * columns) or depth % (count * self._row.k):
            raise CompileError(
                f"groups = {count}: each product of the batch that shares the tile needs a "
                f"multiple of {columns} of its {n} columns and of {self._row.k} of the {depth} "
                "places of a slice; a product without a batch has groups = 1"
            )

    def _check_copies(self) -> None:
        """Raise CompileError for tensor copies where they cannot be."""
        if self.copies == TENSOR and self.stages < 2:
            raise CompileError(
                f'copies = "{TENSOR}" needs stages of 2 or more, which have something to wait for'
            )


LANES = Key(
    "elements of a SIMD register; `nr` is a multiple",
    "2, 4, 8, 16, 32 or 64",
    lambda value: type(value) is int and value in (2, 4, 8, 16, 32, 64),
)


@dataclass(frozen=True)
class ContractOnCpu(Schedule, strategy="contract", target="cpu"):
    """A core makes a tile of the result in its SIMD registers."""

    tile: tuple[int, int] = sizes(
        "`[mr, nr]`: the register tile of the micro-kernel", 2, most=LARGEST
    )
    lanes: int = key_field(LANES)
    cores: bool = flag("whether tiles are spread over several cores", False)
    rows: int = count(
        "rows of the lhs that stay in a core's cache while all columns pass; 0: all there are"
    )
    ahead: bool = flag(
        "whether the rhs of the next columns is asked for while these are multiplied", False
    )

    @property
    def remedies(self) -> Mapping[Resource, str]:
        return {Resource.REGISTERS: "lower tile"}

    @property
    def thrift(self) -> tuple[int, ...]:
        """The fewest registers: sums and a row of loads."""
        (rows, columns), lanes = self.tile, self.lanes
        return ((rows + 1) * (columns // lanes),)

    def check(self) -> None:
        if self.tile[1] % self.lanes:
            raise CompileError(
                f"tile columns {self.tile[1]} are no multiple of the {self.lanes} lanes"
            )
