"""Products of 8-bit integers by the lanes of a warp, each factor with a sign or without one; sums
wrap around in ``i32``.
"""

from itertools import product

from dlc.arch.instruction import warp_product

ROWS = tuple(
    warp_product((16, 8, 32), "i8", factors, "i32", bits=8)
    for factors in product(("i8", "ui8"), ("i8", "ui8"))
)
