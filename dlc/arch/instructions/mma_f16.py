"""Products of 16-bit floats by the lanes of a warp, added in ``f32``."""

from dlc.arch.instruction import warp_product

ROWS = tuple(
    warp_product((16, 8, depth), element, (element, element), "f32", bits=16)
    for depth in (16, 8)
    for element in ("f16", "bf16")
)
