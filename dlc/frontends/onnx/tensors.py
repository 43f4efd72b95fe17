"""Reads the tensors of a model: in the message, in the model's file, or in an external file."""

import os
from collections.abc import Sequence
from math import prod
from pathlib import Path

import numpy as np
import onnx
from onnx import SparseTensorProto, TensorProto, numpy_helper

from dlc.dialects.graph.structure import Array
from dlc.errors import CompileError
from dlc.frontends.onnx.limits import MOST_COMPUTED, MOST_ELEMENTS, check_sizes
from dlc.frontends.onnx.loading import LoadedModel
from dlc.frontends.onnx.wire import Extent
from dlc.ir.tensor import element_type_of


def element_dtype(data_type: int) -> np.dtype:
    """Return the numpy dtype of an ONNX element type; raises CompileError for unsupported ones."""
    known = data_type in TensorProto.DataType.values()
    name = TensorProto.DataType.Name(data_type) if known else str(data_type)
    try:
        dtype = np.dtype(onnx.helper.tensor_dtype_to_np_dtype(data_type))
        element_type_of(dtype)
    except (CompileError, KeyError, TypeError, ValueError) as error:
        raise CompileError(f"element type {name.lower()} is not supported") from error
    return dtype


class TensorError(CompileError):
    """The data of a tensor are missing or wrong."""


def read_tensor(tensor: TensorProto, model: LoadedModel) -> Array:
    """Return the elements of a tensor; those in files are memory-mapped, not read.

    Raises CompileError naming the tensor when its type is not supported or its data is not there.
    """
    try:
        _check_dims(tensor.dims)
        dtype = element_dtype(tensor.data_type)
        if tensor.data_location == TensorProto.EXTERNAL:
            path, extent = _external_extent(tensor, model)
            return _map_tensor(path, extent, dtype, tuple(tensor.dims))
        if tensor.name in model.embedded and not _has_data(tensor):
            assert model.path is not None
            extent = model.embedded[tensor.name]
            return _map_tensor(model.path, extent, dtype, tuple(tensor.dims))
        return _from_message(tensor)
    except CompileError as error:
        raise TensorError(error.message, error.at or f"tensor {tensor.name}") from error


def _check_dims(dims: Sequence[int], most: int = MOST_ELEMENTS) -> None:
    if any(size < 0 for size in dims):
        raise CompileError(f"the shape {list(dims)} has a negative size")
    check_sizes(dims, most)


def read_sparse_tensor(tensor: SparseTensorProto, model: LoadedModel) -> Array:
    """Return the elements of a sparse tensor as a dense one. Raises CompileError."""
    values, indices = (read_tensor(part, model) for part in (tensor.values, tensor.indices))
    try:
        _check_dims(tensor.dims, MOST_COMPUTED)
    except CompileError as error:
        error.place(f"tensor {tensor.values.name}")
        raise
    dense = np.zeros(tuple(tensor.dims), values.dtype)
    try:
        if indices.ndim == 1:  # positions in the flattened tensor
            dense.reshape(-1)[indices] = values
        else:
            dense[tuple(indices.T)] = values
    except (IndexError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise CompileError(
            f"the indices do not fit the shape {list(tensor.dims)}: {reason}",
            f"tensor {tensor.values.name}",
        ) from error
    return dense


def _has_data(tensor: TensorProto) -> bool:
    return any(field.name.endswith("_data") for field, _ in tensor.ListFields())


def _from_message(tensor: TensorProto) -> Array:
    try:
        return numpy_helper.to_array(tensor)
    except (TypeError, ValueError) as error:
        sizes = list(tensor.dims)
        reason = str(error).splitlines()[0]
        raise CompileError(f"the data does not fit the shape {sizes}: {reason}") from error


def _map_tensor(path: Path, extent: Extent, dtype: np.dtype, shape: tuple[int, ...]) -> Array:
    needed = prod(shape) * dtype.itemsize
    if needed != extent.length_bytes:
        raise CompileError(
            f"a {dtype} tensor of shape {list(shape)} takes {needed} bytes, its data has"
            f" {extent.length_bytes}"
        )
    if needed == 0:
        return np.zeros(shape, dtype)
    return np.memmap(path, dtype, "r", extent.offset_bytes, shape)


def _external_extent(tensor: TensorProto, model: LoadedModel) -> tuple[Path, Extent]:
    entries = {e.key: e.value for e in tensor.external_data}
    path = _external_path(entries.get("location", ""), model)
    try:
        size = path.stat().st_size
    except OSError as error:
        raise CompileError(f"the external file {path} cannot be read: {error.strerror}") from error
    offset = _byte_count(entries, "offset", 0)
    length = _byte_count(entries, "length", max(size - offset, 0))
    if offset + length > size:
        raise CompileError(
            f"the external data, bytes {offset} to {offset + length}, goes beyond the end of"
            f" {path}, which has {size} bytes"
        )
    if "length" not in entries:  # the rest of the file may hold other tensors
        needed = prod(tensor.dims) * element_dtype(tensor.data_type).itemsize
        length = min(length, needed)
    return path, Extent(offset, length)


def _external_path(location: str, model: LoadedModel) -> Path:
    if model.path is None:
        raise CompileError("the model has external data; give the path of its file instead")
    if "\0" in location:
        raise CompileError(f"the external file {location!r} has a null character in its name")
    folder = model.path.parent.resolve()
    path = Path(os.path.realpath(folder / location))
    if not location or not path.is_relative_to(folder):
        raise CompileError(
            f"the external file {location!r} lies outside the model's folder, which is not allowed"
        )
    if not path.is_file():
        raise CompileError(f"the external file {location!r} is missing from {folder}")
    return path


def _byte_count(entries: dict[str, str], key: str, default: int) -> int:
    text = entries.get(key, str(default))
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        raise CompileError(f"the external data's {key} is {text[:20]!r}, not a number of bytes")
    return int(text)
