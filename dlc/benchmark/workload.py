"""What is timed: a model at a batch size and a precision, from an ONNX file, from PyTorch, or one
operation.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from dlc.benchmark.user_function import call_user_function, kind_of
from dlc.errors import CompileError

Array = NDArray[Any]
Module = tuple[Any, Sequence[Any]]
"""A ``torch.nn.Module`` and its arguments, tensors on the CPU."""
Function = tuple[Callable[..., Any], Sequence[Any]]
"""A function of arrays and its arguments."""


class MissingError(Exception):
    """A contestant cannot take part, and the text says why: not a fault."""


class Source(Protocol):
    """Where a model comes from. It can be sent to another process."""

    @property
    def usual_batch(self) -> int | None:
        """The batch size where none is given; ``None``: what the file says."""
        ...

    @property
    def name(self) -> str:
        """What the tables call it."""
        ...

    def export(self, batch: int | None, folder: Path) -> Path:
        """Return the ONNX file, written below ``folder`` where there is none yet."""
        ...

    def shapes(self, batch: int | None) -> dict[str, list[int] | int]:
        """Return what fixes the sizes that the file leaves open."""
        ...

    def constants(self) -> Mapping[str, Array]:
        """Return the values of inputs that are compiled in, by name."""
        ...

    def torch(self, batch: int | None, path: Path) -> Module:
        """Return the module in fp32 with its arguments; no arguments: any that fit the ONNX file
        at ``path``. Raises MissingError.
        """
        ...

    def jax(self, work: "Workload") -> Function:
        """Return the function and its arguments. Raises MissingError."""
        ...


@dataclass(frozen=True)
class Workload:
    """A model as all contestants run it. feeds: the inputs by name, in the order of the model's."""

    source: Source
    batch: int | None
    precision: str
    path: Path
    feeds: Mapping[str, Array]


def load_torch() -> Any:
    """Return PyTorch. Raises MissingError."""
    if find_spec("torch") is None:
        raise MissingError("PyTorch is not installed")
    import torch  # pyright: ignore[reportMissingImports]  (optional)

    return torch


def user_jax(name: str | None, work: Workload) -> Function:
    """Return what a user's function gives. Raises MissingError."""
    if name is None:
        raise MissingError("it has no form of the model; give --jax FILE.py:FUNCTION")
    found = call_user_function(name, work.batch or 1, work.precision)
    match found:
        case (function, list() | tuple() as arguments) if callable(function):
            return function, arguments
        case _:
            raise CompileError(
                f"returns {kind_of(found)}; it returns (function, [its arguments])", at=name
            )
