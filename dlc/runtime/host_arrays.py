"""Checks the arrays given to a model and brings them to memory of the host."""

import ctypes
from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dlc.errors import InputError
from dlc.runtime.dlpack import view
from dlc.runtime.dtypes import BFLOAT16
from dlc.runtime.library import TensorInfo

Array = NDArray[np.generic]


def order_feeds(inputs: Sequence[TensorInfo], feeds: Mapping[str, Any]) -> list[Any]:
    """Return the arrays of ``feeds`` in the order of ``inputs``.

    Raises InputError when a name is missing or unknown.
    """
    _check_mapping(feeds)
    try:
        arrays = [feeds[info.name] for info in inputs]
    except KeyError as error:
        raise InputError(f"input {error.args[0]!r} is missing; {_given(feeds)}") from None
    if len(feeds) != len(arrays):
        known = {info.name for info in inputs}
        unknown = ", ".join(repr(name) for name in feeds if name not in known)
        raise InputError(f"the model has no input {unknown}; it has {_names(inputs)}")
    return arrays


def host_feeds(inputs: Sequence[TensorInfo], feeds: Mapping[str, Any]) -> list[Array]:
    """Return dense numpy arrays in the order of ``inputs``. Raises InputError."""
    return [host_array(i, x) for i, x in zip(inputs, order_feeds(inputs, feeds), strict=True)]


def _check_mapping(feeds: object) -> None:
    if not isinstance(feeds, Mapping):
        kind = type(feeds).__name__
        raise InputError(f"a {kind} does not name the inputs; give a dictionary of arrays")


def _given(feeds: Mapping[str, Any]) -> str:
    return "given: " + (", ".join(map(repr, feeds)) or "none")


def _names(inputs: Sequence[TensorInfo]) -> str:
    return ", ".join(repr(info.name) for info in inputs)


def host_array(info: TensorInfo, value: Any) -> Array:
    """Return ``value`` as a dense numpy array of exactly the shape and dtype of ``info``.

    Takes numpy arrays and anything in host memory that speaks DLPack or numpy's array protocol;
    copies only what is not dense. Raises InputError.
    """
    at = f"input {info.name!r}"
    array = as_numpy(info, value, at)
    check_fits(info, array.shape, array.dtype, at)
    if not (array.flags.c_contiguous and array.flags.aligned):
        array = np.ascontiguousarray(array).copy() if array.ndim else array.copy()
    return array


def check_fits(info: TensorInfo, shape: Sequence[int], dtype: object, at: str) -> None:
    """Raise InputError unless ``shape`` and ``dtype`` are those of ``info``.

    at: what is checked, as ``input 'x'``.
    """
    if dtype != info.dtype:
        verb = "takes" if at.startswith("input") else "gives"
        raise InputError(f"dtype {dtype} given, the model {verb} {info.dtype}", at=at)
    if tuple(shape) != info.shape:
        raise InputError(
            f"shape {list(shape)} given, the model was compiled for {list(info.shape)}", at=at
        )


def as_numpy(info: TensorInfo, value: Any, at: str) -> Array:
    """Return ``value`` as a numpy array, without a copy where it speaks DLPack.

    info: what it should be; at: what it is, as ``input 'x'``. Raises InputError.
    """
    if isinstance(value, np.ndarray):
        return value
    try:
        if hasattr(value, "__dlpack__"):
            is_bfloat16 = info.dtype.name == BFLOAT16
            return _bfloat16(info, value, at) if is_bfloat16 else np.from_dlpack(value)
        if hasattr(value, "__array__"):
            return np.asarray(value)
    except InputError:
        raise
    except (BufferError, RuntimeError, TypeError, ValueError) as error:
        raise InputError(str(error).splitlines()[0], at=at) from error
    kind = type(value).__name__
    raise InputError(f"a {kind} is no array; give a numpy or DLPack array", at=at)


def _bfloat16(info: TensorInfo, value: Any, at: str) -> Array:
    """Return a DLPack array of an element type that numpy's own reader refuses, without a copy."""
    found = view(value)
    if found.on_cuda:
        raise BufferError("the array is on a GPU, the model runs on the CPU")
    check_fits(info, found.shape, found.dtype, at)
    if not found.is_dense:
        raise BufferError("the array is not dense; make it contiguous")
    count = prod(found.shape)
    stored = (ctypes.c_uint16 * count).from_address(found.pointer) if count else []
    return np.array(stored, np.uint16, copy=None).view(info.dtype).reshape(found.shape)
