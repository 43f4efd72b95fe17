"""The schedules of products with few columns each that share a tile: groups of a convolution.

Alone, a group of 16 channels fills half of the narrowest tile, and of each line of the image that
lies together in memory its blocks read 32 bytes.
"""

from collections.abc import Iterator, Sequence
from math import gcd

from dlc.arch.instruction import Instruction
from dlc.model.contraction import EXCHANGE_RUN, Contraction
from dlc.strategies.contract.schedule import ContractOnGpu

_LINE_BYTES = (64, 128)
"""Of a slice: the parts of all products."""

_WARPS = ((128, 4),)
_WARPGROUPS = ((64, 4), (128, 4), (128, 8))
"""Rows of a tile and the warps over them. By ``mma.sync``, 64 rows were 1.1 to 1.5 times as slow as
128 in four layers of ResNeXt-50, 256 no faster in any.
"""

_STAGES = (2, 3, 4, 5)


def sharing(work: Contraction, rows: Sequence[Instruction]) -> Iterator[ContractOnGpu]:
    """Yield the schedules by those of ``rows`` that multiply a part of one product.

    Only where the lhs lies in pieces, which are longer together, and copies bring both factors.
    """
    each = work.lhs_piece // work.factor_bytes
    if work.batch_loop == 1 or not each or not work.lhs_copy or not work.rhs_copy:
        return
    fitting = [row for row in rows if not work.n % row.n and not each % row.k]
    for instruction in {row.scope: row for row in reversed(_widest(fitting))}.values():
        for line in _LINE_BYTES:
            groups = line // work.lhs_piece
            if groups > 1 and work.batch_loop % groups == 0:
                yield from _schedules(work, instruction, groups, line // work.factor_bytes)


def _widest(rows: Sequence[Instruction]) -> list[Instruction]:
    """Return instructions, those that do most at once first."""
    return sorted(rows, key=lambda row: -row.flops)


def _schedules(
    work: Contraction, instruction: Instruction, groups: int, depth: int
) -> Iterator[ContractOnGpu]:
    place = instruction.c.place
    assert place is not None
    panels = work.n // instruction.n * instruction.panels
    interleave = gcd(max(1, work.together // place.pack), panels)
    exchange = work.adjacent and interleave * place.pack < min(EXCHANGE_RUN, work.together)
    for m, warps in _WARPGROUPS if instruction.is_asynchronous else _WARPS:
        for stages in _STAGES:
            yield ContractOnGpu(
                (m, groups * work.n, depth),
                (warps, 1),
                instruction.name,
                stages=stages,
                interleave=1 if exchange else interleave,
                exchange=exchange,
                groups=groups,
            )
