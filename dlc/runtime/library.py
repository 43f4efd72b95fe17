"""The C interface of a ``model.so`` (``native/dlc.h``) through ctypes."""

import ctypes
import os
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
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from dlc.errors import ArtifactError
from dlc.runtime.dtypes import numpy_dtype

ABI_VERSION = 1
CUDA = 1
"""``dlc_target`` of an artifact for NVIDIA GPUs."""

SPIN_COUNT = "10000"
"""How often a waiting OpenMP thread looks before it sleeps (GNU OpenMP reads it when it is loaded).

By default it spins for milliseconds, which on a machine that others load takes the core from the
very thread that is waited for: AlexNet on two busy cores took 210 ms, with this 43 ms.
"""


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
    """An opened ``model.so``; stays loaded for the life of the process."""

    _generation: ClassVar[dict[str, tuple[int, tuple[int, int]]]] = {}

    def __init__(self, path: Path):
        """Open a file that ``check_artifact`` has found sound. Raises ArtifactError."""
        self.path = path
        if "OMP_WAIT_POLICY" not in os.environ:
            os.environ.setdefault("GOMP_SPINCOUNT", SPIN_COUNT)
        try:
            self._library = ctypes.CDLL(_unique_name(path, self._generation))
            entry = self._library.dlc_entry
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

    def create(self, device: int) -> int:
        """Return the handle of a new model; raises ArtifactError."""
        handle = c_void_p()
        path = os.fsencode(self.path)
        self.check(self.api.create(path, None, device, ctypes.byref(handle)))
        assert handle.value is not None
        return handle.value

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


def _unique_name(path: Path, seen: dict[str, tuple[int, tuple[int, int]]]) -> str:
    """Return a name of the file under which the dynamic linker has not loaded another one.

    It takes a name that it knows for the file that it loaded before, even when that was replaced
    since; so a replaced file gets one more ``./`` in its name.
    """
    status = path.stat()
    identity = (status.st_dev, status.st_ino)
    generation, known = seen.get(str(path), (0, identity))
    if known != identity:
        generation += 1
    seen[str(path)] = (generation, identity)
    return str(path.parent) + "/." * generation + "/" + path.name
