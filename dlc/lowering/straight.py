"""Loops over threads whose few rounds are written out."""

from math import ceil

from xdsl.dialects.builtin import UnitAttr

from dlc.dialects.loop.structure import ForOp

HELD_ELEMENTS = 32
"""Of a thread in all rounds of a loop, each in a register: up to so many the assembler keeps from
one pass over them to the next, and has all loads of them under way together. Softmax was measured
with it (docs/performance.md, "GPU: rows that stay in registers"), other numbers were not.
"""


def mark_straight(loop: ForOp, threads: int, elements: int) -> None:
    """Mark a loop as ``straight`` where each of its threads has several rounds of ``elements``, and
    no more than ``HELD_ELEMENTS`` together.

    A loop that carries values has a round also where there are no more iterations than threads.
    """
    rounds = ceil(len(loop.range) / threads)
    if (rounds > 1 or loop.iter_args) and rounds * elements <= HELD_ELEMENTS:
        loop.straight = UnitAttr()
