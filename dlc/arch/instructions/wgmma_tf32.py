"""Products of ``tf32`` by the four warps of a warpgroup: ``f32`` whose last 13 bits count for
nothing.
"""

from dlc.arch import tf32
from dlc.arch.instruction import WARPGROUP_COLUMNS, warpgroup_product

ROWS = tuple(
    warpgroup_product(
        (64, columns, 8), "tf32", ("f32", "f32"), "f32", bits=32, ignored_bits=tf32.IGNORED_BITS
    )
    for columns in WARPGROUP_COLUMNS
)
