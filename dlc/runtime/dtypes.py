"""The element types of the C interface, in the order of ``dlc_dtype`` in ``dlc.h``."""

import numpy as np

BFLOAT16 = "bfloat16"
"""The one that numpy itself does not have."""

DTYPES = (
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    BFLOAT16,
    "float32",
    "float64",
)


def numpy_dtype(code: int) -> np.dtype:
    """Return the numpy dtype of a ``dlc_dtype``."""
    name = DTYPES[code]
    if name == BFLOAT16:
        import ml_dtypes  # only such models need it

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)
