"""Runs a GPU model on arrays in device memory, in the caller's array library and stream."""

import ctypes
import importlib
import sys
from collections.abc import Sequence
from typing import Any, Protocol

from dlc.errors import InputError
from dlc.runtime.dlpack import DeviceView, view
from dlc.runtime.given_outputs import check_apart, extents
from dlc.runtime.host_arrays import check_fits
from dlc.runtime.library import Library, TensorInfo

_DEFAULT_STREAM = 1
"""DLPack's number of the legacy default stream, whose driver handle is 0."""


class ArrayLibrary(Protocol):
    """Makes outputs and knows the stream on which its user works."""

    def current_stream(self) -> int:
        """Return the handle of the current stream; 0 is the default one."""
        ...

    def empty(self, info: TensorInfo) -> Any:
        """Return a new array on the current device."""
        ...

    def finish(self, array: Any) -> Any:
        """Return a filled array as its user expects it."""
        ...


class _Cupy:
    def __init__(self) -> None:
        self.cupy = _load("cupy")

    def current_stream(self) -> int:
        return self.cupy.cuda.get_current_stream().ptr

    def empty(self, info: TensorInfo) -> Any:
        return self.cupy.empty(info.shape, info.dtype)

    def finish(self, array: Any) -> Any:
        return array


class _Torch:
    def __init__(self) -> None:
        self.torch = sys.modules["torch"]

    def current_stream(self) -> int:
        return self.torch.cuda.current_stream().cuda_stream

    def empty(self, info: TensorInfo) -> Any:
        return self.torch.empty(
            info.shape, dtype=getattr(self.torch, info.dtype.name), device="cuda"
        )

    def finish(self, array: Any) -> Any:
        return array


class _Jax(_Cupy):
    """JAX's arrays cannot be written to: outputs are made by cupy and handed over."""

    def finish(self, array: Any) -> Any:
        self.cupy.cuda.get_current_stream().synchronize()  # JAX waits for no stream of ours
        return sys.modules["jax"].dlpack.from_dlpack(array)


def _load(name: str) -> Any:
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise InputError("device arrays need cupy: pip install cupy-cuda13x") from error


def _library_of(array: Any) -> ArrayLibrary:
    owner = type(array).__module__.split(".")[0]
    return {"torch": _Torch, "jax": _Jax, "jaxlib": _Jax}.get(owner, _Cupy)()


def stream_handle(stream: Any) -> int:
    """Return the handle of a stream given as an integer or an object of cupy, torch or numba."""
    if isinstance(stream, int):
        return stream
    for attribute in ("ptr", "cuda_stream", "handle"):
        if hasattr(stream, attribute):
            return int(getattr(stream, attribute))
    raise InputError(f"a {type(stream).__name__} is no CUDA stream; give its handle as an integer")


def run_on_device(
    library: Library,
    handle: int,
    device: int,
    arrays: Sequence[Any],
    out: Sequence[Any],
    stream: Any,
) -> list[Any]:
    """Enqueue a run and return the outputs, which are ready when the stream gets there.

    out: the array to write each output into, or ``None``. The stream is the caller's, else the
    current one of the library of the first array. Raises InputError, ArtifactError.
    """
    owner = _library_of(arrays[0] if arrays else None)
    number = owner.current_stream() if stream is None else stream_handle(stream)
    read = [
        _checked(info, array, number, device, f"input {info.name!r}").pointer
        for info, array in zip(library.inputs, arrays, strict=True)
    ]
    results = [
        owner.empty(info) if array is None else array
        for info, array in zip(library.outputs, out, strict=True)
    ]
    written = [
        _output(info, array, number, device).pointer
        for info, array in zip(library.outputs, results, strict=True)
    ]
    check_apart(extents("output", library.outputs, written), extents("input", library.inputs, read))
    inputs = (ctypes.c_void_p * max(1, len(read)))(*read)
    outputs = (ctypes.c_void_p * max(1, len(written)))(*written)
    library.check(library.api.run(handle, number, None, inputs, outputs))
    return [
        owner.finish(array) if given is None else array
        for array, given in zip(results, out, strict=True)
    ]


def _output(info: TensorInfo, array: Any, stream: int, device: int) -> DeviceView:
    """Return where an output that is to be written is. Raises InputError."""
    at = f"output {info.name!r}"
    if isinstance(_library_of(array), _Jax):
        raise InputError("JAX's arrays cannot be written to", at=at)
    return _checked(info, array, stream, device, at)


def _checked(info: TensorInfo, array: Any, stream: int, device: int, at: str) -> DeviceView:
    """Return where an array on the GPU is. Raises InputError unless it is as ``info`` says."""
    if not hasattr(array, "__dlpack__"):
        raise InputError(f"a {type(array).__name__} is no array; give a DLPack array", at=at)
    if array.__dlpack_device__()[0] == 1:
        raise InputError("it is in host memory, an input is on the GPU; give all in one", at=at)
    found = view(array, stream or _DEFAULT_STREAM)
    if not found.on_cuda or found.device != device:
        raise InputError(f"it is not on CUDA device {device}, where the model is", at=at)
    check_fits(info, found.shape, found.dtype, at)
    if not found.is_dense:
        raise InputError("it is not dense and row-major; make a contiguous copy", at=at)
    return found
