"""Arrays in .npz and .npy files, those of bfloat16 too."""

import zipfile
import zlib
from collections.abc import Mapping
from io import BytesIO
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from dlc.core.cache import write_atomically
from dlc.errors import CompileError

Arrays = Mapping[str, NDArray[Any]]

_NO_NPZ = (ValueError, EOFError, TypeError, AttributeError, zipfile.BadZipFile, zlib.error)


def read_arrays(path: Path) -> Arrays:
    """Return the arrays of an .npz file by name.

    Raises CompileError when the file cannot be read or holds something other than plain arrays.
    """
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return {name: _with_element_type(arrays[name]) for name in arrays.files}
    except OSError as error:
        raise _unreadable(path, error) from error
    except _NO_NPZ as error:
        raise CompileError(f"{path} is not an .npz file of plain arrays") from error


def read_array(path: Path) -> NDArray[Any]:
    """Return the array of an .npy file.

    Raises CompileError when the file cannot be read or holds something other than a plain array.
    """
    try:
        with path.open("rb") as file:
            return _with_element_type(np.lib.format.read_array(file, allow_pickle=False))
    except OSError as error:
        raise _unreadable(path, error) from error
    except _NO_NPZ as error:
        raise CompileError(f"{path} is not an .npy file of a plain array") from error


def _unreadable(path: Path, error: OSError) -> CompileError:
    reason = (error.strerror or str(error)).lower()
    return CompileError(f"cannot read {path}: {reason}")


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write an .npz file of exactly this name; it appears when it is complete. Raises OSError."""
    buffer = BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.asarray(array), allow_pickle=False)
    write_atomically(path, buffer.getvalue())


def _with_element_type(array: NDArray[Any]) -> NDArray[Any]:
    """Return the array as bfloat16 if it has 2 nameless bytes, which is how .npz keeps that."""
    return array.view(ml_dtypes.bfloat16) if array.dtype == np.dtype("V2") else array
