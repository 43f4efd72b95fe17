"""Arrays of other libraries in host memory, through DLPack."""

from typing import Any

import numpy as np
import pytest
from ml_dtypes import bfloat16

from dlc.errors import InputError
from dlc.runtime import dlpack
from dlc.runtime.host_arrays import host_array
from dlc.runtime.library import TensorInfo

_BFLOAT = 4  # kDLBfloat


class Foreign:
    """An array that speaks DLPack and nothing else; its 16-bit integers are said to be bfloat16."""

    def __init__(self, array: np.ndarray):
        self.array = array

    def __dlpack__(self, **options: Any) -> object:
        if self.array.dtype != np.uint16:
            return self.array.__dlpack__(**options)
        capsule = self.array.__dlpack__()
        tensor = dlpack.tensor_of(capsule)
        tensor.dtype.code = _BFLOAT
        return capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.array.__dlpack_device__()


def _info(dtype: Any, *sizes: int) -> TensorInfo:
    return TensorInfo("x", np.dtype(dtype), sizes)


def test_dense_array_is_not_copied():
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert np.shares_memory(host_array(_info(np.float32, 2, 3), Foreign(x)), x)


def test_strided_array_is_made_dense():
    x = np.arange(12, dtype=np.float32).reshape(2, 6)[:, ::2]
    found = host_array(_info(np.float32, 2, 3), Foreign(x))
    assert found.flags.c_contiguous
    np.testing.assert_array_equal(found, x)


@pytest.mark.parametrize("sizes", [(2, 3), (), (0, 3)])
def test_bfloat16_is_not_copied(sizes: tuple[int, ...]):
    x = np.full(sizes, 1.5, bfloat16)
    found = host_array(_info(bfloat16, *sizes), Foreign(x.view(np.uint16)))
    assert found.dtype == bfloat16
    assert not x.size or np.shares_memory(found, x)
    np.testing.assert_array_equal(found, x)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros((3, 2), np.uint16), r"shape \[3, 2\] given, the model was compiled for \[2, 3\]"),
        (np.zeros((2, 3), np.float32), "dtype float32 given, the model takes bfloat16"),
        (np.zeros((2, 6), np.uint16)[:, ::2], "the array is not dense; make it contiguous"),
    ],
    ids=["shape", "dtype", "strides"],
)
def test_bfloat16_that_does_not_fit(array: np.ndarray, message: str):
    with pytest.raises(InputError, match=f"^input 'x': {message}"):
        host_array(_info(bfloat16, 2, 3), Foreign(array))


def test_an_array_that_does_not_fit_is_a_value_error():
    with pytest.raises(ValueError, match=r"^input 'x': shape"):
        host_array(_info(np.float32, 2), np.zeros(3, np.float32))
