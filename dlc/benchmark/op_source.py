"""A model of a single operation."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from dlc.benchmark.fixed_sizes import FixedSizes
from dlc.benchmark.single_op import SingleOp, kind_by_name
from dlc.benchmark.workload import Function, Module, Workload, load_torch


@dataclass(frozen=True)
class OpSource(FixedSizes):
    """A single operation."""

    op: SingleOp

    @property
    def usual_batch(self) -> int | None:
        """That of the sizes."""
        return None

    @property
    def name(self) -> str:
        """As it was given."""
        return self.op.text

    def export(self, batch: int | None, folder: Path) -> Path:
        """Write the ONNX model of the operation."""
        path = folder / "model.onnx"
        onnx.save(self.op.model(), path)
        return path

    def torch(self, batch: int | None, path: Path) -> Module:
        """Return the operation as a module."""
        torch = load_torch()
        function = kind_by_name(self.op.kind).torch(self.op, torch)
        weight = self.op.weight()
        stored = None if weight is None else torch.from_numpy(weight.astype(np.float32))
        return _module(torch, function, stored), ()

    def jax(self, work: Workload) -> Function:
        """Return the operation as a function."""
        import jax  # pyright: ignore[reportMissingImports]  (installed by who compares with it)

        function, weight = kind_by_name(self.op.kind).jax(self.op, jax), self.op.weight()
        return function, [*work.feeds.values(), *([] if weight is None else [weight])]


def _module(torch: Any, function: Callable[..., Any], weight: Any) -> Any:
    """Return a ``torch.nn.Module`` of a function of the inputs and, if there is one, a weight."""

    def forward(self: Any, *inputs: Any) -> Any:
        return function(*inputs) if self.w is None else function(*inputs, self.w)

    module = type("Operation", (torch.nn.Module,), {"forward": forward})()
    module.register_parameter("w", None if weight is None else torch.nn.Parameter(weight))
    return module
