"""A model of a function that makes a PyTorch module."""

import copy
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from dlc.benchmark.fixed_sizes import FixedSizes
from dlc.benchmark.user_function import call_user_function, kind_of
from dlc.benchmark.workload import Function, Module, Workload, load_torch, user_jax
from dlc.errors import CompileError

EXPORT_OPSET = 20


@dataclass(frozen=True)
class TorchSource(FixedSizes):
    """A function of the batch size that returns ``(module, arguments)``, or ``(module, arguments,
    options)`` with options of ``torch.onnx.export``.
    """

    function: str
    jax_function: str | None = None

    @property
    def usual_batch(self) -> int | None:
        """One."""
        return 1

    @property
    def name(self) -> str:
        """The name of the function."""
        return self.function.rpartition(":")[2]

    def export(self, batch: int | None, folder: Path) -> Path:
        """Export the module."""
        module, arguments, options = _made(self.function, batch or 1)
        torch = load_torch()
        path = folder / "model.onnx"
        given = {"dynamo": True, "opset_version": EXPORT_OPSET, "external_data": True, **options}
        given |= {} if given["dynamo"] else {"external_data": False}
        with torch.no_grad():
            torch.onnx.export(module.eval(), tuple(arguments), path, verbose=False, **given)
        return path

    def torch(self, batch: int | None, path: Path) -> Module:
        """Return what the function gives, a copy of the module: who gets it may change it."""
        module, arguments, _ = _made(self.function, batch or 1)
        return copy.deepcopy(module), arguments

    def jax(self, work: Workload) -> Function:
        """Return what the user's function gives."""
        return user_jax(self.jax_function, work)


@lru_cache(maxsize=1)
def _made(function: str, batch: int) -> tuple[Any, Sequence[Any], Mapping[str, Any]]:
    """Return what a user's function gives: the module, its arguments, options of the export.

    The last one is kept, which all contestants of a case ask for.
    """
    torch = load_torch()
    torch.manual_seed(0)  # the weights are the same in every call and process
    found = call_user_function(function, batch)
    match found:
        case (torch.nn.Module() as module, list() | tuple() as arguments):
            return module, arguments, {}
        case (torch.nn.Module() as module, list() | tuple() as arguments, dict() as options):
            return module, arguments, options
        case _:
            raise CompileError(
                f"returns {kind_of(found)}; it returns (module, (its arguments,)) or (module, "
                "(its arguments,), {options of torch.onnx.export})",
                at=function,
            )
