"""Weights for a module of its own: ``dlc-opt --weights FILE.npz`` or an ONNX model."""

from pathlib import Path

from dlc.core.array_files import read_arrays
from dlc.core.weights import WeightStore
from dlc.errors import CompileError
from dlc.frontends.onnx.importer import import_model
from dlc.registry import new_context


def read_weights(path: Path) -> WeightStore:
    """Return a store in which ``graph.weight @name`` is the array ``name`` of an .npz file, or of a
    model as it is imported.

    Raises CompileError when the file cannot be read or holds something other than plain arrays.
    """
    if path.suffix != ".npz":
        context = new_context(WeightStore())
        import_model(path, None, context)
        return context.weights
    store = WeightStore()
    for name, array in read_arrays(path).items():
        try:
            store.define(name, array)
        except (TypeError, ValueError) as error:
            raise CompileError(f"{name} in {path} is no weight: {error}") from error
    return store
