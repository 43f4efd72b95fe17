"""The first way of the tensor cores to multiply bytes: half as deep as the one of today.

Lives with the tests: it shows that an instruction is its row.
"""

from dataclasses import replace

from dlc.arch.instruction import warp_product

ROWS = (
    replace(
        warp_product((16, 8, 16), "i8", ("i8", "i8"), "i32", bits=8),
        capability="mma.sync.m16n8k16.i8",
    ),
)
