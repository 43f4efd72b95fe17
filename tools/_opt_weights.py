"""Weights for a module that was written by hand: ``dlc-opt --weights FILE.npz``."""

from pathlib import Path

from dlc.core.weights import WeightStore
from dlc.errors import CompileError
from dlc.tools._npz import read_arrays


def read_weights(path: Path) -> WeightStore:
    """Return a store in which ``graph.weight @name`` is the array ``name`` of an .npz file.

    Raises CompileError when the file cannot be read or holds something other than plain arrays.
    """
    store = WeightStore()
    for name, array in read_arrays(path).items():
        try:
            store.define(name, array)
        except (TypeError, ValueError) as error:
            raise CompileError(f"{name} in {path} is no weight: {error}") from error
    return store
