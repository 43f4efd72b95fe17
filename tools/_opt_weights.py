"""Weights for a module that was written by hand: ``dlc-opt --weights FILE.npz``."""

import zipfile
from pathlib import Path

import ml_dtypes
import numpy as np

from dlc.core.weights import Array, WeightStore
from dlc.errors import CompileError


def read_weights(path: Path) -> WeightStore:
    """Return a store in which ``graph.weight @name`` is the array ``name`` of an .npz file.

    Raises CompileError when the file cannot be read or holds something other than plain arrays.
    """
    store = WeightStore()
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            for name in arrays.files:
                store.define(name, _with_element_type(arrays[name]))
    except OSError as error:
        raise CompileError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, EOFError, TypeError, zipfile.BadZipFile) as error:
        raise CompileError(f"{path} is not an .npz file of plain arrays: {error}") from error
    return store


def _with_element_type(array: Array) -> Array:
    """Return the array as bfloat16 if it has 2 nameless bytes, which is how .npz keeps that."""
    return array.view(ml_dtypes.bfloat16) if array.dtype == np.dtype("V2") else array
