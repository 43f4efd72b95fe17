"""Products of ``tf32`` by the lanes of a warp: ``f32`` whose last 13 bits count for nothing."""

from dlc.arch import tf32
from dlc.arch.instruction import warp_product

ROWS = (
    warp_product(
        (16, 8, 8), "tf32", ("f32", "f32"), "f32", bits=32, ignored_bits=tf32.IGNORED_BITS
    ),
)
