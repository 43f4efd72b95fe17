"""The tensor cores' first way to multiply fp16 (Turing): half as deep as the one of today.

Lives with the tests: it shows that an instruction is its row.
"""

from dataclasses import replace

from dlc.arch.instruction import warp_product

ROWS = (
    replace(
        warp_product((16, 8, 8), "f16", ("f16", "f16"), "f32", bits=16),
        capability="mma.sync.m16n8k8.f16",
    ),
)
