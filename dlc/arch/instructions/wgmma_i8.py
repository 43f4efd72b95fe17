"""Products of 8-bit integers by the four warps of a warpgroup, each factor with a sign or without
one; sums wrap around in ``i32``.
"""

from itertools import product

from dlc.arch.instruction import WARPGROUP_COLUMNS, warpgroup_product

ROWS = tuple(
    warpgroup_product((64, columns, 32), "i8", factors, "i32", bits=8)
    for columns in WARPGROUP_COLUMNS
    for factors in product(("i8", "ui8"), ("i8", "ui8"))
)
