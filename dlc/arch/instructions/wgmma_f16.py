"""Products of 16-bit floats by the four warps of a warpgroup, added in ``f32``."""

from dlc.arch.instruction import WARPGROUP_COLUMNS, warpgroup_product

ROWS = tuple(
    warpgroup_product((64, columns, 16), element, (element, element), "f32", bits=16)
    for columns in WARPGROUP_COLUMNS
    for element in ("f16", "bf16")
)
