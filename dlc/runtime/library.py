"""The C interface of a ``model.so`` (``native/dlc.h``) through ctypes."""

import ctypes
import os
import weakref
from _ctypes import dlclose, dlopen
from ctypes import (
    CFUNCTYPE,
    POINTER,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_uint32,
    c_uint64,
    c_void_p,
)
from dataclasses import dataclass
from math import prod
from os import RTLD_NOW
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from dlc.errors import ArtifactError
from dlc.runtime.artifact import Trailer, seal_of
from dlc.runtime.called_library import CalledLibrary, LibraryRow, offer_wheels
from dlc.runtime.dtypes import numpy_dtype
from dlc.runtime.private_copy import private_copy

ABI_VERSION = 5
CUDA = 1
"""``dlc_target`` of an artifact for NVIDIA GPUs."""


class _Tensor(ctypes.Structure):
    _fields_: ClassVar = [
        ("name", c_char_p),
        ("dtype", c_int32),
        ("rank", c_int32),
        ("shape", POINTER(c_int64)),
        ("bytes", c_uint64),
    ]


class _Api(ctypes.Structure):
    _fields_: ClassVar = [
        ("abi_version", c_uint32),
        ("target", c_uint32),
        ("input_count", c_int32),
        ("output_count", c_int32),
        ("inputs", POINTER(_Tensor)),
        ("outputs", POINTER(_Tensor)),
        ("create", CFUNCTYPE(c_int, c_char_p, c_char_p, c_int32, POINTER(c_void_p))),
        ("workspace_bytes", CFUNCTYPE(c_uint64, c_void_p)),
        ("run", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p, c_void_p, c_void_p)),
        ("run_host", CFUNCTYPE(c_int, c_void_p, c_void_p, c_void_p)),
        ("destroy", CFUNCTYPE(None, c_void_p)),
        ("message", CFUNCTYPE(c_char_p)),
        ("set_threads", CFUNCTYPE(c_int, c_void_p, c_int32)),
        ("variant", CFUNCTYPE(c_int32, c_void_p)),
        ("step_count", CFUNCTYPE(c_uint32, c_void_p)),
        ("run_steps", CFUNCTYPE(c_int, c_void_p, c_uint32, c_uint32, *[c_void_p] * 4)),
        ("library_count", c_int32),
        ("libraries", POINTER(LibraryRow)),
        ("set_library", CFUNCTYPE(c_int, c_int32, c_char_p)),
    ]


@dataclass(frozen=True)
class TensorInfo:
    """An input or output of a model."""

    name: str
    dtype: np.dtype
    shape: tuple[int, ...]

    @property
    def bytes(self) -> int:
        """The bytes of its elements."""
        return self.dtype.itemsize * prod(self.shape)

    def __str__(self) -> str:
        return f"{self.dtype}{list(self.shape)}"


class Library:
    """A ``model.so`` that is loaded, from a copy in memory; unloaded when nothing refers to it."""

    _loaded: ClassVar["weakref.WeakValueDictionary[str, Library]"] = weakref.WeakValueDictionary()

    @classmethod
    def of_artifact(cls, path: Path, trailer: Trailer) -> "Library":
        """Return the library of an artifact, which equal ones share. Raises ArtifactError.

        trailer: from ``check_artifact``, which has found the file sound.
        """
        seal = seal_of(path)
        found = cls._loaded.get(seal)
        if found is None:
            found = cls._loaded[seal] = cls(path, trailer.device_code[0])
        return found

    def __init__(self, path: Path, end: int | None = None):
        """Load the first ``end`` bytes of a file. Raises ArtifactError."""
        try:
            with private_copy(path, end) as name:
                handle = dlopen(name, RTLD_NOW)
            weakref.finalize(self, dlclose, handle).atexit = False
            entry = ctypes.CDLL(str(path), handle=handle).dlc_entry
        except (OSError, AttributeError) as error:
            raise ArtifactError(f"cannot be loaded: {error}", at=str(path)) from error
        entry.restype = POINTER(_Api)
        self.api = entry().contents
        if self.api.abi_version != ABI_VERSION:
            raise ArtifactError(
                f"interface version {self.api.abi_version}, this dlc has {ABI_VERSION}; "
                "compile the model again",
                at=str(path),
            )
        self.inputs = _tensors(self.api.inputs, self.api.input_count)
        self.outputs = _tensors(self.api.outputs, self.api.output_count)

    @property
    def is_cuda(self) -> bool:
        """Whether it runs on an NVIDIA GPU."""
        return self.api.target == CUDA

    def create(self, path: Path, device: int, threads: int = 0, *, calls: bool = True) -> int:
        """Return the handle of a new model of the artifact at ``path``; raises ArtifactError.

        threads: of a run on the CPU, 0: the default. calls: whether kernels may call libraries; it
        counts while there is no other model.
        """
        handle = c_void_p()
        offer_wheels(self._rows(), lambda *given: self.check(self.api.set_library(*given)), calls)
        self.check(self.api.create(os.fsencode(path), None, device, ctypes.byref(handle)))
        assert handle.value is not None
        if threads:
            self.set_threads(handle.value, threads)
        return handle.value

    def called_libraries(self) -> list[CalledLibrary]:
        """Return what is called where it is found, as it is since a model was created."""
        return [row.called() for row in self._rows()]

    def _rows(self) -> list[LibraryRow]:
        return self.api.libraries[: self.api.library_count]

    def set_threads(self, handle: int, threads: int) -> None:
        """Set how many threads a run of a CPU model takes; 0: the default. Raises ArtifactError."""
        self.check(self.api.set_threads(handle, threads))

    def destroy(self, handle: int) -> None:
        """Free a model."""
        self.api.destroy(handle)

    def check(self, status: int) -> None:
        """Raise ArtifactError with the library's message unless ``status`` is 0."""
        if status:
            message = self.api.message() or b""
            raise ArtifactError(message.decode(errors="replace"))


def _tensors(rows: Any, count: int) -> tuple[TensorInfo, ...]:
    """Return the rows of a table of ``dlc_tensor``; rows: a pointer to the first one."""
    return tuple(
        TensorInfo(row.name.decode(), numpy_dtype(row.dtype), tuple(row.shape[: row.rank]))
        for row in rows[:count]
    )
