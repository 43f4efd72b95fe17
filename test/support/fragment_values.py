"""What the lanes of a warp hold of a matrix."""

import ml_dtypes
import numpy as np

from dlc.arch.fragments import WARP_LANES, Fragment
from dlc.dialects.graph.structure import Array

DTYPES = {
    "f16": np.float16,
    "bf16": ml_dtypes.bfloat16,
    "f32": np.float32,
    "i8": np.int8,
    "ui8": np.uint8,
    "i32": np.int32,
}
"""By the name of an element type in the rows of instructions."""


def spread(matrix: Array, fragment: Fragment) -> Array:
    """Return what each lane holds of a matrix: lanes x slots."""
    places = [
        [fragment.position(lane, slot) for slot in range(fragment.slots)]
        for lane in range(WARP_LANES)
    ]
    return np.array([[matrix[place] for place in row] for row in places], matrix.dtype)
