"""Reads where a DLPack array's data is, without taking it over.

Structures: https://dmlc.github.io/dlpack/latest/c_api.html (version 0, the capsule ``dltensor``).
"""

import ctypes
from dataclasses import dataclass
from typing import Any, ClassVar

CUDA_DEVICE = 2
CUDA_MANAGED = 13

_KINDS = {0: "int", 1: "uint", 2: "float", 4: "bfloat", 6: "bool"}


class _DataType(ctypes.Structure):
    _fields_: ClassVar = [
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
    ]


class DLTensor(ctypes.Structure):
    """``DLTensor`` of DLPack."""

    _fields_: ClassVar = [
        ("data", ctypes.c_void_p),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("rank", ctypes.c_int32),
        ("dtype", _DataType),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


_get_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_get_pointer.restype = ctypes.c_void_p
_get_pointer.argtypes = [ctypes.py_object, ctypes.c_char_p]


@dataclass(frozen=True)
class DeviceView:
    """A dense array in memory: address, numpy's name of its dtype, shape, the CUDA device."""

    pointer: int
    dtype: str
    shape: tuple[int, ...]
    on_cuda: bool
    device: int
    is_dense: bool


def view(array: Any, stream: int | None = None) -> DeviceView:
    """Return where the data of a DLPack array is; it stays valid while ``array`` lives.

    stream: the stream that will read it (a handle; 1 is the default stream); the array's library
    makes that stream wait for what still writes the array.
    """
    capsule = array.__dlpack__() if stream is None else array.__dlpack__(stream=stream)
    tensor = tensor_of(capsule)
    shape = tuple(tensor.shape[: tensor.rank])
    strides = tuple(tensor.strides[: tensor.rank]) if tensor.strides else _row_major(shape)
    return DeviceView(
        (tensor.data or 0) + tensor.byte_offset,
        _dtype_name(tensor.dtype),
        shape,
        tensor.device_type in (CUDA_DEVICE, CUDA_MANAGED),
        tensor.device_id,
        _is_dense(shape, strides),
    )


def tensor_of(capsule: object) -> DLTensor:
    """Return the tensor in a capsule, which is not renamed: it still owns and frees it."""
    return DLTensor.from_address(_get_pointer(capsule, b"dltensor"))


def _dtype_name(dtype: _DataType) -> str:
    kind = _KINDS.get(dtype.code, f"kind{dtype.code}_")
    return kind if kind == "bool" else f"{kind}{dtype.bits}"


def _row_major(shape: tuple[int, ...]) -> tuple[int, ...]:
    strides: list[int] = []
    step = 1
    for size in reversed(shape):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def _is_dense(shape: tuple[int, ...], strides: tuple[int, ...]) -> bool:
    rows = zip(shape, strides, _row_major(shape), strict=True)
    return 0 in shape or all(size == 1 or have == want for size, have, want in rows)
