"""Which keys of a contraction's schedule on a GPU fit each other."""

from typing import TYPE_CHECKING

from dlc.arch import instructions
from dlc.arch.scope import CLUSTER_BLOCKS
from dlc.errors import CompileError
from dlc.strategies.contract.schedule_keys import ROW, TENSOR

if TYPE_CHECKING:
    from dlc.strategies.contract.schedule import ContractOnGpu

_LINE_STEPS = (1, 2, 4)
"""Steps of an instruction, of 32 bytes each, in a line that it reads in shared memory: lines of 32,
64 or 128 bytes (PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout").
"""


def check(asked: "ContractOnGpu") -> None:
    """Raise CompileError for keys that do not fit each other."""
    _check_tile(asked)
    _check_line(asked)
    _check_interleave(asked)
    asked.roles.check(asked.blocks, asked.split)
    _check_copies(asked)
    _check_groups(asked)
    _check_rows(asked)
    _check_cluster(asked)


def _check_tile(asked: "ContractOnGpu") -> None:
    """Raise CompileError for a tile that warps cannot divide among them."""
    (m, n, _), (warps_m, warps_n) = asked.tile, asked.warps
    if warps_m % asked.row.warps:
        raise CompileError(
            f"{asked.instruction} is done by {asked.row.warps} warps below each other; "
            f"warps = [{warps_m}, {warps_n}] has {warps_m}"
        )
    if m % warps_m or n % warps_n:
        raise CompileError(f"tile {m} x {n} does not divide into {warps_m} x {warps_n} warps")
    if any(size % unit for size, unit in zip(asked.part, asked.least, strict=True)):
        each, units = (" x ".join(map(str, numbers)) for numbers in (asked.part, asked.least))
        who = "warp" if asked.row.warps == 1 else "warpgroup"
        raise CompileError(
            f"a {who}'s {each} does not divide into {units}; take other sizes of tile or warps"
        )


def _check_line(asked: "ContractOnGpu") -> None:
    """Raise CompileError for a slice that is no line of an instruction that reads lines."""
    depth, step = asked.tile[2], asked.row.k
    if asked.reads_shared and depth // step not in _LINE_STEPS:
        depths = ", ".join(str(steps * step) for steps in _LINE_STEPS)
        types = " or ".join(str(row.element) for row in instructions.named(asked.instruction))
        raise CompileError(
            f"a slice of {depth} is no line of {types} that {asked.instruction} reads; use one "
            f"of {depths}, or an instruction for other factors"
        )


def _check_interleave(asked: "ContractOnGpu") -> None:
    """Raise CompileError for panels that cannot take turns."""
    beside = asked.part[1] // asked.least[1] * asked.row.panels
    if beside % asked.interleave:
        raise CompileError(
            f"interleave = {asked.interleave} does not divide the {beside} panels of a warp "
            "beside each other"
        )


def _check_cluster(asked: "ContractOnGpu") -> None:
    """Raise CompileError for parts of a sum that are no cluster, where they meet in one."""
    if asked.parts_cluster not in (1, *CLUSTER_BLOCKS):
        raise CompileError(
            f"exchange = true with split = {asked.split}: parts of a sum meet in a cluster, of "
            f"{' or '.join(map(str, CLUSTER_BLOCKS))} blocks; take such a split, or leave "
            "exchange out"
        )


def _check_rows(asked: "ContractOnGpu") -> None:
    """Raise CompileError for blocks that cannot share rows."""
    if asked.row_blocks == 1:
        return
    if asked.row_blocks not in CLUSTER_BLOCKS:
        raise CompileError(
            f"row_blocks = {asked.row_blocks}: a cluster has "
            f"{' or '.join(map(str, CLUSTER_BLOCKS))} blocks"
        )
    single = {"split": asked.split > 1, "blocks": asked.blocks > 0, "groups": asked.groups > 1}
    for name, is_given in single.items():
        if is_given:
            raise CompileError(
                f"row_blocks = {asked.row_blocks}: each block of a cluster makes one whole tile "
                f"of the same rows; leave {name} out"
            )
    if asked.order != ROW:
        raise CompileError(
            f'row_blocks = {asked.row_blocks}: blocks of a cluster are neighbours; order = "row"'
        )


def _check_groups(asked: "ContractOnGpu") -> None:
    """Raise CompileError for products that cannot share a tile."""
    if asked.groups == 1:
        return
    (_, n, depth), count = asked.tile, asked.groups
    if not asked.row.spreads_fragments:
        raise CompileError(f"groups = {count} share a tile of matrix instructions only")
    if asked.warps[1] > 1:
        raise CompileError(
            f"groups = {count} with warps = [{asked.warps[0]}, {asked.warps[1]}]: a warp has "
            "columns of all groups"
        )
    columns = asked.row.n // asked.row.panels * max(asked.row.panels, asked.interleave)
    if n % (count * columns) or depth % (count * asked.row.k):
        raise CompileError(
            f"groups = {count}: each product of the batch that shares the tile needs a "
            f"multiple of {columns} of its {n} columns and of {asked.row.k} of the {depth} "
            "places of a slice; a product without a batch has groups = 1"
        )


def _check_copies(asked: "ContractOnGpu") -> None:
    """Raise CompileError for tensor copies where they cannot be."""
    if asked.copies == TENSOR and asked.stages < 2:
        raise CompileError(
            f'copies = "{TENSOR}" needs stages of 2 or more, which have something to wait for'
        )
