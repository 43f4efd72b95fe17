"""A model of an ONNX file."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import onnx

from dlc.benchmark.workload import Array, Function, MissingError, Module, Workload, user_jax
from dlc.errors import CompileError
from dlc.frontends.onnx.constants import read_constants


@dataclass(frozen=True)
class OnnxSource:
    """An ONNX file. given: sizes of inputs, or of symbolic sizes, by name. jax_function: where
    there is one. known: the texts of inputs that are compiled in, by name.
    """

    path: Path
    given: Mapping[str, list[int]] = field(default_factory=dict[str, list[int]])
    jax_function: str | None = None
    known: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def usual_batch(self) -> int | None:
        """That of the sizes."""
        return None

    @property
    def name(self) -> str:
        """The name of the file, of its folder where it is ``model.onnx``."""
        stem = self.path.stem
        return self.path.absolute().parent.name if stem == "model" else stem

    def export(self, batch: int | None, folder: Path) -> Path:
        """Return the file itself."""
        del batch, folder
        return self.path

    def shapes(self, batch: int | None) -> dict[str, list[int] | int]:
        """Return the sizes: a batch is the first axis of every input. Raises CompileError where it
        cannot be.
        """
        found: dict[str, list[int] | int] = dict(self.given)
        for name, sizes in _inputs(self.path) if batch else ():
            if sizes and batch and name not in self.known:
                found |= self._batched(name, sizes, batch)
        return found

    def _batched(self, name: str, sizes: list[int | str], batch: int) -> dict[str, list[int] | int]:
        """Return what makes ``batch`` the first size of an input, unless its sizes are given."""
        first, *others = [self._fixed(size) for size in sizes]
        if isinstance(first, str):
            return {first: batch} if name not in self.given else {}
        if first == batch or name in self.given:
            return {}
        if isinstance(sizes[0], str):
            raise CompileError(f"{sizes[0]} is given as {first}, the batch as {batch}", name)
        whole = [size for size in others if isinstance(size, int)]
        if len(whole) < len(others):
            text = "its other sizes are open; give them with --shape"
            raise CompileError(f"its first size is {first} in the file, not {batch}; {text}", name)
        return {name: [batch, *whole]}

    def _fixed(self, size: int | str) -> int | str:
        """Return a size, of a symbolic one the number that is given for it."""
        given = self.given.get(size) if isinstance(size, str) else None
        return given[0] if given else size

    def constants(self) -> Mapping[str, Array]:
        """Return the values of inputs that are compiled in. Raises CompileError."""
        return read_constants(dict(self.known), self.path) if self.known else {}

    def torch(self, batch: int | None, path: Path) -> Module:
        """Raise MissingError: PyTorch writes ONNX files and reads none."""
        raise MissingError("PyTorch reads no ONNX files; give the module with --torch")

    def jax(self, work: Workload) -> Function:
        """Return what the user's function gives."""
        return user_jax(self.jax_function, work)


def _inputs(path: Path) -> list[tuple[str, list[int | str]]]:
    """Return the inputs of a file with their sizes; a symbolic size is its name."""
    try:
        graph = onnx.load(path, load_external_data=False).graph
    except Exception as error:
        raise CompileError("is no ONNX model", at=str(path)) from error
    weights = {weight.name for weight in graph.initializer}
    return [
        (i.name, [d.dim_param or d.dim_value for d in i.type.tensor_type.shape.dim])
        for i in graph.input
        if i.name not in weights
    ]
